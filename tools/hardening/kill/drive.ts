import { setTimeout as pause } from "node:timers/promises";
import { sampleTools } from "../../../reference-server/catalog/sample-roles.ts";
import type { Seeded } from "../../../base/seeded.ts";
import { callPlan, type Sender } from "../../../load/planned.ts";
import type { CallAnswer, Driven } from "./accounts.ts";
import { sendRecorded } from "./send-recorded.ts";

/** Roles of tools that cover every kind of charge, free tools, and every failure that is quick. */
const roles = [
  "charged",
  "charged_decimal",
  "included",
  "policy_exempt",
  "partial_success",
  "expensive",
  "failed_charged",
  "provider_error",
  "provider_http_error",
  "empty_result",
  "execution_failed",
  "slow",
] as const satisfies (keyof typeof sampleTools)[];

/** Concurrent Calls per account. */
const lanes = 3;

/**
 * Calls tools of all accounts, in several lanes per account. The session of each Call is unique, so that it can be found
 * even without an answer.
 * @param calls.label prefix of each Call's session
 * @param calls.last whether a lane ends after a Call
 * @param calls.pauseMs how long a lane waits after an unknown outcome
 * @returns how many Calls were sent, and how many of them have an answer
 */
export async function drive(
  baseUrl: string,
  { senders, history, answers }: Driven,
  seeded: Seeded,
  { label, last, pauseMs = 20 }: { label: () => string; last: () => boolean; pauseMs?: number },
): Promise<{ calls: number; answered: number }> {
  const counts = { calls: 0, answered: 0 };
  const call = async (sender: Sender): Promise<void> => {
    const { id, parameters } = sampleTools[seeded.pick(roles)];
    const session_id = `${label()}-${(counts.calls += 1)}`;
    const planned = callPlan(sender, { id, parameters }, { session_id });
    const { answer } = await sendRecorded(baseUrl, planned, history);
    if (answer instanceof Error) return pause(pauseMs);
    counts.answered += 1;
    const body = JSON.parse(answer.body) as CallAnswer & { execution_id: string };
    answers.set(body.execution_id, body);
  };
  const lane = async (sender: Sender): Promise<void> => {
    do await call(sender);
    while (!last());
  };
  await Promise.all(senders.flatMap((sender) => Array.from({ length: lanes }, () => lane(sender))));
  return counts;
}
