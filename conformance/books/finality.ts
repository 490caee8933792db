import { Unverifiable } from "../judge/verdict.ts";
import { isNothing, type Received } from "../judge/fact.ts";
import type { Exchange } from "../judge/exchange.ts";
import type { OperationId } from "../../generated/contract.ts";

/*
 * The one notion of time for an account's books. What an account does may show up to `audit_lag` later, in any read of
 * any process: rows, sums, exports, feeds, settlements and balances. A read that comes sooner is young, and nothing that
 * it shows or lacks is final.
 */

/**
 * The bound for what the profile declares no `audit_lag` for: what does not appear within a minute, although other rows
 * of the account do, does not appear.
 */
export const longestLagSeconds = 60;

/** How late a server's books may be. */
export interface AuditLag {
  seconds: number;
  /** After how many seconds rows and sums were there, where it was measured. */
  measured?: { rows: number; sums: number };
}

/** How late the books may be, in seconds, for what cannot be judged without it. @throws Unverifiable when it is not known */
export function knownLag({ audit_lag: seconds }: { audit_lag?: number }): number {
  if (seconds !== undefined) return seconds;
  // The contract bounds no lag: where nothing at all has come, a later audit is as likely as none.
  throw new Unverifiable("how late the audit may be is not known: nothing of it came", "audit_lag: SECONDS");
}

/** How late the audit of a server may be where it is not declared and never seen to be later. */
export const usualLagSeconds = 5;

const bookReads: ReadonlySet<OperationId | null> = new Set<OperationId>([
  ...(["listUsage", "getUsageEvent", "listUsageFeed", "exportUsage"] as const),
  ...(["listLedger", "getLedgerEntry", "exportLedger", "listSettlements"] as const),
  ...(["getCredits", "getCreditsSpent"] as const),
]);

/** Whether an operation reads an account's books. */
export const readsBooks = (operation: OperationId | null): boolean => bookReads.has(operation);

/** When accounts last did something that their books may show, in milliseconds of `performance.now()`, by label. */
export type LastActs = Map<string, number>;

/** How a conversation treats young reads. */
interface Treatment {
  /** How late the books may be, in milliseconds, as far as is known by then. */
  lagMs: () => number;
  /** The profile declares it. */
  isDeclared?: boolean;
  /** Reads wait until they are final; otherwise young ones are counted. */
  isPatient?: boolean;
  /** How a patient conversation waits, for so many milliseconds. */
  pause?: (milliseconds: number) => Promise<void>;
  /** The last acts of all accounts, known to all conversations of a run. */
  acts?: LastActs;
}

const later = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Credentials of unknown accounts: they may be of any. */
const unknown: readonly (string | null)[] = [null, "made up"];

/** Knows of one conversation which of its reads are final. */
export class Finality {
  readonly isPatient: boolean;
  readonly #lagMs: () => number;
  readonly #isDeclared: boolean;
  readonly #pause: (milliseconds: number) => Promise<void>;
  readonly #acts: LastActs;
  #unknownActAt = -Infinity;
  #youngReads = 0;
  #hasMissed = false;
  readonly #lacking = new WeakSet<Exchange>();

  constructor(treatment: Treatment) {
    const { lagMs, isDeclared = false, isPatient = false, pause = later, acts = new Map() } = treatment;
    this.#lagMs = lagMs;
    this.#pause = pause;
    this.#isDeclared = isDeclared;
    this.isPatient = isPatient;
    this.#acts = acts;
  }

  /** Whether some read came before all that its account had done must show. */
  get restsOnYoungReads(): boolean {
    return this.#youngReads > 0;
  }

  /**
   * A row that was due by now is missing.
   * @param read the final read that lacks it, where it must be there whatever else was read
   */
  missed(read?: Exchange): void {
    this.#hasMissed = true;
    if (read !== undefined) this.#lacking.add(read);
  }

  /** Whether what a finding lacks was due in a read that was final, whatever other reads the finding's check made. */
  isMissing(received: Received, read: Exchange | undefined): boolean {
    return read !== undefined && this.#lacking.has(read) && isNothing(received);
  }

  /**
   * How a later audit is declared, for a finding about missing rows; undefined for others, and where it is
   * declared.
   * @param received what the finding received
   */
  remedyFor(received: Received): string | undefined {
    const isAbsent = this.isPatient && isNothing(received);
    if (this.#isDeclared || !(this.#hasMissed || isAbsent)) return undefined;
    const seconds = Math.ceil(this.#lagMs() / 1_000);
    return `other rows came within ${seconds} s; a later audit is declared by audit_lag: SECONDS`;
  }

  /** An account has done something that its books may show. */
  acted(account: string | null): void {
    if (account === null || unknown.includes(account)) this.#unknownActAt = performance.now();
    else this.#acts.set(account, performance.now());
  }

  /** Before a read of an account's books: waits until it will be final, if this conversation is patient. */
  async beforeRead(account: string | null): Promise<void> {
    if (this.isPatient) await this.quiet(account);
    else if (this.#youngMs(account) > 0) this.#youngReads += 1;
  }

  /** Waits until the books must show all that an account has done. */
  async quiet(account: string | null): Promise<void> {
    const youngMs = this.#youngMs(account);
    if (youngMs > 0) await this.#pause(youngMs);
  }

  /** For how long a read of the account's books is not final. */
  #youngMs(account: string | null): number {
    const last = Math.max(this.#unknownActAt, this.#acts.get(account ?? "") ?? -Infinity);
    return last + this.#lagMs() - performance.now();
  }
}
