import { run } from "../../run/run.ts";
import { checks } from "../../suite/checks.ts";
import type { Stage } from "../stage.ts";
import type { WireAnswer } from "../../changes/wire.ts";
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
 * Finds the recorded answer with the most similar request: first by operation, then by sender, then by the number of
 * words that address and body share. Of equals, the first.
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
