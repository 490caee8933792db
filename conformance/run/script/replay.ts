import { setTimeout } from "node:timers/promises";
import { Finality, usualLagSeconds } from "../../books/finality.ts";
import type { Answer } from "../../judge/answer.ts";
import { jsonOf, type Exchange } from "../../judge/exchange.ts";
import { Session } from "../../server/session.ts";
import { Blocked } from "../../judge/verdict.ts";
import type { RunContext } from "../perform.ts";
import { givenKeys } from "./keys.ts";
import { givenBy, valuesOf, withValues } from "./references.ts";
import { isRead, sentIn, sideBySide, type Steps } from "./steps.ts";

/** What a script showed when it was sent again. */
export interface Replayed {
  /** The response to its last request. */
  answer: Answer;
  /** Each step with the response to it. */
  sent: readonly { step: Exchange; answer: Answer }[];
  /** What the values that responses gave before have become. */
  renewed: ReadonlyMap<string, string>;
}

/**
 * Sends the requests of a script again, which registers its accounts or reads with keys of the profile.
 * @throws Blocked, Unverifiable where a request is not answered, or cannot be made from the responses before it
 */
export async function replayed(steps: Steps, context: RunContext): Promise<Replayed> {
  const { client, secrets, profile } = context;
  const lagMs = (): number => 1000 * (profile.audit_lag ?? usualLagSeconds);
  const session = new Session(client, secrets, { finality: new Finality({ lagMs, isPatient: true }) });
  const ended = client.waiting.sleepers?.begin(session);
  const given = [...givenKeys(profile, secrets)].map(([label, { key }]) => [label, key] as const);
  const renewed = new Map<string, string>(given);
  const lost = new Set<string>();
  const send = async (step: Exchange): Promise<Answer> => {
    // A Call may name any search.
    if (isRead(step) && valuesOf(sentIn(step, client.baseUrl)).some((value) => lost.has(value)))
      throw new Blocked("a response no longer gives what a later read repeats");
    const { authorization, headers, body, ...sent } = withValues(sentIn(step, client.baseUrl), (value) =>
      renewed.get(value),
    );
    const answer = await session.sendPatiently({
      ...sent,
      headers: { ...headers, ...(authorization !== null && { authorization }) },
      ...(body !== null && { body }),
      account: step.account,
    });
    learn(jsonOf(step), answer.body, renewed, lost);
    return answer;
  };
  try {
    const sent: { step: Exchange; answer: Answer }[] = [];
    for (const side of sideBySide(steps)) {
      // A start is cut to a millisecond, and what follows is to be seen to follow.
      await setTimeout(2);
      sent.push(...(await Promise.all(side.map(async (step) => ({ step, answer: await send(step) })))));
    }
    return { answer: sent.at(-1)!.answer, renewed, sent };
  } finally {
    await session.end();
    ended?.();
  }
}

/** Notes what the values that a response gave have become, and those that it no longer gives. */
function learn(before: unknown, now: unknown, renewed: Map<string, string>, lost: Set<string>): void {
  const values = new Map(givenBy(now).map(({ path, value }) => [path, value]));
  for (const { path, value } of givenBy(before)) {
    const other = values.get(path);
    if (renewed.has(value)) continue;
    if (other === undefined) lost.add(value);
    else {
      renewed.set(value, other);
      lost.delete(value);
    }
  }
}
