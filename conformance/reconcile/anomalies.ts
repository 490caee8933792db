import { clauseOf } from "../judge/clauses.ts";
import { expectedWords, receivedWords, shortened, type Fact } from "../judge/fact.ts";
import { amountOf, settledOf, type Row } from "../judge/rows.ts";
import type { Anomaly } from "../books/pairs.ts";

/** An anomaly with what support and a spreadsheet need: ids, amounts and the clause. */
export interface ReportedAnomaly {
  kind: string;
  clause: string;
  level: "must" | "should";
  title: string;
  /** Absent in reports of earlier versions. */
  fact?: Fact;
  /** The fact in words. */
  expected: string;
  received: string;
  execution_id: string | null;
  search_id: string | null;
  session_id: string | null;
  tool_id: string | null;
  event_id: string | null;
  ledger_entry_id: string | null;
  settled_credits: number | null;
  moved_credits: number | null;
  created_at: string | null;
}

/** Anomalies that are kept in full; further ones are only counted. */
const maxKept = 10_000;

/** What a run has found so far. */
export interface AnomalyState {
  told: readonly ReportedAnomaly[];
  counts: Readonly<Record<string, number>>;
}

/** Collects anomalies: the first ones in full, the number of each kind. */
export class Anomalies {
  readonly kept: ReportedAnomaly[];
  /** How many there are of each kind. */
  readonly counts: Map<string, number>;
  readonly #mask: (text: string) => string;

  /** @param mask hides the secrets in a text */
  constructor(mask: (text: string) => string, state: AnomalyState = { told: [], counts: {} }) {
    this.#mask = mask;
    this.kept = [...state.told];
    this.counts = new Map(Object.entries(state.counts));
  }

  get state(): AnomalyState {
    return { told: this.kept, counts: Object.fromEntries(this.counts) };
  }

  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  add(anomaly: Anomaly): void {
    this.counts.set(anomaly.name, (this.counts.get(anomaly.name) ?? 0) + 1);
    if (this.kept.length < maxKept) this.kept.push(this.#inFull(anomaly));
  }

  #inFull({ name, clauses: [clause], title, fact, event, entry }: Anomaly): ReportedAnomaly {
    const text = (field: string, ...rows: (Row | undefined)[]): string | null => {
      const value = rows.map((row) => row?.[field]).find((value) => value !== undefined && value !== null);
      return typeof value === "string" || typeof value === "number" ? this.#mask(String(value)) : null;
    };
    return {
      kind: name,
      clause: clause!,
      level: clauseOf(clause!).level,
      title,
      fact: JSON.parse(this.#mask(JSON.stringify(shortened(fact)))) as Fact,
      expected: this.#mask(expectedWords(fact)),
      received: this.#mask(receivedWords(fact)),
      execution_id: text("execution_id", event, entry),
      search_id: text("search_id", event),
      session_id: text("session_id", event),
      tool_id: text("tool_id", event),
      event_id: text("id", event),
      ledger_entry_id: text("id", entry) ?? text("credits_ledger_entry_id", event),
      settled_credits: (event && settledOf(event)) ?? null,
      moved_credits: (entry && amountOf(entry)) ?? null,
      created_at: text("created_at", event, entry),
    };
  }
}
