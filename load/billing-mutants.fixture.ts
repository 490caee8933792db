import { moving, onPart, onPath, onStatus, type Body, type Change } from "../conformance/changes/mutant.ts";
import type { OperationId } from "../generated/contract.ts";
import type { LoadMutant } from "./mutants.fixture.ts";

/** Whether a row belongs to the half of the executions that a fault affects, by a digit of the random id. */
const isBefallen = (row: Body): boolean => /[0-7]$/.test(String(row["execution_id"]));

/** Applies a fault to the affected rows of a list. */
const onRows = (operation: OperationId, change: (row: Body) => Body[]): Change =>
  onPath(operation, "data.items", (items) =>
    (items as Body[]).flatMap((row) => (isBefallen(row) ? change(row) : [row])),
  );

/** The same for the ledger entries that consume. */
const onCharges = (change: (row: Body) => Body[]): Change =>
  onRows("listLedger", (row) => (Number(row["amount_credits"]) < 0 ? change(row) : [row]));

/** An id that no row has. */
const another = (id: unknown): string => String(id).replace(/^./, (digit) => (digit === "f" ? "e" : "f"));

const again = (row: Body): Body => ({ ...row, id: another(row["id"]) });

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

/** A row that never appears need not be waited for, and a dearer tool spends a small balance in fewer calls. */
const withDearTool: NonNullable<Change["profile"]> = (profile) => ({
  ...profile,
  audit_lag: 0.05,
  tools: {
    ...profile.tools,
    charged: { id: "weather.history.v1", parameters: { station: "LOWW", days: 1 } },
  },
});

/** Mutants by the reconciliation finding that must name them: each fault, with the change that makes it. */
const mutantsBy = (faults: Record<string, Record<string, Change>>): LoadMutant[] =>
  Object.entries(faults).flatMap(([caughtBy, changes]) =>
    Object.entries(changes).map(([name, change]) => ({
      name,
      scenario: "billing",
      operation: "call",
      caughtBy,
      change: { ...change, profile: withDearTool },
    })),
  );

/** The reference server with one fault in its books. */
export const billingMutants: readonly LoadMutant[] = mutantsBy({
  "balance-does-not-add-up": { "charges a call twice while others are settled": doubleCharge },
  "call-without-event": { "loses usage events of calls": onRows("listUsage", () => []) },
  "call-with-two-events": {
    "writes usage events of calls twice": onRows("listUsage", (row) => [row, again(row)]),
  },
  "charge-without-call": {
    "charges for calls that nobody made": onRows("listUsage", (row) => [
      row,
      { ...again(row), execution_id: another(row["execution_id"]) },
    ]),
  },
  "event-without-entry": { "loses ledger entries of charges": onCharges(() => []) },
  "call-with-two-charges": { "enters charges twice": onCharges((row) => [row, again(row)]) },
  "entry-without-event": {
    "enters charges that belong to no event": onCharges((row) => [{ ...again(row), execution_id: null }]),
  },
  "amounts-differ": {
    "enters other amounts than it settles": onCharges((row) => [
      { ...row, amount_credits: Number(row["amount_credits"]) - 0.5 },
    ]),
  },
  "below-zero": {
    "lets balances fall below zero": onRows("listLedger", (row) => [
      { ...row, balance_after: { total_available_credits: -1 } },
    ]),
  },
  "usage-count": { "counts an event too many in summaries": onSummary("listUsage", "total_count") },
  "usage-summary": {
    "sums up other settlements": onSummary("listUsage", "settled_credits"),
  },
  "ledger-count": { "counts an entry too many in summaries": onSummary("listLedger", "total_entries") },
  "ledger-summary": {
    "sums up other movements": onSummary("listLedger", "net_amount_credits"),
  },
  "usage-csv-differs": {
    "loses a row of the usage CSV": onCsv("exportUsage", (lines) => lines.slice(1)),
    "shows a row of the usage CSV twice and another not": onCsv("exportUsage", ([first, , ...others]) => [
      first!,
      first!,
      ...others,
    ]),
  },
  "ledger-csv-differs": {
    "shows another amount in the ledger CSV": onCsv("exportLedger", ([first, ...others]) => [
      first!.replace(/,consume_tool_execute,-/, ",consume_tool_execute,-1"),
      ...others,
    ]),
  },
});
