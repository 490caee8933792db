import { usualLagSeconds } from "../../books/finality.ts";
import { atMostCredits } from "../../judge/credits.ts";
import type { Exchange } from "../../judge/exchange.ts";
import type { OperationId } from "../../../generated/contract.ts";
import type { Breach, Judgement } from "../../judge/rule.ts";
import { isFields } from "../../judge/seen.ts";
import {
  brief,
  crossing,
  isSurelyAfter,
  type Crossing,
  type Ending,
  type Follow,
  type Passing,
  type Recording,
} from "../../judge/crossing.ts";
import { isWhole } from "../flow/session.client.ts";
import { Recent } from "../../judge/recent.ts";

/** Operations that a deployment may charge for, or that may hold credits while in progress. */
const charging: readonly (OperationId | null)[] = ["call", "queryCapability", "discover"];
/** Maximum number of suspicious answers kept until the end. */
const maxShort = 1000;

/** A Call whose answer was lost or inconclusive may settle this many ms later. */
const settlesWithin = 600_000;

/** How late the balance of an answer may be, in ms. */
const lagMs = 1000 * usualLagSeconds;

/** An account's remaining credits according to its last answer. */
interface Left {
  credits: number;
  /** What others took at the same time or shortly before, which this answer need not count. */
  uncounted: number;
  ended: number;
  doubtMs: number;
}

/** An answer with too few remaining credits, unless another request in progress explains it. */
interface Short {
  scope: string;
  from: number;
  to: number;
  breach: Breach;
  exchange: Exchange;
}

const remainingOf = ({ seen }: Passing): number | null => {
  if (seen?.status !== 200 || !isFields(seen.body)) return null;
  const remaining = seen.body["remaining_credits"];
  return typeof remaining === "number" ? remaining : null;
};

/** When the possible cost of an exchange has settled. */
const settledBy = ({ exchange, lost, ended, doubtMs }: Passing): number =>
  (lost || [undefined, 408, 500, 502, 503, 504].includes(exchange.response?.status)
    ? ended + settlesWithin
    : ended) + doubtMs;

/** What a charging request may have taken: endless where its answer does not say. */
function takenBy({ exchange: { operation, response }, seen }: Passing): number {
  if (response !== null && response.status >= 400 && response.status < 500 && response.status !== 408)
    return 0;
  const body = operation === "call" && isFields(seen?.body) ? seen.body : null;
  return (body && listedIn(body)) ?? Infinity;
}

/** What the answer to a Call says that it bills; null where it does not. */
function listedIn({ billing }: Record<string, unknown>): number | null {
  const listed = isFields(billing) ? billing["list_amount_credits"] : undefined;
  return typeof listed === "number" ? listed : null;
}

/** The most charges of a scope that are remembered. */
const maxCharges = 1000;

/** The recent charges of a scope. */
class Charges {
  readonly #charges: { settled: number; credits: number }[] = [];
  #forgotten = -Infinity;

  add(settled: number, credits: number): void {
    this.#charges.push({ settled, credits });
    if (this.#charges.length > maxCharges)
      this.#forgotten = Math.max(this.#forgotten, this.#charges.shift()!.settled);
  }

  /** What those that settled after an instant took: endless where some of them are forgotten. */
  since(instant: number): number {
    if (this.#forgotten > instant) return Infinity;
    return this.#charges
      .filter(({ settled }) => settled > instant)
      .reduce((sum, { credits }) => sum + credits, 0);
  }
}

/**
 * Follows each account's remaining credits from answer to answer. Judges only accounts whose whole traffic is in the
 * recording, and only at its end: an exchange that began before an answer and ended after it may explain the
 * difference.
 * @param taken what an exchange itself may take; null where it is not judged
 */
const following = (
  recording: Recording,
  taken: (passing: Passing) => number | null,
): { follow: Follow; end: () => Iterable<Ending> } => {
  const lefts = new Recent<string, Left>(5000);
  /** When the last charge of a scope was settled. */
  const charged = new Recent<string, number>(5000);
  const charges = new Recent<string, Charges>(5000);
  let shorts: Short[] = [];
  const judge = (passing: Passing, { credits, uncounted }: Left, now: number): Judgement => {
    const own = taken(passing);
    if (own === null) return null;
    const least = credits - own;
    if (atMostCredits(least, now)) return true;
    if (atMostCredits(least - uncounted, now)) return null;
    return {
      expected: `remaining_credits of at least ${least}, after ${credits} before`,
      received: String(now),
    };
  };
  const follow = (passing: Passing): Judgement => {
    const { exchange, ended, doubtMs } = passing;
    const { account, operation } = exchange;
    const at = exchange.started_at - doubtMs;
    if (account === null || operation === null || !isWhole(recording, account)) return null;
    // Other keys may belong to the same account, unless it was created in the recording.
    const scope = recording.memory.isRegistered(account) ? account : "";
    const isCharging = charging.includes(operation);
    const settled = settledBy(passing);
    if (isCharging) {
      shorts = shorts.filter((short) => short.scope !== scope || at >= short.to || settled <= short.from);
    }
    const now = remainingOf(passing);
    const left = lefts.get(account);
    const chargedUntil = charged.get(scope) ?? -Infinity;
    // Nothing else may have been in progress since the earlier answer.
    const isNext = left !== undefined && isSurelyAfter(passing, left) && chargedUntil <= left.ended;
    const judgement = now !== null && isNext ? judge(passing, left, now) : null;
    if (judgement !== null && judgement !== true && shorts.length < maxShort) {
      const short = { scope, from: left!.ended, to: ended, breach: judgement, exchange: brief(exchange) };
      shorts.push(short);
    }
    const recent = charges.get(scope) ?? new Charges();
    const uncounted = recent.since(at - lagMs);
    if (isCharging) {
      charged.set(scope, Math.max(chargedUntil, settled));
      recent.add(settled, takenBy(passing));
      charges.set(scope, recent);
    }
    if (now !== null) lefts.set(account, { credits: now, uncounted, ended, doubtMs });
    else if (isCharging || operation === "verifyClaim") lefts.delete(account);
    return judgement === true ? true : null;
  };
  function* end(): Generator<Ending> {
    for (const { breach, exchange, scope } of shorts) {
      if (isWhole(recording, scope === "" ? exchange.account : scope)) yield { judgement: breach, exchange };
    }
  }
  return { follow, end };
};

/** Credits change only by charges. */
export const crossings: Crossing[] = [
  crossing("INSP-18", "an Inspect finds the credits that the answer before it left", (recording) =>
    following(recording, ({ exchange }) => (exchange.operation === "inspect" ? 0 : null)),
  ),
  crossing("BILL-04", "a Call takes no more credits than it bills", (recording) =>
    following(recording, ({ exchange, seen }) => {
      const body = exchange.operation === "call" && isFields(seen?.body) ? seen.body : null;
      return body?.["success"] === true ? listedIn(body) : null;
    }),
  ),
];
