import { run } from "../../runner/run.ts";
import { checks } from "../../suite/checks.ts";
import type { Stage } from "../stage.ts";
import type { WireAnswer } from "../wire.ts";
import type { Asked } from "./serving.ts";

/** A request of a whole run and what the unchanged server answered, as both crossed the wire, secrets included. */
export interface Recorded {
  asked: Asked;
  answer: WireAnswer;
}

/** What the suite asks the unchanged server, and what it is answered. */
export async function record(stage: Stage): Promise<Recorded[]> {
  const recorded: Recorded[] = [];
  await stage.perform(
    {
      wire: (request, answer) => {
        const { operation, method, path, query } = request;
        const authorization = request.headers.authorization ?? "";
        recorded.push({
          asked: { operation, method, path, query, authorization, body: request.sent() },
          answer,
        });
        return answer;
      },
    },
    (profile) => run(profile, { checks, rules: [], fast: true, anyKind: true }),
  );
  return recorded;
}

/**
 * Finds the recorded answer whose request is the most similar: first by operation, then by whose it is, then by how
 * many words of address and body they share. Of equals it is the first.
 */
export function mostSimilar(recording: readonly Recorded[]): (asked: Asked) => WireAnswer {
  const byOperation = Map.groupBy(
    recording.map((one) => ({ ...one, words: wordsOf(one.asked) })),
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
    const alike =
      byOperation.get(kindOf(asked)) ?? recording.map((one) => ({ ...one, words: new Set<string>() }));
    let best = alike[0]!;
    for (const one of alike) if (likeness(asked, words, one) > likeness(asked, words, best)) best = one;
    return best.answer;
  };
}

/** How much of two sets is in both, from 0 to 1. */
function shareOf(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let both = 0;
  for (const word of one) both += Number(other.has(word));
  return both / Math.max(one.size + other.size - both, 1);
}

const kindOf = ({ operation, method }: Asked): string => operation ?? method;

const wordsOf = ({ path, query, body }: Asked): Set<string> =>
  new Set([path, ...[...query].map((pair) => pair.join("=")), ...(body.match(/[^\s{}[\],]+/g) ?? [])]);
