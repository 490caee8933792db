import {
  accepting,
  asking,
  besideInstant,
  emptyList,
  forgettingOnPages,
  ignoring,
  lenientDates,
  itemsOf,
  misread,
  onData,
  refusing,
  taking,
} from "../../changes/audit-query.ts";
import { amountOf, onList } from "./mutants.ts";
import { mutant, mutantsOf, onPath, type Body, type Change } from "../../changes/mutant.ts";

const id = "listLedger";

/** Filters the list by a wrong interpretation of a parameter. */
const keeping = (name: string, keeps: (entry: Body, value: string) => boolean): Change =>
  onList((list, query) => {
    const value = query.get(name);
    return value === null ? list : list.filter((entry) => keeps(entry, value));
  });

/** Mutants of what the list selects. */
export const mutants = [
  ...mutantsOf({
    "LEDG-27": {
      "ignores start_date": ignoring(id, "start_date"),
      "ignores a start_date that is an instant": taking(id, "start_date", misread.noInstant),
      "takes a start_date for the day before": taking(id, "start_date", misread.dayBefore),
      "takes an instant for its day": taking(id, "start_date", (value) => String(value).slice(0, 10)),
    },
    "LEDG-28": {
      "ignores end_date": ignoring(id, "end_date"),
      "takes an end_date for the beginning of its day": taking(id, "end_date", misread.midnight),
      "ignores an end_date that is an instant": taking(id, "end_date", misread.noInstant),
      "forgets end_date after the first page": forgettingOnPages(id, "end_date"),
      "takes an end_date beside an instant for the beginning of its day": besideInstant(id),
    },
    "LEDG-29": {
      "knows no leap day": refusing(id, (query) => query.get("end_date") === "2024-02-29", 400),
      "answers an invalid date without -7": onPath(
        id,
        "status_code",
        (code, request) => (request.query.has("start_date") ? -1 : code),
        400,
      ),
    },
    "LEDG-30": {
      "ignores entry_type": ignoring(id, "entry_type"),
      "selects by the first word of entry_type": asking(id, ({ entry_type: type, ...query }) =>
        type === undefined
          ? query
          : { ...query, direction: String(type).startsWith("grant") ? "grant" : "consume" },
      ),
    },
    "LEDG-31": {
      "selects something by an entry_type that it does not know": accepting(id, "entry_type", {
        ...emptyList,
        items: [{}],
        total: 1,
      }),
    },
    "LEDG-32": {
      "ignores scope": ignoring(id, "scope"),
      "counts refunds to account_history": onData(id, async (data, { query: { scope, ...query }, ask }) => {
        if (scope === undefined) return;
        const isAmong = new Set(itemsOf(data).map((entry) => entry["id"]));
        data["items"] = itemsOf(await ask(query)).filter(
          (entry) => isAmong.has(entry["id"]) || entry["entry_type"] === "consume_payment_refund",
        );
      }),
      "leaves the recharges out of account_history": keeping(
        "scope",
        (entry) => entry["entry_type"] !== "grant_payment_recharge",
      ),
    },
    "LEDG-33": {
      "ignores direction": ignoring(id, "direction"),
      "takes grant for consume": taking(id, "direction", (name) => (name === "grant" ? "consume" : name)),
      "leaves a refund out of the consumptions": keeping(
        "direction",
        (entry, name) => name !== "consume" || entry["entry_type"] !== "consume_payment_refund",
      ),
    },
    "LEDG-34": {
      "takes any for consume": taking(id, "direction", (name) => (name === "any" ? "consume" : name)),
      "shows grants only when asked for them": onList((list, query) =>
        query.has("direction") ? list : list.filter((entry) => amountOf(entry) < 0),
      ),
    },
    "LEDG-35": {
      "takes an unknown direction for any": taking(id, "direction", (name) =>
        ["consume", "grant"].includes(String(name)) ? name : undefined,
      ),
    },
    "LEDG-36": {
      "ignores min_credits": ignoring(id, "min_credits"),
      "ignores max_credits": ignoring(id, "max_credits"),
      "compares min_credits with the signed amount": keeping(
        "min_credits",
        (entry, least) => amountOf(entry) >= Number(least),
      ),
      "leaves out what is exactly max_credits": keeping(
        "max_credits",
        (entry, most) => Math.abs(amountOf(entry)) < Number(most),
      ),
    },
    "LEDG-37": {
      "finds an amount among the grants only": onList((list, query) => {
        const [least, most] = [query.get("min_credits"), query.get("max_credits")];
        return least !== null && least === most ? list.filter((entry) => amountOf(entry) > 0) : list;
      }),
    },
    "LEDG-39": {
      "refuses equal bounds of the credits": refusing(
        id,
        (query) => query.has("min_credits") && query.get("min_credits") === query.get("max_credits"),
        400,
      ),
      "puts min_credits and max_credits in order": asking(id, (query) => {
        const [least, most] = [query["min_credits"], query["max_credits"]];
        return least === undefined || most === undefined || Number(least) <= Number(most)
          ? query
          : { ...query, min_credits: most, max_credits: least };
      }),
      "takes a min_credits a little above max_credits for the same": asking(id, (query) =>
        Math.abs(Number(query["min_credits"]) - Number(query["max_credits"])) < 0.1
          ? { ...query, max_credits: query["min_credits"] }
          : query,
      ),
      "takes a max_credits of 0 for none": asking(id, ({ max_credits: most, ...query }) =>
        most === 0 && Number(query["min_credits"]) > 0 ? query : { ...query, max_credits: most },
      ),
    },
    "LEDG-45": {
      "takes an unknown bucket for a day": taking(id, "bucket", (bucket) =>
        ["hour", "week"].includes(String(bucket)) ? bucket : "day",
      ),
    },
    "LEDG-46": {
      "forgets the amounts when a direction is given": asking(
        id,
        ({ min_credits: least, max_credits: most, ...query }) =>
          "direction" in query ? query : { ...query, min_credits: least, max_credits: most },
      ),
      "forgets the scope when an entry_type is given": asking(id, ({ scope, ...query }) =>
        "entry_type" in query ? query : { ...query, scope },
      ),
      "forgets the scope when a direction is given": asking(id, ({ scope, ...query }) =>
        "direction" in query ? query : { ...query, scope },
      ),
    },
  }),
  ...lenientDates("LEDG-29", id, " that is no date"),
  ...(
    [
      ["consume_model_call", "model usage"],
      ["consume_tool_search", "searches"],
    ] as const
  ).map(([type, what]) =>
    mutant(
      "LEDG-32",
      `leaves ${what} out of account_history`,
      keeping("scope", (entry) => entry["entry_type"] !== type),
    ),
  ),
  ...["min_credits", "max_credits"].map((name) =>
    mutant(
      "LEDG-38",
      `ignores a negative ${name}`,
      taking(id, name, (value) => (Number(value) < 0 ? undefined : value)),
    ),
  ),
];
