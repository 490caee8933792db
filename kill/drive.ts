import { sampleTools } from "../reference-server/catalog/sample-roles.ts";
import type { Seeded } from "./seeded.ts";

/** One call as its client knows it; the session is its own, so that it is found also when no answer came. */
export interface Driven {
  key: string;
  session: string;
  tool: string;
  /** Null when the process died before it answered. */
  answer: { status: number; executionId: string; success: boolean; cost: number } | null;
}

/** Tools that are charged in every way, free ones, and ones that fail in every way that does not take long. */
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

/** Calls of each account that are under way at the same time. */
const lanes = 3;

/** Calls tools for all keys until the server is gone. Answers every call that was sent. */
export async function driveUntilGone(
  baseUrl: string,
  keys: readonly string[],
  seeded: Seeded,
  label: string,
): Promise<Driven[]> {
  const driven: Driven[] = [];
  const lane = async (key: string): Promise<void> => {
    for (;;) {
      const { id: tool, parameters } = sampleTools[seeded.pick(roles)];
      const call: Driven = { key, session: `${label}-${driven.length}`, tool, answer: null };
      driven.push(call);
      try {
        call.answer = await ask(baseUrl, key, { tool_id: tool, parameters, session_id: call.session });
      } catch (error) {
        if (error instanceof TypeError || error instanceof SyntaxError) return;
        throw error;
      }
    }
  };
  await Promise.all(keys.flatMap((key) => Array.from({ length: lanes }, () => lane(key))));
  return driven;
}

async function ask(baseUrl: string, key: string, body: object): Promise<NonNullable<Driven["answer"]>> {
  const response = await fetch(`${baseUrl}/tools/execute`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { execution_id: string; success: boolean; cost: number };
  if (response.status !== 200) {
    throw new Error(`a call was answered ${response.status}: ${JSON.stringify(answer)}`);
  }
  return {
    status: response.status,
    executionId: answer.execution_id,
    success: answer.success,
    cost: answer.cost,
  };
}
