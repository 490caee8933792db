import { waitSeconds, type Observation, type Offset } from "./observation.ts";
import { enough } from "./sharing.ts";
import { edgeMs, isAdmitted, resolutionMs } from "./times.ts";

/** How one operation of a server is asked. */
export interface Asking {
  quota: number;
  windowMs: number;
  /** What requests of the account can vary; see `Observation.varied`. */
  variations: readonly string[];
  hasOther: boolean;
  /** Sends one request, of the account under test or of the other one. */
  send: (request: { varied?: string; other?: boolean }) => Promise<Observation>;
  /** Sends plain requests over some connections. */
  burst: (amount: number, connections: number) => Promise<readonly Observation[]>;
  /** The server's clock, as far as it is known. */
  offset: () => Offset;
  now: () => number;
  pause: (milliseconds: number) => Promise<void>;
  /**
   * Waits for the other operations asked at the same time, and returns whether something holds of all. They use unused
   * windows together, so a quota that they share shows.
   */
  together: (holds: boolean) => Promise<boolean>;
  /** Receives the time from which the quota of an account was unused and every request was observed. */
  unusedFrom: (at: number, other: boolean) => void;
  say: (text: string) => void;
}

/** Concurrent requests of a burst. */
const connections = 24;
/** Requests of a burst beyond the quota. */
const beyondQuota = 8;
/** Delay between the first requests of two accounts: more than the undetected difference of two clocks. */
const accountsApartMs = 600;
/** Delay of a request after the time at which it should be admitted. */
const settleMs = edgeMs + 10;
/** How often a refused account asks within a window. */
const asksPerWindow = 8;
/** The most windows in use whose end is awaited. */
const maxWindowsAwaited = 3;
/** The most requests after a burst until one is refused. */
const asksAfterBurst = 3;
/** The most requests of one variation. */
const maxOfVariation = 12;

/**
 * Explores the limit of an operation: uses up an unused quota, varies what a limiter may wrongly count by, and returns
 * before, at and after the times that the server names, and at even steps between, twice. The answers are judged
 * together afterwards.
 */
export async function askLimit(asking: Asking): Promise<void> {
  const { windowMs, hasOther, send, pause } = asking;
  if (hasOther) {
    await firstOfWindow(asking, true);
    // Then one of the two is inside an aligned window, not at its edge.
    await pause(Math.min(accountsApartMs, 0.15 * windowMs));
  }
  const opening = await openWindow(asking);
  // Later requests in the window show whether it slides.
  const left = leftOf(opening, asking) ?? windowMs;
  await pauseUntil(opening.answeredAt + 0.4 * Math.min(windowMs, left), asking);
  let refused = await useUp(asking);
  if (refused !== null) refused = await vary(asking, refused);
  if (hasOther) await send({ other: true });
  // A bucket gives back a little at a time, and shows how much in a whole window.
  const until = asking.now() + 1.3 * windowMs;
  for (let time = 0; refused !== null && (time < 2 || asking.now() < until); time += 1) {
    if (!(await comeBack(asking, refused, time < 2))) break;
    refused = await useUp(asking);
  }
}

/**
 * Uses some of one operation's quota in unused windows, and then the whole of another's: if they share one, the other is
 * refused so much sooner.
 */
export async function askInTurn(first: Asking, amount: number, second: Asking): Promise<void> {
  // An estimate from two windows forgets after two.
  second.say("asking two operations in turn, after two windows without requests");
  await second.pause(2 * second.windowMs + 2 * resolutionMs + settleMs);
  await first.burst(amount, Math.min(connections, amount));
  await useUp(second);
}

/** Sends the first request of an unused window. Waits for aligned windows that end soon, so what follows is within one. */
async function openWindow(asking: Asking): Promise<Observation> {
  const { windowMs, send, pause } = asking;
  const seen = await firstOfWindow(asking, false);
  const left = leftOf(seen, asking);
  if (left === null || left < 0 || left > 0.8 * windowMs) return seen;
  await pause(left + Math.max(settleMs, Math.min(1.5 * resolutionMs, 0.1 * windowMs)));
  return send({});
}

/**
 * Sends a request; while its answer, or that of another operation asked at the same time, does not show that it is the
 * first of a window, waits for a whole one.
 */
async function firstOfWindow(asking: Asking, other: boolean): Promise<Observation> {
  const { windowMs, send, pause, together, unusedFrom, say } = asking;
  let seen = await send({ other });
  let unused = isFirst(seen);
  for (let attempt = 0; attempt < maxWindowsAwaited && !(await together(unused)); attempt += 1) {
    say("the window may be in use; waiting for its end");
    await pause(windowMs + resolutionMs + settleMs);
    seen = await send({ other });
    // Without headers, a window without requests is all that can be had.
    unused = isFirst(seen) || (isAdmitted(seen) && seen.remaining === null);
  }
  unusedFrom(seen.sentAt, other);
  return seen;
}

const isFirst = ({ outcome, limit, remaining }: Observation): boolean =>
  outcome === "admitted" && limit !== null && remaining !== null && limit - remaining <= 1;

/**
 * Sends more than the quota at once, and as much again if nothing is refused; then a single request, since those of a
 * burst may be counted before the answers to others arrive.
 * @returns the last refusal; null if nothing was refused
 */
export async function useUp({ quota, burst, send, say }: Asking): Promise<Observation | null> {
  const amount = quota + beyondQuota;
  const few = Math.min(2 * connections, amount);
  say(`a burst of ${amount}`);
  const answers = [...(await burst(few, connections))];
  if (answers.filter(isAdmitted).length > few / 2 && few < amount)
    answers.push(...(await burst(amount - few, connections)));
  // Twice a quota may be a bucket's in one window; three times are not a permitted limiter's.
  for (let time = 0; time < 2 && answers.every(isAdmitted); time += 1)
    answers.push(...(await burst(amount, Math.min(amount, 10 * connections))));
  // A bucket may refill as fast as one request follows another.
  for (let time = 0; time < asksAfterBurst; time += 1) {
    const last = await send({});
    if (!isAdmitted(last)) return last;
  }
  return answers.findLast((observation) => !isAdmitted(observation)) ?? null;
}

/**
 * Sends a request of each variation between plain ones; while these are admitted, more of them than a bucket refills
 * meanwhile.
 * @returns the last refusal of a plain one
 */
async function vary(
  { variations, send, now, quota, windowMs }: Asking,
  refused: Observation,
): Promise<Observation> {
  let last = refused;
  for (const varied of variations) {
    const began = now();
    for (let sent = 1; sent <= maxOfVariation; sent += 1) {
      // In varying order, since requests may go to two servers in turn.
      const early = sent % 2 === 0 ? await send({}) : null;
      const seen = await send({ varied });
      const plain = early ?? (await send({}));
      if (!isAdmitted(plain)) last = plain;
      if (!isAdmitted(seen) || sent > enough + ((now() - began) * quota) / windowMs) break;
    }
  }
  return last;
}

/**
 * Asks again until a request is admitted: just before, at and after the times that the server names, at even steps
 * between, a window after the last request, and another window later.
 * @param atNamed whether to ask at the times that the server names
 * @returns whether one was admitted
 */
async function comeBack(asking: Asking, refused: Observation, atNamed: boolean): Promise<boolean> {
  const { windowMs, send, say } = asking;
  say("waiting to be admitted again");
  const end = refused.answeredAt + windowMs + resolutionMs + settleMs;
  const named = [
    refused.answeredAt + 1000 * (waitSeconds(refused) ?? Infinity),
    refused.answeredAt + (leftOf(refused, asking) ?? Infinity),
  ].flatMap((at) => [
    at - 1.5 * resolutionMs,
    // A wait that is rounded down is 0 in a part of the second around it.
    ...[-0.75, -0.5, -0.25].map((seconds) => at + seconds * resolutionMs),
    ...[0, 0.25, 0.5, 1].map((seconds) => at + seconds * resolutionMs + settleMs),
  ]);
  const steps = Array.from(
    { length: asksPerWindow },
    (_, step) => refused.answeredAt + ((step + 1) * windowMs) / asksPerWindow,
  );
  // The last is after a window without a request, since refusals may prolong one.
  const last = end + windowMs + resolutionMs + settleMs;
  const times = [...(atNamed ? named : []), ...steps, end, last].filter(
    (at) => at > refused.answeredAt && at <= last,
  );
  for (const at of times.sort((one, other) => one - other)) {
    // A time that has passed while another answer was awaited has been asked about.
    if (at < asking.now() - edgeMs) continue;
    await pauseUntil(at, asking);
    if (isAdmitted(await send({}))) return true;
  }
  return false;
}

/** Milliseconds from an answer to its Reset. */
function leftOf({ reset, answeredAt }: Observation, { offset }: Asking): number | null {
  return reset === null ? null : 1000 * reset - answeredAt - offset().ms;
}

const pauseUntil = (at: number, { pause, now }: Asking): Promise<void> => pause(Math.max(0, at - now()));
