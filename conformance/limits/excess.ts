import { timeOf } from "./case.ts";
import type { Observation } from "./observation.ts";
import { isAdmitted, isRefused, precedes, type Track } from "./times.ts";

/** A sign is one only in so many answers, and in this share of them. */
const leastAnswers = 5;
const leastShare = 0.1;

/**
 * What an excess looks like, with the share of the answers that shows it.
 * @param most the requests that are more than a quota
 */
export function looksLike(most: readonly Observation[], track: Track, quota: number): string {
  const answered = most.toSorted((one, other) => one.answeredAt - other.answeredAt);
  const words =
    failsOpen(answered) ??
    isNotCounted(answered, quota) ??
    wholeCounts(answered, quota) ??
    beginsAnew(answered, quota) ??
    countsInTurn(answered) ??
    afterRefusal(answered, track);
  return words === null ? "" : `, ${words}`;
}

const shareOf = (some: number, all: number): string =>
  `${some} of ${all} answers (${Math.round((100 * some) / all)} %)`;
const isMany = (some: number, all: number): boolean => some >= leastAnswers && some >= leastShare * all;

function failsOpen(most: readonly Observation[]): string | null {
  const bare = most.filter(({ limit, remaining }) => limit === null && remaining === null).length;
  if (bare === 0 || bare === most.length) return null;
  return `${shareOf(bare, most.length)} without rate-limit headers: does the limiter fail open?`;
}

/** Answers that show a quota of which nothing was used, over and over, after others that show less. */
function isNotCounted(most: readonly Observation[], quota: number): string | null {
  const lower = most.filter(({ remaining }) => remaining !== null && remaining < (7 / 8) * quota);
  const idle = most.filter(
    (observation) =>
      observation.limit !== null &&
      observation.remaining !== null &&
      observation.remaining >= observation.limit - 1 &&
      lower.some((other) => precedes(other, observation)),
  );
  if (!isMany(idle.length, most.length)) return null;
  return `${shareOf(idle.length, most.length)} show a quota that nothing has used, after others that show less: requests that are not counted, by one of several processes or workers?`;
}

/** As many whole quotas as there are counts. */
function wholeCounts(most: readonly Observation[], quota: number): string | null {
  const times = Math.round(most.length / quota);
  if (times < 2 || Math.abs(most.length - times * quota) > 0.05 * quota + 1) return null;
  return `${times === 2 ? "twice" : `${times} times`} the quota: ${countWords(times, most)}`;
}

/** Several counts, or one whose unit is not a request: each Remaining came so often. */
function countsInTurn(most: readonly Observation[]): string | null {
  const said = most.filter(({ remaining }) => remaining !== null && remaining > 0);
  const values = new Map<number, number>();
  for (const { remaining } of said) values.set(remaining!, (values.get(remaining!) ?? 0) + 1);
  const repeated = [...values.values()].filter((times) => times > 1).reduce((sum, times) => sum + times, 0);
  const times = Math.round(said.length / Math.max(1, values.size));
  if (times < 2 || values.size < leastAnswers || !isMany(repeated, said.length)) return null;
  return `${shareOf(repeated, most.length)} repeat an X-RateLimit-Remaining, each about ${times} times: ${countWords(times, most)}`;
}

/** Requests one after another over one connection all show the same Remaining where connections are counted. */
function countWords(times: number, most: readonly Observation[]): string {
  const alone = most.filter((observation) =>
    most.every(
      (other) => other === observation || precedes(observation, other) || precedes(other, observation),
    ),
  );
  const same = alone.filter(({ remaining }, index) => index > 0 && remaining === alone[index - 1]!.remaining);
  return alone.length > 2 && same.length >= alone.length - 1
    ? "are connections counted instead of requests?"
    : `${times} counts, by process, worker or address?`;
}

/** A count that rose once, and was not seen at its old height again. */
function beginsAnew(most: readonly Observation[], quota: number): string | null {
  const said = most.filter(({ remaining }) => remaining !== null);
  const rises = said.filter(
    (observation, index) =>
      index > 0 &&
      observation.remaining! >
        Math.min(...said.slice(0, index).map(({ remaining }) => remaining!)) + quota / 4,
  );
  const [first] = rises;
  if (first === undefined) return null;
  const least = Math.min(...said.slice(0, said.indexOf(first)).map(({ remaining }) => remaining!));
  // Two counts in turn also show a Remaining as low as before the rise, among the high ones.
  const isInTurn = said.some(
    (low) =>
      low.remaining! <= least &&
      precedes(first, low) &&
      said.some((high) => high.remaining! > least + quota / 4 && precedes(low, high)),
  );
  if (isInTurn) return null;
  return `and at ${timeOf(first.answeredAt)} the count began anew: a restart?`;
}

function afterRefusal(most: readonly Observation[], track: Track): string | null {
  const refused = track.filter(
    (observation) => isRefused(observation) && most.some((other) => precedes(observation, other)),
  );
  if (refused.length === 0) return null;
  const later = most.filter(
    (observation) => isAdmitted(observation) && refused.some((other) => precedes(other, observation)),
  ).length;
  return later === 0 ? "some of them after a refusal" : `${shareOf(later, most.length)} after a refusal`;
}
