import { kept } from "../../../base/data.ts";
import type { OperationId } from "../../../generated/contract.ts";
import type { Caller } from "../../../reference-server/parts.ts";
import { asking, onAny, withoutNames } from "../../changes/audit-query.ts";
import {
  onAnswers,
  onPath,
  together,
  variation,
  variationsOf,
  withBody,
  type Body,
  type Change,
} from "../../changes/mutant.ts";

const noType = (name: string): string => `Ledger entry: ${name}, its type is not given`;

/** Changes every ledger entry, in the list and by its id. */
export const onEntries = (change: (entry: Body) => Body): Change =>
  together(
    onPath("listLedger", "data.items.*", (entry) => ({ ...(entry as Body), ...change(entry as Body) })),
    onPath("getLedgerEntry", "data", (entry) =>
      entry === null ? null : { ...(entry as Body), ...change(entry as Body) },
    ),
  );

const each = (names: readonly string[], change: (value: unknown) => unknown): Change =>
  onEntries((entry) => Object.fromEntries(names.map((name) => [name, change(entry[name])])));

/**
 * Numbers entries consecutively, those of all accounts or each account's; in the text, since JavaScript has no numbers
 * of 64 bits.
 */
function numberingEntries(first: bigint, whose: "all" | "each account's" = "all"): Change {
  const accounts = new Map<string | undefined, string>();
  const series = new Map<string | undefined, Map<string, bigint>>();
  const seriesOf = (credential: string | undefined): Map<string, bigint> => {
    const account = whose === "all" ? undefined : accounts.get(credential);
    return kept(series, account, () => new Map<string, bigint>());
  };
  const numberOf = (id: string, credential: string | undefined): bigint => {
    const numbers = seriesOf(credential);
    const known = numbers.get(id) ?? first + BigInt(numbers.size);
    numbers.set(id, known);
    return known;
  };
  const idOf = (number: string, credential: string | undefined): string =>
    [...seriesOf(credential)].find(([, one]) => String(one) === number)?.[0] ??
    "00000000-0000-4000-8000-000000000000";
  const numbered = (name: string, ...operations: OperationId[]): Change =>
    together(
      onAnswers(
        ({ operation }) => operation !== null && operations.includes(operation),
        (answer, { headers }) => ({
          ...answer,
          body: answer.body.replace(
            new RegExp(`("${name}":)"([^"]*)"`, "g"),
            (_, before: string, id: string) => `${before}${numberOf(id, headers.authorization)}`,
          ),
        }),
      ),
      ...operations.map((each) =>
        onAny(each, (operation) => (request, context) => {
          const { authorization } = request.headers;
          accounts.set(authorization, (request.caller as Caller).account.id);
          const { entry_id: id } = request.params as { entry_id?: string };
          const params = id === undefined ? request.params : { entry_id: idOf(id, authorization) };
          return operation({ ...request, params }, context);
        }),
      ),
    );
  return together(
    numbered("id", "listLedger", "getLedgerEntry"),
    numbered("credits_ledger_entry_id", "listUsage", "getUsageEvent"),
  );
}

/** Lawful ledger entries and lists that the reference server does not give. */
export const variations = [
  ...variationsOf({
    [noType("id")]: {
      "numbers its ledger entries": numberingEntries(1n),
      "numbers its ledger entries from ten million": numberingEntries(10_000_000n),
      "numbers its ledger entries with 64-bit integers": numberingEntries(-1_234_567_890_123_456_789n),
      "numbers the ledger entries of each account separately": numberingEntries(1n, "each account's"),
    },
    "Ledger entry: no sentence promises the other fields; balances and execution_id when available": {
      "shows only the id, type, amount and time of a ledger entry": onEntries((entry) =>
        Object.fromEntries(
          Object.keys(entry)
            .filter((name) => !["id", "entry_type", "amount_credits", "created_at"].includes(name))
            .map((name) => [name, undefined]),
        ),
      ),
    },
    [noType("amount_credits, total_available_credits")]: {
      "writes the amounts of ledger entries as signed decimal strings": onEntries((entry) => {
        const amount = Number(entry["amount_credits"]);
        return { amount_credits: `${amount > 0 ? "+" : ""}${amount.toFixed(6)}` };
      }),
      "writes the amounts and balances of ledger entries as decimal strings": onEntries((entry) => ({
        amount_credits: String(entry["amount_credits"]),
        ...Object.fromEntries(
          ["balance_before", "balance_after"].map((name) => [
            name,
            entry[name] && {
              total_available_credits: String((entry[name] as Body)["total_available_credits"]),
            },
          ]),
        ),
      })),
    },
    "Ledger query parameters: limit | integer | 1-50; default summary sample 10": {
      "applies the limit of the ledger only to summary samples": asking("listLedger", (query) =>
        query["summary"] === true ? query : withoutNames(query, ["limit"]),
      ),
    },
    "entry_type | string | Exact ledger type: how another value is answered is not stated": {
      "refuses an unknown entry_type": onAnswers(
        ({ operation, query }) =>
          operation === "listLedger" && /another_kind|tool$/.test(query.get("entry_type") ?? ""),
        withBody(422, { detail: [] }),
      ),
    },
  }),
  ...(
    [
      ["milliseconds since 1970", (at: number) => at],
      [
        "a date and time separated by a space",
        (at: number) => new Date(at).toISOString().replace("T", " ").replace("Z", "+00"),
      ],
    ] as const
  ).map(([form, write]) =>
    variation(
      `writes created_at of ledger entries as ${form}`,
      "Ledger entry: created_at | Timestamp, its form is not given",
      each(["created_at"], (at) => write(Date.parse(String(at)))),
    ),
  ),
];
