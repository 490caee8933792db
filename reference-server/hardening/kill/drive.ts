import { setTimeout as pause } from "node:timers/promises";
import { sampleTools } from "../../catalog/sample-roles.ts";
import type { Seeded } from "../../../conformance/history/seeded.ts";

/** One call as its client knows it. Its session is unique, so that the call can be found even if no answer came. */
export interface Driven {
  key: string;
  session: string;
  tool: string;
  /** Null if the client learned no outcome: the process died before it answered, or could not be reached. */
  answer: { status: number; executionId: string; success: boolean; cost: number } | null;
}

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

/** Concurrent calls per account. */
const lanes = 3;

/** Statuses by which a proxy, or a server that cannot tell, reports that the outcome is unknown. */
const outcomeUnknown: ReadonlySet<number> = new Set([502, 503, 504]);

/** How long a lane waits after an unknown outcome, in ms. */
const pauseMs = 20;

/**
 * Calls tools with all keys, in several lanes per key. Returns every call that was sent.
 * @param calls.label prefix of each call's session
 * @param calls.last whether a lane ends after a call
 */
export async function drive(
  baseUrl: string,
  keys: readonly string[],
  seeded: Seeded,
  { label, last }: { label: () => string; last: (call: Driven) => boolean },
): Promise<Driven[]> {
  const driven: Driven[] = [];
  const lane = async (key: string): Promise<void> => {
    for (;;) {
      const { id: tool, parameters } = sampleTools[seeded.pick(roles)];
      const call: Driven = { key, session: `${label()}-${driven.length}`, tool, answer: null };
      driven.push(call);
      call.answer = await ask(baseUrl, key, { tool_id: tool, parameters, session_id: call.session });
      if (last(call)) return;
      if (call.answer === null) await pause(pauseMs);
    }
  };
  await Promise.all(keys.flatMap((key) => Array.from({ length: lanes }, () => lane(key))));
  return driven;
}

async function ask(baseUrl: string, key: string, body: object): Promise<Driven["answer"]> {
  try {
    const response = await fetch(`${baseUrl}/tools/execute`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (outcomeUnknown.has(response.status)) return null;
    if (response.status !== 200) throw new Error(`a call was answered ${response.status}: ${text}`);
    const answer = JSON.parse(text) as { execution_id: string; success: boolean; cost: number };
    return {
      status: response.status,
      executionId: answer.execution_id,
      success: answer.success,
      cost: answer.cost,
    };
  } catch (error) {
    // The connection ended before or within the answer.
    if (error instanceof TypeError || error instanceof SyntaxError) return null;
    throw error;
  }
}
