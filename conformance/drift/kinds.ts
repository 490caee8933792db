/**
 * The effect of a change on a client written for the old contract.
 * - `breaking`: a client that follows the old contract can be refused, or receive an answer the contract ruled out.
 * - `risky`: it depends on the client, or on a judgement that only a person can make.
 * - `safe`: no client that follows the old contract can be harmed.
 */
export type ChangeClass = "breaking" | "risky" | "safe";

export const changeClasses = ["breaking", "risky", "safe"] as const satisfies ChangeClass[];

const breaking = (why: string) => ["breaking", why] as const;
const risky = (why: string) => ["risky", why] as const;
const safe = (why: string) => ["safe", why] as const;

/**
 * Every kind of change, with its class and the reason. Where the class is debatable, the reason says what it rests on;
 * a policy can override it.
 */
export const kinds = {
  operation_removed: breaking("clients that use the operation find nothing there"),
  operation_removed_before_sunset: breaking("clients were told that it stays until a later day"),
  deprecated_removed: risky("clients were told that it goes, but not when"),
  removed_after_sunset: safe("it was deprecated, and the day came until which clients were told it stays"),
  operation_added: safe("no client uses it yet"),
  operation_moved: breaking("clients that use the old path find nothing there"),
  operation_renamed: risky("method and path stay, but code generated from operationId changes its names"),
  operation_deprecated: safe("announced; nothing changes yet"),
  stability_lowered: breaking("clients were told that it is more stable than it is now said to be"),
  sunset_moved_earlier: breaking("clients have less time to leave it than they were told"),
  sunset_moved_later: safe("clients have more time"),
  sunset_removed: risky("clients were told how long it stays, and are not any more"),
  sunset_unreadable: risky("x-sunset is no date, as 2027-01-31, so nobody knows how long it stays"),
  callback_removed: breaking("clients wait for a request that the server does not send any more"),
  callback_added: risky("the server sends a request that clients do not know; most have to ask for it first"),
  callback_answer_removed: breaking("clients that answer the server's request with this status were right"),
  callback_answer_added: safe("clients that answer with the old statuses are still right"),
  credential_required: breaking("a request that was let in with what it carried can be refused now"),
  credential_relaxed: safe("every request that was let in still is"),
  security_scheme_changed: risky(
    "the credential has the same name, but is obtained or sent in another way; see also how the operation is authorized",
  ),
  path_prefix_changed: breaking("every address below the base URL moves"),
  servers_changed: risky("a client that takes its address from the document asks another server"),

  request_parameter_removed: breaking(
    "the parameter is refused, or ignored, so that a filter no longer filters and nobody notices",
  ),
  request_parameter_added: safe("requests without it stay valid"),
  request_required_parameter_added: breaking("requests without it were valid and are refused"),
  request_parameter_now_required: breaking("requests without it were valid and are refused"),
  request_parameter_now_optional: safe("requests with it stay valid"),
  request_parameter_form_changed: breaking("the same value is written in another way"),
  request_parameter_form_widened: safe("every way to write it that was valid still is"),
  request_body_added: safe("requests without a body stay valid"),
  request_required_body_added: breaking("requests without a body were valid and are refused"),
  request_body_removed: breaking("what the body says is no longer heard"),
  request_body_now_required: breaking("requests without a body were valid and are refused"),
  request_body_now_optional: safe("requests with a body stay valid"),
  request_media_type_removed: breaking("bodies of this type are refused"),
  request_media_type_generalised: risky(
    "the old type is a special form of the new one; a server that compares whole names refuses it",
  ),
  request_media_type_added: safe("bodies of the old types stay valid"),

  request_field_added: safe("requests without it stay valid"),
  request_required_field_added: breaking("requests without it were valid and are refused"),
  request_required_field_with_default: risky(
    "requests without it were valid; a server that fills in the default takes them, one that validates first does not",
  ),
  request_field_removed: risky(
    "the body is open, so the field is not refused but silently ignored: harmless for a hint, wrong for an instruction",
  ),
  request_field_refused: breaking("the body is closed, so requests with the field are refused"),
  request_field_now_required: breaking("requests without it were valid and are refused"),
  request_field_now_optional: safe("requests with it stay valid"),
  request_type_narrowed: breaking("values of the lost type were valid and are refused"),
  request_type_widened: safe("every value that was valid still is"),
  request_type_changed: breaking("values of the old type are refused"),
  request_type_stated: risky(
    "fields or items were described without a type: strictly, values of any type passed",
  ),
  request_type_unstated: safe("every value that was valid still is"),
  request_enum_value_removed: breaking("the value was valid and is refused"),
  request_enum_value_added: safe("every value that was valid still is"),
  request_enum_introduced: breaking("values outside the list were valid and are refused"),
  request_enum_lifted: safe("every value that was valid still is"),
  request_bound_narrowed: breaking("values beyond the new bound were valid and are refused"),
  request_bound_widened: safe("every value that was valid still is"),
  request_form_introduced: breaking("values of another form were valid and are refused"),
  request_form_changed: breaking(
    "whether the new form accepts all that the old one did cannot be determined, so it is assumed not to",
  ),
  request_form_lifted: safe("every value that was valid still is"),
  request_default_changed: breaking(
    "the same request without the field means something else, without a word",
  ),
  request_default_set: risky("what an absent field means was the server's choice, and is now fixed"),
  request_default_unset: risky("what an absent field means was fixed, and is now the server's choice"),
  request_alternative_removed: breaking("requests of this shape were valid and are refused"),
  request_alternative_added: safe("requests of the old shapes stay valid"),
  request_alternative_overlaps: breaking(
    "exactly one alternative may fit, and values of an old one fit the new one too, so that they are refused",
  ),
  request_alternative_may_overlap: risky(
    "exactly one alternative may fit; whether a value of an old one also fits the new one cannot be determined",
  ),
  request_extra_fields_refused: breaking("fields that were ignored, or were of any kind, are refused"),
  request_extra_fields_allowed: safe("every request that was valid still is"),
  request_constraint_added: breaking("values that were valid can be refused"),
  request_constraint_removed: safe("every value that was valid still is"),
  request_constraint_changed: risky("whether this keyword now accepts less cannot be determined; look at it"),

  answer_success_status_added: risky(
    "clients should treat an unknown 2xx as 200, but one that waits for the old statuses takes it for a failure",
  ),
  answer_refusal_status_added: risky(
    "clients should treat an unknown 4xx or 5xx by its class, but one that lists the statuses it knows does not",
  ),
  answer_success_status_removed: breaking("the answer that clients wait for does not come any more"),
  answer_refusal_status_removed: safe("a client's branch for it is never taken any more"),
  answer_media_type_removed: breaking("clients that ask for this type, or parse it, get another"),
  answer_media_type_specialised: risky(
    "the new type is a special form of the old one; a client that compares whole names does not know it",
  ),
  answer_media_type_added: risky(
    "a client that accepts anything may be answered in a type that it cannot parse",
  ),
  answer_body_added: safe("clients that expect no body do not read it"),
  answer_body_removed: breaking("clients that read the body find none"),
  answer_header_added: safe("clients ignore headers that they do not know"),
  answer_header_removed: breaking("the header was promised, and clients read it"),
  answer_optional_header_removed: risky("clients had to do without it, but lose what it told them"),
  answer_header_now_optional: breaking("the header was promised, and may be absent now"),
  answer_header_now_required: safe("clients that do without it still can"),
  answer_field_added: safe("answers are open: clients ignore fields that they do not know"),
  answer_field_added_to_closed: risky(
    "answers were closed (additionalProperties: false): a client that refuses unknown fields was right to",
  ),
  answer_field_removed: breaking("the field was promised, and clients read it"),
  answer_optional_field_removed: risky("clients had to do without it, but lose what it told them"),
  answer_field_now_optional: breaking("the field was promised, and may be absent now"),
  answer_field_now_required: safe("clients that do without it still can"),
  answer_type_widened: breaking(
    "clients meet a type, or a null, that was excluded, and a typed one cannot parse it",
  ),
  answer_type_narrowed: safe("every value that comes was possible before"),
  answer_type_changed: breaking("clients meet a type that was excluded"),
  answer_type_stated: safe("every value that comes was possible before"),
  answer_type_unstated: risky(
    "fields or items are described without a type: strictly, values of any type can come",
  ),
  answer_enum_value_added: risky(
    "a client with a branch for the unknown goes on, one that lists the values it knows does not",
  ),
  answer_enum_value_removed: safe("a client's branch for it is never taken any more"),
  answer_enum_introduced: safe("every value that comes was possible before"),
  answer_enum_lifted: breaking("the list was complete, and any value can come now"),
  answer_bound_widened: risky(
    "only a client that relied on the bound, as for the width of a column, notices",
  ),
  answer_bound_narrowed: safe("every value that comes was possible before"),
  answer_form_introduced: safe("every value that comes was possible before"),
  answer_form_changed: breaking("clients that parse the old form meet another"),
  answer_form_lifted: risky("only a client that parses the form notices, and only when another comes"),
  answer_default_changed: safe("in an answer a default is a remark"),
  answer_alternative_added: breaking("clients meet a shape that was excluded"),
  answer_alternative_overlap_lifted: risky(
    "exactly one alternative could fit, so that a value that fitted two was excluded, and can come now",
  ),
  answer_values_replaced: breaking("no answer that comes was possible before"),
  request_discriminator_value_removed: breaking(
    "requests say by this value which alternative they are, and none has it any more",
  ),
  request_discriminator_value_added: safe("requests with the old values stay valid"),
  answer_discriminator_value_removed: safe("a client's branch for it is never taken any more"),
  answer_discriminator_value_added: breaking(
    "clients tell alternatives apart by this value, and do not know it",
  ),
  answer_alternative_removed: safe("every shape that comes was possible before"),
  answer_extra_fields_refused: safe("every answer that comes was possible before"),
  answer_extra_fields_allowed: risky("clients that refuse unknown fields were right to; now they are not"),
  answer_constraint_added: safe("every value that comes was possible before"),
  answer_constraint_removed: risky("values can come that were excluded, if seldom"),
  answer_constraint_changed: risky("whether this keyword now accepts more cannot be determined; look at it"),

  obligation_dropped: breaking(
    "the contract promised this and is now silent about it (x-open), so servers may do anything",
  ),
  obligation_added: safe("the contract was silent here (x-open), so no client could build on anything else"),
  request_obligation_added: risky(
    "the contract was silent here (x-open): a server that took more than the schema says has to refuse it now",
  ),
  open_changed: safe("the contract is silent here (x-open) before and after: no client may build on it"),
  discriminator_changed: risky(
    "it says which alternative a value is; whether clients and servers rely on it cannot be determined",
  ),
  text_changed: safe("words and examples bind nobody; the clauses do"),
  written_differently: safe("it means the same, or no operation uses it"),
  unclassified_changed: risky("no rule speaks of this keyword; look at it"),

  charge_outcome_added: breaking(
    "the four outcomes are complete by definition (success or not, zero or not), and clients account for money by them",
  ),
  charge_outcome_removed: breaking("clients filter by it, reconcile by it, and hold stored events with it"),
  reason_code_added: risky(
    "the codes are stable for automation, which needs a branch for what it does not know",
  ),
  reason_code_removed: breaking(
    "the codes are stable for automation, and a rule that waits for this one never fires",
  ),
  event_type_added: risky(
    "an audit that sums by type must not lose the events of a type that it does not know",
  ),
  event_type_removed: breaking("clients filter by it, and hold stored events with it"),
  entry_type_added: risky(
    "a reconciliation that sums by type must not lose the entries of a type that it does not know",
  ),
  entry_type_removed: breaking("clients filter by it, and entries of the ledger are never rewritten"),

  clause_added: risky(
    "clients gain, but a server that conformed may not any more; each has to be judged again",
  ),
  clause_added_should: safe("a recommendation: nobody fails by it"),
  clause_added_client: breaking(
    "it binds clients: one that was right by the old contract can be wrong by the new",
  ),
  clause_removed: breaking("a promise on which clients build is gone; ids are never taken out otherwise"),
  clause_removed_should: risky("a recommendation on which clients may have built is gone"),
  clause_removed_client: safe("it bound clients: one that kept it does no harm"),
  clause_raised: risky(
    "clients gain, but a server that conformed may not any more; each has to be judged again",
  ),
  clause_raised_client: breaking(
    "it binds clients: one that was right by the old contract can be wrong by the new",
  ),
  clause_lowered: breaking("a promise became a recommendation"),
  clause_lowered_client: safe("it bound clients: one that kept it does no harm"),
  clause_reworded: risky("whether the obligation is the same is for a person to say"),
  clause_moved: safe("its quote, its basis, or how it is seen changed; the obligation did not"),
  clause_changed_party: breaking("what bound the one side binds the other"),
  quota_lowered: breaking("clients that keep to the old quota are refused"),
  quota_raised: safe("clients that keep to the old quota are within the new"),
  quota_window_longer: breaking("clients that keep to the old window ask again too early, and are refused"),
  quota_window_shorter: safe("clients that keep to the old window are within the new"),
  fact_changed: risky("the contract states another fact; what builds on the old one has to be looked at"),
  trial_constant_lowered: breaking("a trial holds less, or shorter, than clients and their owners were told"),
  trial_constant_raised: safe("a trial that lives within the old constant lives within the new"),
  claim_constant_changed: breaking("clients ask their user for a code of the old length, and check it"),
  version_not_raised: breaking("the contract breaks clients under a version that they believe to know"),
  version_raised_too_little: risky("a break wants another first number of a semantic version"),
  version_lowered: breaking("clients compare versions, and take the new contract for an older one"),
  version_raised: safe("clients are told"),
  version_header_differs: breaking(
    "the version header of the answers names another version than the document",
  ),
  pinned_document_changed: breaking(
    "an address that names a version promises that what it returns never changes",
  ),
  pinned_document_removed: breaking("an address that names a version promises that it stays"),

  derived_file_stale: breaking("what is derived is not what the spec gives now; run npm run generate"),

  live_version_differs: breaking("the server answers by another contract than this one"),
  live_version_missing: breaking("every answer carries the version header"),
  live_document_missing: risky("the contract says that the description is published, though not where"),
  live_pinned_document_differs: breaking(
    "the document at the address that names the version is not the current one",
  ),
  live_type_differs: breaking("the contract promises another type, and a typed client cannot parse it"),
  live_value_differs: breaking("the value has not the form or the bounds that the contract gives"),
  live_field_missing: breaking("the field is promised, and clients read it"),
  live_header_missing: breaking("the header is promised, and clients read it"),
  live_body_missing: breaking("the body is promised, and clients read it"),
  live_status_undocumented: breaking(
    "the contract has no such answer here, and clients cannot know what to do with it",
  ),
  live_failure_undocumented: risky(
    "the contract has no such failure here; a proxy or a crash may have answered",
  ),
  live_media_type_undocumented: risky("clients cannot know how to parse it"),
  live_header_undocumented: risky(
    "the contract permits it, but clients may come to build on what nobody promised",
  ),
  live_field_undocumented: risky(
    "the contract permits it, but clients may come to build on what nobody promised",
  ),
  live_enum_value_undocumented: breaking("the contract's list is complete, and clients branch on it"),
} as const satisfies Record<string, readonly [ChangeClass, string]>;

export type Kind = keyof typeof kinds;
