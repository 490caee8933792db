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

/** An account's remaining credits according to its last answer. */
interface Left {
  credits: number;
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

/**
 * Follows each account's remaining credits from answer to answer. Judges only accounts whose whole traffic is in the
 * recording, and only at its end: an exchange that began before an answer and ended after it may explain the
 * difference.
 */
const following = (
  recording: Recording,
  judge: (passing: Passing, before: number, now: number) => Judgement,
): { follow: Follow; end: () => Iterable<Ending> } => {
  const lefts = new Recent<string, Left>(5000);
  /** When the last charge of a scope was settled. */
  const charged = new Recent<string, number>(5000);
  let shorts: Short[] = [];
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
    const judgement = now !== null && isNext ? judge(passing, left.credits, now) : null;
    if (judgement !== null && judgement !== true && shorts.length < maxShort) {
      const short = { scope, from: left!.ended, to: ended, breach: judgement, exchange: brief(exchange) };
      shorts.push(short);
    }
    if (isCharging) charged.set(scope, Math.max(chargedUntil, settled));
    if (now !== null) lefts.set(account, { credits: now, ended, doubtMs });
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
    following(recording, ({ exchange }, before, now) => {
      if (exchange.operation !== "inspect") return null;
      if (atMostCredits(before, now)) return true;
      return { expected: `remaining_credits ${before}, as before`, received: String(now) };
    }),
  ),
  crossing("BILL-04", "a Call takes no more credits than it bills", (recording) =>
    following(recording, ({ exchange, seen }, before, now) => {
      const body = exchange.operation === "call" && isFields(seen?.body) ? seen.body : null;
      const listed = isFields(body?.["billing"]) ? body["billing"]["list_amount_credits"] : undefined;
      if (body?.["success"] !== true || typeof listed !== "number") return null;
      if (atMostCredits(before - listed, now)) return true;
      return { expected: `remaining_credits of at least ${before - listed}`, received: String(now) };
    }),
  ),
];
