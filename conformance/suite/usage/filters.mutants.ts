import { buckets } from "../../../generated/contract.ts";
import {
  accepting,
  asking,
  besideInstant,
  emptyList,
  forgettingOnPages,
  ignoring,
  isOlder,
  itemsOf,
  misread,
  onData,
  refusing,
  taking,
} from "../../changes/audit-query.ts";
import { mutant, mutantsOf, receiving, type Body, type Change } from "../../changes/mutant.ts";
import { anotherId, onList } from "./mutants.ts";
import { aboveLeast } from "./row-changes.ts";

const id = "listUsage";

const listOfAnother = { ...emptyList, items: [{ id: anotherId }], total: 1 };

/** Mutants of what the list selects. */
export const mutants = [
  ...mutantsOf({
    "USAG-46": {
      "takes a date alone as start for the day before": taking(id, "start_date", misread.dayBefore),
      "ignores a date alone as start": taking(id, "start_date", misread.noDay),
      "takes a date alone as end beside an instant for the beginning of the day": besideInstant(id),
    },
    "USAG-47": {
      "takes start_date a second too early": taking(id, "start_date", misread.shifted(-1000)),
      "ignores a datetime as start": taking(id, "start_date", misread.noInstant),
      "forgets start_date after the first page": forgettingOnPages(id, "start_date"),
    },
    "USAG-48": {
      "takes end_date a second too early": taking(id, "end_date", misread.shifted(-1000)),
      "takes end_date a second too late": taking(id, "end_date", misread.shifted(1000)),
      "ignores a datetime as end": taking(id, "end_date", misread.noInstant),
      "forgets end_date after the first page": forgettingOnPages(id, "end_date"),
    },
    "USAG-49": {
      "takes a date alone as end for the beginning of the day": taking(id, "end_date", misread.midnight),
      "takes a date alone as end for the day before": taking(id, "end_date", misread.dayBefore),
    },
    "USAG-50": {
      "does not look at the zone of start_date": taking(id, "start_date", misread.zoneless),
      "does not look at the zone of end_date": taking(id, "end_date", misread.zoneless),
    },
    "USAG-51": {
      "knows no leap day": refusing(id, (query) => query.get("start_date") === "2024-02-29", 400),
      "takes every date that JavaScript takes": taking(id, "start_date", (value) =>
        /^\d{2}\/\d{2}\/\d{4}$/.test(String(value)) ? "2026-01-01" : value,
      ),
    },
    "USAG-52": {
      "ignores event_type": ignoring(id, "event_type"),
      "finds Inspects among the Discovers too": asking(id, (query) => {
        if (query["event_type"] !== "search") return query;
        const { event_type: _type, ...rest } = query;
        return { ...rest, kind: "discover" };
      }),
      "finds no capability query by its type": taking(id, "event_type", (type) =>
        type === "capabilities_query" ? "model_call" : type,
      ),
    },
    "USAG-53": {
      "ignores a charge_outcome that it does not know": accepting(id, "charge_outcome", listOfAnother),
      "ignores an anomaly that it does not know": accepting(id, "anomaly", listOfAnother),
    },
    "USAG-54": {
      "ignores kind": ignoring(id, "kind"),
      "counts capability queries to no kind": asking(id, (query) =>
        query["kind"] === "call" ? { ...query, event_type: "tool_execute" } : query,
      ),
      "counts Inspects to no kind": asking(id, (query) =>
        query["kind"] === "discover" ? { ...query, event_type: "search" } : query,
      ),
    },
    "USAG-55": {
      "ignores success": ignoring(id, "success"),
      "ignores success=false": taking(id, "success", (value) => (value === false ? undefined : value)),
    },
    "USAG-57": { "ignores billable_success": ignoring(id, "billable_success") },
    "USAG-58": {
      "turns billable_success round": taking(id, "billable_success", (value) => !value),
      "takes billable_success for the recorded success": asking(
        id,
        ({ billable_success: asked, ...query }) =>
          asked === undefined ? query : { ...query, success: asked },
      ),
    },
    "USAG-59": {
      "ignores outcome": ignoring(id, "outcome"),
      "finds no event by its outcome": taking(id, "outcome", () => "none"),
    },
    "USAG-60": {
      "ignores reason_code": ignoring(id, "reason_code"),
      "finds no event by a reason of the provider": taking(id, "reason_code", (value) =>
        String(value).replace("provider.error", "provider"),
      ),
    },
    "USAG-61": {
      "ignores has_execution_outcome": ignoring(id, "has_execution_outcome"),
      "turns has_execution_outcome round": taking(id, "has_execution_outcome", (value) => !value),
    },
    "USAG-62": {
      "ignores charge_outcome": ignoring(id, "charge_outcome"),
      "finds what is under review where it is asked for failures that cost nothing": taking(
        id,
        "charge_outcome",
        (value) => (value === "failed_not_charged" ? "failed_charged_review" : value),
      ),
    },
    "USAG-63": {
      "ignores anomaly": ignoring(id, "anomaly"),
      "finds no event under review": taking(id, "anomaly", (value) =>
        value === "failed_charged_review" ? "missing_ledger_link" : value,
      ),
    },
    "USAG-64": { "ignores anomaly missing_ledger_link": ignoring(id, "anomaly") },
    "USAG-78": {
      "misses a ledger link where nothing moved": asking(id, ({ anomaly, ...query }) =>
        anomaly === "missing_ledger_link" ? { ...query, charge_outcome: "included" } : { ...query, anomaly },
      ),
    },
    "USAG-65": { "ignores anomaly missing_billing_snapshot": ignoring(id, "anomaly") },
    "USAG-66": {
      "ignores search_id": ignoring(id, "search_id"),
      "finds only the Discover of a search": asking(id, (query) =>
        query["search_id"] === undefined ? query : { ...query, event_type: "search" },
      ),
    },
    "USAG-67": {
      "ignores execution_id": ignoring(id, "execution_id"),
      "does not find a Call by its execution_id after an hour": onList((items, query) =>
        query.has("execution_id") ? items.filter((item) => !isOlder(item, 3_600_000)) : items,
      ),
      "finds only the Calls that succeeded by execution_id": asking(id, (query) =>
        query["execution_id"] === undefined ? query : { ...query, success: true },
      ),
    },
    "USAG-68": {
      "ignores api_key_id": ignoring(id, "api_key_id"),
      "ignores oauth_client_id": ignoring(id, "oauth_client_id"),
      "ignores credential_type": ignoring(id, "credential_type"),
    },
    "USAG-69": {
      "finds the events of all keys of the account": ignoring(id, "api_key_id"),
      "finds no event of a second key": receiving("listUsage", ({ query, caller }) =>
        query.api_key_id === undefined
          ? {}
          : { query: { ...query, api_key_id: caller.credential.apiKeyId! } },
      ),
    },
    "USAG-70": { "takes any text for an api_key_id": accepting(id, "api_key_id", emptyList) },
    "USAG-71": {
      "takes an oauth_client_id of any length": accepting(id, "oauth_client_id", emptyList),
      "refuses an oauth_client_id of 2048 characters": refusing(
        id,
        (query) => (query.get("oauth_client_id") ?? "").length > 2047,
        422,
      ),
    },
    "USAG-72": { "takes a credential_type of any length": accepting(id, "credential_type", emptyList) },
    "USAG-73": {
      "ignores min_credits": ignoring(id, "min_credits"),
      "ignores max_credits": ignoring(id, "max_credits"),
      "leaves out an event of exactly min_credits": aboveLeast(id),
      "leaves out an event of exactly max_credits": asking(id, (query) =>
        query["min_credits"] === undefined && query["max_credits"] !== undefined
          ? { ...query, max_credits: Math.max(0, Number(query["max_credits"]) - 0.000001) }
          : query,
      ),
    },
    "USAG-74": {
      "takes credits below 0 for 0": asking(id, (query) => clamped(query, "min_credits", "max_credits")),
      "takes max_credits below 0 for 0": asking(id, (query) => clamped(query, "max_credits")),
    },
    "USAG-75": {
      "selects nothing where min_credits is greater than max_credits": asking(id, (query) =>
        Number(query["min_credits"]) > Number(query["max_credits"])
          ? { ...query, max_credits: query["min_credits"], search_id: "none" }
          : query,
      ),
      "takes a max_credits of 0 for none": asking(id, ({ max_credits: most, ...query }) =>
        most === 0 && Number(query["min_credits"]) > 0 ? query : { ...query, max_credits: most },
      ),
    },
    "USAG-76": {
      "chooses the bucket itself where it does not know the one asked for": taking(id, "bucket", (value) =>
        (buckets as readonly unknown[]).includes(value) ? value : undefined,
      ),
    },
    "USAG-77": {
      "forgets the search_id beside a kind or a type": asking(id, (query) => {
        if (query["kind"] !== undefined || query["event_type"] !== undefined) delete query["search_id"];
        return query;
      }),
      "looks at nothing else once it has an execution_id": asking(id, (query) => {
        if (query["execution_id"] !== undefined) delete query["success"];
        return query;
      }),
    },
  }),
  ...["start_date", "end_date"].map((name) =>
    mutant(
      "USAG-51",
      `ignores a ${name} that it cannot read`,
      taking(id, name, (value) => (/^\d{4}-\d{2}-\d{2}(T|$)/.test(String(value)) ? value : undefined)),
    ),
  ),
  ...(
    [
      ["USAG-60", "reason_code"],
      ["USAG-66", "search_id"],
      ["USAG-67", "execution_id"],
    ] as const
  ).map(([clause, name]) =>
    mutant(clause, `finds an event by the beginning of its ${name}`, beginning(name)),
  ),
  ...["success", "billable_success", "has_execution_outcome", "include_details", "summary"].flatMap(
    (name) => [
      mutant("USAG-56", `takes any word for ${name}`, accepting(id, name, emptyList)),
      mutant(
        "USAG-56",
        `refuses ${name}=false`,
        refusing(id, (query) => query.get(name) === "false", 422),
      ),
    ],
  ),
  ...["USAG-75", "USAG-73"].map((clause) =>
    mutant(
      clause as "USAG-75",
      "refuses equal bounds of the credits",
      refusing(
        id,
        (query) => query.has("min_credits") && query.get("min_credits") === query.get("max_credits"),
        400,
      ),
    ),
  ),
  ...(
    [
      ["kind", "event_type"],
      ["search_id", "execution_id"],
      ["reason_code", "charge_outcome"],
    ] as const
  ).map(([name, beside]) =>
    mutant(
      "USAG-77",
      `forgets ${name} beside ${beside}`,
      asking(id, ({ [name]: value, ...query }) =>
        query[beside] === undefined ? { ...query, [name]: value } : query,
      ),
    ),
  ),
];

/** Treats a value that no event has as the prefix of one. */
function beginning(name: string): Change {
  return onData(id, async (data, { query: { [name]: value, ...query }, ask }) => {
    if (value === undefined || itemsOf(data).length > 0) return;
    const whole = itemsOf(await ask(query));
    itemsOf(data).push(...whole.filter((item) => String(item[name]).startsWith(String(value))));
  });
}

function clamped(query: Body, ...names: string[]): Body {
  const given = names.filter((name) => query[name] !== undefined);
  return { ...query, ...Object.fromEntries(given.map((name) => [name, Math.max(0, Number(query[name]))])) };
}
