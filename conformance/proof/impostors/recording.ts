import { run } from "../../run/run.ts";
import { checks } from "../../suite/checks.ts";
import type { Stage } from "../stage.ts";
import type { WireAnswer } from "../../changes/wire.ts";
import { asking, askerOf } from "./asker.ts";
import type { Asked } from "./serving.ts";

/** A request of a complete run and the unchanged server's answer, as transmitted, secrets included. */
export interface Recorded {
  asked: Asked;
  answer: WireAnswer;
}

/** The suite's requests to the unchanged server, with the answers. */
export async function record(stage: Stage): Promise<Recorded[]> {
  const recorded: Recorded[] = [];
  await stage.perform(
    {
      wire: (request, answer) => {
        const { operation, method, path, query } = request;
        const authorization = request.headers.authorization ?? "";
        const check = askerOf(request.headers);
        recorded.push({
          asked: { check, operation, method, path, query, authorization, body: request.sent() },
          answer,
        });
        return answer;
      },
    },
    (profile) => run(profile, { checks: checks.map(asking), rules: [], fast: true, anyKind: true }),
  );
  return recorded;
}

/**
 * Finds the recorded answer with the most similar request: first by operation, then by sender, then by the number of
 * words that address and body share. Of equals, the first. No check is given its own answers again: they are right, and
 * a server that gives them is none that a check could see through.
 */
export function mostSimilar(recording: readonly Recorded[]): (asked: Asked) => WireAnswer {
  const byOperation = Map.groupBy(
    recording.map((entry) => ({ ...entry, words: wordsOf(entry.asked) })),
    ({ asked }) => kindOf(asked),
  );
  const likeness = (
    asked: Asked,
    words: ReadonlySet<string>,
    other: Recorded & { words: Set<string> },
  ): number => {
    const shared = shareOf(words, other.words);
    return shared + Number(asked.authorization === other.asked.authorization);
  };
  return (asked) => {
    const words = wordsOf(asked);
    const alike = (byOperation.get(kindOf(asked)) ?? []).filter(
      ({ asked: { check } }) => check === null || check !== asked.check,
    );
    let best: (Recorded & { words: Set<string> }) | undefined;
    for (const entry of alike)
      if (best === undefined || likeness(asked, words, entry) > likeness(asked, words, best)) best = entry;
    return (best ?? recording[0]!).answer;
  };
}

/** The overlap of two sets, from 0 to 1. */
function shareOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let both = 0;
  for (const word of one) both += Number(other.has(word));
  return both / Math.max(one.size + other.size - both, 1);
}

const kindOf = ({ operation, method }: Asked): string => operation ?? method;

/** The words of a request, and their forms: one random id is like another. */
function wordsOf({ path, query, body }: Asked): Set<string> {
  const words = [path, ...[...query].map((pair) => pair.join("=")), ...(body.match(/[^\s{}[\],]+/g) ?? [])];
  return new Set([...words, ...words.map((word) => word.replace(/[0-9a-f]{16,}/g, "#"))]);
}
