import { isObject } from "../../../base/data.ts";
import type { OperationId } from "../../../generated/contract.ts";
import type { WireRequest } from "../../changes/wire.ts";
import { namedAnswers, type Field } from "../spec/document.ts";
import type { Edit } from "./body.ts";
import type { Aspect, Point } from "./point.ts";
import { namesOfOne, promisesOf, wordsOn, type Words } from "./words.ts";

/** A field of an operation's answers of one status. */
interface Place extends Field, Words {
  operation: OperationId;
  status: number;
  name: string;
}

/** What the contract leaves free in a field's presence and types. */
interface Freedom {
  absent: boolean;
  types: (type: string) => boolean;
}

/** A lawful change of a field: of its value, undefined for none there; or of the text of its value. */
interface Variant {
  aspect: Aspect;
  way: string;
  /** The words that permit it; those on the field by default. */
  by?: string;
  /** The place that it occupies, where that is more than the field. */
  at?: string;
  value?: (value: unknown, request: WireRequest) => unknown;
  text?: (value: unknown) => string;
}

/**
 * Fields that the spec leaves open, but whose meaning the contract promises in some form: the balance's total and
 * categories, credits spent, a trial's credits, rows and cursor of a feed, a token's verdict, the readiness, the
 * block of a claim, the place of an error, the ids that find an event, the additions of include_details, the unknown
 * verdict of a Probe, the estimate of a known price, the identity of a contract (both or neither), a parameter's listed
 * values and one-of mark, and the two members of an error that have a type.
 */
const meant =
  /^(listUsage 200 data\.items\.\*\.(session_id|search_id|execution_id|request_payload|response_payload_summary)|getCredits 200 data(\.\w+)?|getCredits 200 data\.\w+\.remaining|getCreditsSpent 200 data\.total_credits|registerAnonymous 200 data\.trial_credits|(listUsageFeed|listSettlements) 200 data\.(items|next_cursor|has_more)|verifyToken 200 data\.is_valid|probe 200 (coverage|sample)(\.verdict)?|probe 200 quote\.estimate_credits|(getCapability|queryCapability) 200 (contract_version|schema_hash)|inspect 200 results\.\*\.params\.\*\.(enum|one_of_required)|discover 401 (status_code|data)|getLedgerReadiness 200 data\.ready|startClaim 200 data\.claim_status|\w+ 422 (detail|details)(\.\*(\.(loc|msg))?)?)$/;

/** Names that other answers or a filter refer to: a client compares them unchanged. */
const isReference = ({ name, path }: Place): boolean =>
  /(^|_)(id|cursor|url|key|code)$|^loc$/.test(name) || path.endsWith("execution_outcome.outcome");

/** Content of a tool's provider, not of the service. */
const isForeign = (path: string): boolean =>
  /(^|\.)(result\.data|sample_parameters|content_schema|request_payload|response_payload_summary)(\.|$)/.test(
    path,
  );

function variantsOf(place: Place): Variant[] {
  const freedom = freedomOf(place);
  return [
    ...presence(place, freedom),
    ...forms(place, freedom),
    ...times(place, freedom),
    ...texts(place),
    ...objects(place),
    ...lists(place),
    ...numbers(place),
    ...strings(place),
  ];
}

function freedomOf({ operation, status, path, open, required }: Place): Freedom {
  const promises = promisesOf(operation, status, path);
  const isMeant = meant.test(`${operation} ${status} ${path}`);
  const promised = promises.some((field) => field.required || field.requiredWhen || field.written);
  return {
    absent: !isMeant && (open ? !promised : !promised && !required && promises.length > 0),
    types: (type) =>
      open
        ? !promises.some(({ types }) => !(types as readonly string[]).includes(type))
        : promises.length > 0 && promises.every(({ types }) => (types as readonly string[]).includes(type)),
  };
}

function presence({ name, path }: Place, { absent, types }: Freedom): Variant[] {
  if (!absent) return [];
  // Of two names for the same, one stays.
  const names = namesOfOne(name);
  const shared = { aspect: "value" as const, ...(names && { at: path.replace(/[^.]+$/, names) }) };
  return [
    { ...shared, way: "left out", value: () => undefined },
    ...(types("null") ? [{ ...shared, way: "null", value: () => null }] : []),
  ];
}

/** Changes a present value; an absent one stays absent, and null stays null. */
const present =
  (change: (value: unknown) => unknown): Variant["value"] =>
  (value) =>
    value === undefined || value === null ? value : change(value);

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/** As decimal types write it: a zero of seven decimals is 0E-7. */
const decimalOf = (value: unknown): string => (value === 0 ? "0E-7" : textOf(value));

/** Other types for a field: those that keep its meaning, or any if the contract does not name it. */
function forms(place: Place, { types, absent }: Freedom): Variant[] {
  if (isReference(place)) return [];
  const form = (way: string, type: string, change: (value: unknown) => unknown): Variant[] =>
    types(type) && !place.types.every((name) => name === type || name === "null")
      ? [{ aspect: "value", way, value: present(change) }]
      : [];
  const isList = place.types.includes("array");
  // Wherever the contract gives an amount of credits a type, it is a number, or a text in its place.
  const isAmount = place.name.endsWith("_credits");
  return [
    ...form("as a text", "string", isAmount ? decimalOf : textOf),
    ...(isList || isAmount ? [] : form("in a list", "array", (value) => [value])),
    ...(isAmount ? [] : form("in an object", "object", (value) => ({ value }))),
    ...(place.named || !absent ? [] : form("as a number", "number", () => 4711)),
  ];
}

const isoMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const iso = "created_at | Timestamp (ISO 8601)";

const inZone =
  (minutes: number) =>
  (text: string): string => {
    const shifted = new Date(Date.parse(text) + minutes * 60_000).toISOString().slice(0, 19);
    const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
    const zone = [hours, rest].map((digits) => String(digits).padStart(2, "0")).join(":");
    return `${shifted}${/\.\d+/.exec(text)?.[0] ?? ""}${minutes < 0 ? "-" : "+"}${zone}`;
  };

/** Other ways to write the same moment. */
function times({ name, types, open }: Place, freedom: Freedom): Variant[] {
  if (!/_at$|_date$|^bucket_start$/.test(name) || !types.includes("string")) return [];
  const time = (way: string, write: (text: string) => unknown, by?: string): Variant => ({
    aspect: "value",
    way,
    ...(by !== undefined && { by }),
    value: present((value) => (typeof value === "string" && isoMoment.test(value) ? write(value) : value)),
  });
  const isNumber = freedom.types("number") || open;
  return [
    time("in the zone +05:30", inZone(330), iso),
    time("in the zone -08:00", inZone(-480), iso),
    time("with six decimals", (text) => new Date(text).toISOString().replace("Z", "000Z"), iso),
    time(
      "with a decimal comma",
      (text) => text.replace(".", ","),
      `${iso}: ISO 8601 has the comma and the point`,
    ),
    ...(isNumber ? [time("as seconds since 1970", (text) => Math.floor(Date.parse(text) / 1000))] : []),
  ];
}

const human =
  /^(message|error_message|outcome_message|description|provider_name|expected_cost|billing_summary|display_target|msg|note|summary|freshness|verification|output_summary)$|^results\.\*\.name$/;

/** Texts for people, and words that the contract shows only as examples, in other words. */
function texts(place: Place): Variant[] {
  const { name, path, quote, types } = place;
  if (!types.includes("string") || place.enum !== undefined || place.const !== undefined) return [];
  const other = (way: string, text: string): Variant => ({
    aspect: "value",
    way,
    value: present((value) => (typeof value === "string" && value !== "" ? text : value)),
  });
  if (human.test(name) || human.test(path)) {
    return [
      other("in other words", "Bitte prüfen: “½” 价格 – 🙂\t\u2028/"),
      other("in many words", "Something that nobody needs to read. ".repeat(40)),
    ];
  }
  const isExample = quote.includes(`\`${name}\` (string, e.g.`) || /e\.g\. fields `unit`/.test(quote);
  return isExample && !isReference(place) ? [other("a word that nobody knows", "per-fortnight")] : [];
}

const unordered = 'RFC 8259, 1: "An object is an unordered collection of zero or more name/value pairs"';
const further =
  'The schema is OpenAPI 3.1; JSON Schema 2020-12, 10.3.2.3: omitting additionalProperties "has the same assertion behavior as an empty schema"';

const isSummary = (request: WireRequest): boolean => /"respond_with":"(summary|fields)/.test(request.sent());

/** Unknown members of an object, and its members in another order. */
function objects({ types, operation, path }: Place): Variant[] {
  if (!types.includes("object") || isForeign(path)) return [];
  return objectVariants.map((variant) => ({
    ...variant,
    value: (value, request) =>
      isObject(value) && !(operation === "call" && isSummary(request))
        ? variant.value!(value, request)
        : value,
  }));
}

const objectVariants: readonly Variant[] = [
  {
    aspect: "members",
    way: "with an unknown object",
    by: further,
    value: (value) => ({ x_noise: { more: [-1, null, {}] }, ...(value as object) }),
  },
  {
    aspect: "members",
    way: "with an unknown text and null",
    by: further,
    value: (value) => ({ ...(value as object), "x-noise": "…", xNoise: null }),
  },
  {
    aspect: "members",
    way: "with an unknown list",
    by: further,
    value: (value) => ({ ...(value as object), _links: [], "": [{ id: 0 }] }),
  },
  {
    aspect: "order",
    way: "with its members reversed",
    by: unordered,
    value: (value) => Object.fromEntries(Object.entries(value as object).reverse()),
  },
  {
    aspect: "order",
    way: "with its members in the order of their names",
    by: unordered,
    value: (value) =>
      Object.fromEntries(Object.entries(value as object).sort(([one], [other]) => (one < other ? -1 : 1))),
  },
];

/** Another order of a list without a promised order. */
function lists({ types, quote, path, operation }: Place): Variant[] {
  const isOrdered =
    /chronological|[Rr]anked|initial bytes/.test(quote) || (operation === "discover" && path === "results");
  if (!types.includes("array") || isOrdered || path.endsWith("loc")) return [];
  const list = (way: string, change: (items: unknown[]) => unknown[]): Variant => ({
    aspect: "order",
    way,
    value: (value) => (Array.isArray(value) ? change(value as unknown[]) : value),
  });
  return [
    list("reversed", (items) => items.toReversed()),
    list("with its first item last", ([first, ...rest]) => (first === undefined ? rest : [...rest, first])),
  ];
}

const number =
  'RFC 8259, 6: a number has "an optional fraction part and/or an optional exponent part"; JSON Schema 2020-12, 6.1.1: "integer" is "any number with a zero fractional part"';

/** Other texts of the same number. */
function numbers({ types }: Place): Variant[] {
  if (!types.includes("number") && !types.includes("integer")) return [];
  const form = (way: string, write: (value: number) => string): Variant => ({
    aspect: "text",
    way,
    by: number,
    text: (value) => (typeof value === "number" ? write(value) : JSON.stringify(value)),
  });
  return [
    form("with a fraction that ends in zero", (value) =>
      Number.isInteger(value) ? `${value}.0` : plainNumber(value, "0"),
    ),
    form("with an exponent and a sign", (value) =>
      value === 0 ? "-0.0E+00" : Number.isInteger(value) ? `${value}0E-01` : `${plainNumber(value, "")}E+00`,
    ),
  ];
}

/** A number without an exponent, and with more digits where it has a fraction. */
const plainNumber = (value: number, digits: string): string => {
  const text = JSON.stringify(value);
  return /e/i.test(text) ? text : `${text}${digits}`;
};

const escapes = 'RFC 8259, 7: "Any character may be escaped."';

/** Other texts of the same string. */
function strings({ types }: Place): Variant[] {
  if (!types.includes("string")) return [];
  const form = (way: string, chooses: RegExp): Variant => ({
    aspect: "text",
    way,
    by: escapes,
    text: (value) => (typeof value === "string" ? `"${escaped(value, chooses)}"` : JSON.stringify(value)),
  });
  return [form("with escapes beyond ASCII", /[\u0080-\uffff/]/), form("with its vowels escaped", /[aeiou]/)];
}

const escaped = (text: string, chooses: RegExp): string =>
  text
    .split("")
    .map((character) =>
      character === "/" && chooses.test(character)
        ? "\\/"
        : chooses.test(character)
          ? `\\u${hex(character)}`
          : JSON.stringify(character).slice(1, -1),
    )
    .join("");

const hex = (character: string): string =>
  character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");

/** Rows of a list that are also read one by one: a field has one form in both. */
const twins: Partial<Record<OperationId, OperationId>> = {
  listUsage: "getUsageEvent",
  listLedger: "getLedgerEntry",
};

const isOfTwin = ({ operation, path }: Place): boolean =>
  Object.values(twins).includes(operation) && path.startsWith("data.");

/** The same change of a row that is read by its id. */
function twinOf({ operation, path, status }: Place, edit: Partial<Edit>): Pick<Point, "also"> {
  const twin = twins[operation];
  const [, member] = /^data\.items\.\*\.(.*)$/.exec(path) ?? [];
  if (twin === undefined || member === undefined) return {};
  return { also: { operation: twin, edit: { ...edit, status, path: `data.${member}` } } };
}

/** The body as a whole. */
const body: Field = { path: "", types: ["object"], required: true, open: false };

/** Every field of an answer that the contract names, in each lawful way to show it differently. */
export const fieldPoints: readonly Point[] = namedAnswers.flatMap(({ operation, status, fields }) =>
  [...(fields.length > 0 ? [body] : []), ...fields].flatMap((field): Point[] => {
    const words = field === body ? { quote: "", named: true } : wordsOn(operation, status, field.path);
    if (words === null || isForeign(field.path.replace(/\.?[^.]+$/, ""))) return [];
    const name = field.path.split(".").findLast((step) => step !== "*")!;
    const place = { ...field, ...words, operation, status, name };
    return variantsOf(place)
      .filter(({ aspect }) => aspect !== "value" || !isOfTwin(place))
      .map(({ aspect, way, by, at, ...edit }) => ({
        id: [operation, status, field.path, way].filter((part) => part !== "").join(" "),
        way,
        permittedBy: by ?? words.quote,
        aspect,
        operation,
        at: `${status} ${at ?? field.path}`,
        edit: { status, path: field.path, ...edit },
        ...(aspect === "value" && twinOf(place, edit)),
      }));
  }),
);
