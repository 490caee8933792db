import { moving, onPart, onPath, onStatus, type Body, type Change } from "../conformance/proof/mutant.ts";
import type { OperationId } from "../generated/contract.ts";
import type { LoadMutant } from "./mutants.ts";

/** Whether a row belongs to the half of the executions that a fault affects, by a digit of the random id. */
const isBefallen = (row: Body): boolean => /[0-7]$/.test(String(row["execution_id"]));

/** Applies a fault to the affected rows of a list. */
const onRows = (operation: OperationId, change: (row: Body) => Body[]): Change =>
  onPath(operation, "data.items", (items) =>
    (items as Body[]).flatMap((row) => (isBefallen(row) ? change(row) : [row])),
  );

const isConsumption = (row: Body): boolean => Number(row["amount_credits"]) < 0;

/** An id that no row has. */
const another = (id: unknown): string => String(id).replace(/^./, (digit) => (digit === "f" ? "e" : "f"));

/** Changes the lines of an export below its header. */
const onCsv = (operation: OperationId, change: (lines: string[]) => string[]): Change =>
  onStatus(operation, 200, (answer) => {
    const [header, ...lines] = answer.body.split("\r\n").filter((line) => line !== "");
    return { ...answer, body: `${[header, ...change(lines)].join("\r\n")}\r\n` };
  });

const onSummary = (operation: OperationId, field: string): Change =>
  onPath(operation, `data.summary.${field}`, (value) => Number(value) + 1);

/** A second entry for a call that is settled while other calls are under way. */
const doubleCharge: Change = onPart("books", (books) => {
  let underWay = 0;
  return {
    ...books,
    async settle(executionId, event) {
      underWay += 1;
      try {
        const settled = await books.settle(executionId, event);
        if (underWay > 2 && event.charge_outcome === "charged") await moving(books, event.account_id, -1);
        return settled;
      } finally {
        underWay -= 1;
      }
    },
  };
});

const books = (name: string, caughtBy: string, change: Change): LoadMutant => ({
  name,
  scenario: "billing",
  operation: "call",
  caughtBy,
  change: {
    ...change,
    profile: (profile) => ({
      ...profile,
      // A row that never appears need not be waited for, and a dearer tool spends a small balance in fewer calls.
      audit_lag: 0.05,
      tools: {
        ...profile.tools,
        charged: { id: "weather.history.v1", parameters: { station: "LOWW", days: 1 } },
      },
    }),
  },
});

/** The reference server with one fault in its books, and the reconciliation finding that must name it. */
export const billingMutants: readonly LoadMutant[] = [
  books("charges a call twice while others are settled", "balance-does-not-add-up", doubleCharge),
  books(
    "loses usage events of calls",
    "call-without-event",
    onRows("listUsage", () => []),
  ),
  books(
    "writes usage events of calls twice",
    "call-with-two-events",
    onRows("listUsage", (row) => [row, { ...row, id: another(row["id"]) }]),
  ),
  books(
    "charges for calls that nobody made",
    "charge-without-call",
    onRows("listUsage", (row) => [
      row,
      { ...row, id: another(row["id"]), execution_id: another(row["execution_id"]) },
    ]),
  ),
  books(
    "loses ledger entries of charges",
    "charge-without-entry",
    onRows("listLedger", (row) => (isConsumption(row) ? [] : [row])),
  ),
  books(
    "enters charges twice",
    "charged-twice",
    onRows("listLedger", (row) => (isConsumption(row) ? [row, { ...row, id: another(row["id"]) }] : [row])),
  ),
  books(
    "enters charges that belong to no event",
    "entry-without-event",
    onRows("listLedger", (row) =>
      isConsumption(row) ? [{ ...row, id: another(row["id"]), execution_id: null }] : [row],
    ),
  ),
  books(
    "enters other amounts than it settles",
    "amounts-differ",
    onRows("listLedger", (row) => [
      isConsumption(row) ? { ...row, amount_credits: Number(row["amount_credits"]) - 0.5 } : row,
    ]),
  ),
  books(
    "lets balances fall below zero",
    "negative-balance",
    onRows("listLedger", (row) => [{ ...row, balance_after: { total_available_credits: -1 } }]),
  ),
  books(
    "counts an event too many in summaries",
    "usage-summary-differs",
    onSummary("listUsage", "total_count"),
  ),
  books("sums up other settlements", "usage-summary-differs", onSummary("listUsage", "settled_credits")),
  books(
    "counts an entry too many in summaries",
    "ledger-summary-differs",
    onSummary("listLedger", "total_entries"),
  ),
  books("sums up other movements", "ledger-summary-differs", onSummary("listLedger", "net_amount_credits")),
  books(
    "loses a row of the usage CSV",
    "usage-csv-differs",
    onCsv("exportUsage", (lines) => lines.slice(1)),
  ),
  books(
    "shows a row of the usage CSV twice and another not",
    "usage-csv-differs",
    onCsv("exportUsage", ([first, , ...others]) => [first!, first!, ...others]),
  ),
  books(
    "shows another amount in the ledger CSV",
    "ledger-csv-differs",
    onCsv("exportLedger", ([first, ...others]) => [
      first!.replace(/,consume_tool_execute,-/, ",consume_tool_execute,-1"),
      ...others,
    ]),
  ),
];
