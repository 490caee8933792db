import type { OperationId } from "../../operations.ts";
import type { Judgement } from "../../rules/rule.ts";
import { isFields } from "../../rules/seen.ts";
import { crossing, type Crossing, type Passing, type Recording } from "../crossing.ts";
import { isWhole } from "../client/session.ts";
import { Recent } from "../recent.ts";

/** Operations that a deployment may charge, or that may hold credits while they are under way. */
const charging: readonly (OperationId | null)[] = ["call", "queryCapability", "discover"];
const rounding = 1e-9;

/** What an account had left, and what of its traffic could have moved that. */
interface Left {
  credits: number;
  ended: number;
}

interface Track {
  left: Left | null;
  /** When the last charging exchange of the account ended, and the latest end of any. */
  chargedUntil: number;
}

const remainingOf = ({ seen }: Passing): number | null => {
  if (seen?.status !== 200 || !isFields(seen.body)) return null;
  const remaining = seen.body["remaining_credits"];
  return typeof remaining === "number" ? remaining : null;
};

/**
 * Follows what each account has left from answer to answer. Only accounts all of whose traffic stands in the recording
 * are judged: elsewhere somebody else may have spent the difference.
 */
const following = (
  recording: Recording,
  judge: (passing: Passing, before: number, now: number) => Judgement,
): ((passing: Passing) => Judgement) => {
  const tracks = new Recent<string, Track>(5000);
  return (passing) => {
    const { exchange, ended } = passing;
    const { account, operation, started_at: at } = exchange;
    if (account === null || operation === null || !isWhole(recording, account)) return null;
    const track = tracks.get(account) ?? { left: null, chargedUntil: -Infinity };
    tracks.set(account, track);
    const isCharging = charging.includes(operation);
    const now = remainingOf(passing);
    const { left } = track;
    // Nothing else may have been under way since the earlier answer.
    const isNext = left !== null && left.ended <= at && track.chargedUntil <= left.ended;
    const judgement = now !== null && isNext ? judge(passing, left.credits, now) : null;
    if (isCharging) track.chargedUntil = Math.max(track.chargedUntil, ended);
    const overlaps = left !== null && left.ended > at;
    if (now !== null) track.left = overlaps && isCharging ? null : { credits: now, ended };
    else if (isCharging || operation.startsWith("verify")) track.left = null;
    return judgement;
  };
};

/** Credits move by charges alone. */
export const remaining: Crossing[] = [
  crossing("INSP-18", "an Inspect finds the credits that the answer before it left", (recording) =>
    following(recording, ({ exchange }, before, now) => {
      if (exchange.operation !== "inspect") return null;
      if (now >= before - rounding) return true;
      return { expected: `remaining_credits ${before}, as before`, received: String(now) };
    }),
  ),
  crossing("BILL-04", "a Call takes no more credits than it bills", (recording) =>
    following(recording, ({ exchange, seen }, before, now) => {
      const body = exchange.operation === "call" && isFields(seen?.body) ? seen.body : null;
      const listed = isFields(body?.["billing"]) ? body["billing"]["list_amount_credits"] : undefined;
      if (body?.["success"] !== true || typeof listed !== "number") return null;
      if (now >= before - listed - rounding) return true;
      return { expected: `remaining_credits of at least ${before - listed}`, received: String(now) };
    }),
  ),
];
