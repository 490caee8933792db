import { sameCredits } from "../judge/credits.ts";
import { condition } from "../judge/fact.ts";
import { momentOf } from "../judge/instant.ts";
import { amountOf, balanceOf, type Row } from "../judge/rows.ts";
import type { Find } from "./pairs.ts";
import { isBesideCalls } from "./writes.ts";

/** A balance at which the chain is open, in micro-credits, with the entry that begins or ends there. */
interface End {
  balance: number;
  entry: Row;
  /** Parts since it opened. */
  age: number;
}

/**
 * Follows the balances from entry to entry (LEDG-15), whatever the order of the entries of one moment: each entry begins
 * at the balance that another one left.
 */
export class Chain {
  readonly #find: Find;
  /** Balances that entries left and no other has begun at, and the other way round. */
  #left: End[];
  #begun: End[];
  #isFirst: boolean;

  /** @param state where an interrupted audit had stopped */
  constructor(find: Find, state: Chain["state"] = { left: [], begun: [], isFirst: true }) {
    this.#find = find;
    this.#left = [...state.left];
    this.#begun = [...state.begun];
    this.#isFirst = state.isFirst;
  }

  get state(): { left: readonly End[]; begun: readonly End[]; isFirst: boolean } {
    return { left: this.#left, begun: this.#begun, isFirst: this.#isFirst };
  }

  /** Audits a part. */
  take(entries: readonly Row[]): void {
    this.#requireNotNegative(entries);
    if (entries.length === 0) return;
    const sides = entries.map(
      (entry) => [balanceOf(entry, "before"), balanceOf(entry, "after"), entry] as const,
    );
    if (sides.some(([before, after]) => before === undefined || after === undefined)) {
      // "when available": nothing chains across an entry without balances.
      this.#left = [];
      this.#begun = [];
      this.#isFirst = true;
      return;
    }
    const open = new Map<number, { left: End[]; begun: End[] }>();
    const at = (balance: number): { left: End[]; begun: End[] } => {
      const known = open.get(balance) ?? { left: [], begun: [] };
      open.set(balance, known);
      return known;
    };
    for (const end of this.#left) at(end.balance).left.push({ ...end, age: end.age + 1 });
    for (const end of this.#begun) at(end.balance).begun.push({ ...end, age: end.age + 1 });
    for (const [before, after, entry] of sides) {
      if (sameCredits(before!, after!)) continue;
      const [from, to] = [inMicro(before!), inMicro(after!)];
      at(from).begun.push({ balance: from, entry, age: 0 });
      at(to).left.push({ balance: to, entry, age: 0 });
    }
    const unmatched = [...open.values()].map(({ left, begun }) => {
      const paired = Math.min(left.length, begun.length);
      return { left: left.slice(paired), begun: begun.slice(paired) };
    });
    this.#left = unmatched.flatMap(({ left }) => left);
    this.#begun = unmatched.flatMap(({ begun }) => begun);
    this.#settle();
  }

  /** Reports what never chained. */
  end(): void {
    for (const { entry, balance } of this.#begun) this.#break(entry, balance);
    this.#begun = [];
  }

  /** Lets the window's first entry begin anywhere; reports what an earlier part left open. */
  #settle(): void {
    if (this.#isFirst && this.#begun.length > 0) {
      const oldest = this.#begun.reduce((one, other) =>
        timeOf(other.entry) < timeOf(one.entry) ? other : one,
      );
      this.#begun = this.#begun.filter((end) => end !== oldest);
      this.#isFirst = false;
    }
    for (const { entry, balance } of this.#begun.filter(({ age }) => age > 0)) this.#break(entry, balance);
    this.#begun = this.#begun.filter(({ age }) => age === 0);
    this.#left = this.#left.filter(({ age }) => age === 0);
  }

  #break(entry: Row, balance: number): void {
    this.#find({
      name: "balances-do-not-chain",
      clauses: ["LEDG-15"],
      title: "an entry begins at a balance that no entry left",
      fact: condition(
        "balance_before equal to the balance_after of the entry before it",
        `balance_before ${balance / 1e6}`,
        { kind: "value", place: "balance_before" },
      ),
      entry,
    });
  }

  #requireNotNegative(entries: readonly Row[]): void {
    for (const entry of entries) {
      if (!isCallBeyondCredits(entry)) continue;
      this.#find({
        name: "negative-balance",
        clauses: ["BILL-13"],
        title: "a balance falls below zero",
        fact: condition("at least 0 credits", `balance_after ${balanceOf(entry, "after")}`, {
          kind: "amount",
          place: "balance_after",
        }),
        entry,
      });
    }
  }
}

/** Whether an entry shows that a Call was charged more than was left. */
function isCallBeyondCredits(entry: Row): boolean {
  const [after, amount] = [balanceOf(entry, "after"), amountOf(entry)];
  if (after === undefined || after > -1e-6 || isBesideCalls(entry["entry_type"])) return false;
  const before = balanceOf(entry, "before") ?? after - (amount ?? 0);
  return before > -1e-6 && (amount ?? after - before) < 0;
}

const inMicro = (credits: number): number => Math.round(credits * 1e6);
const timeOf = ({ created_at: at }: Row): number => momentOf(at) ?? 0;
