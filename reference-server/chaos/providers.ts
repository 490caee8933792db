import type { Execution, Providers } from "../parts.ts";
import { choose, throwFor } from "./dice.ts";
import type { Faults } from "./faults.ts";

/** How often the first execution of a tool fails, and any execution times out or returns too much. */
const shares = { timeout: 0.06, large: 0.12 };
const failsOnce = 0.25;
/** Longer than the 20,480 bytes that a Call returns whole. */
const padding = "x".repeat(24 * 1024);

/** Unreliable providers: some fail once, some time out, some return results too large to be sent whole. */
export function unreliable(providers: Providers, faults: Faults): Providers {
  const executions = new Map<string, number>();
  return {
    async execute(tool, parameters, hold): Promise<Execution> {
      const { tool_id: id } = tool;
      const count = (executions.get(id) ?? 0) + 1;
      executions.set(id, count);
      const where = `provider of ${id}`;
      if (count === 1 && throwFor(faults.seed, "fails once", id) < failsOnce) {
        faults.add(where, count, "the provider fails once");
        return failed("provider.error", "The provider reported an internal error.");
      }
      const fault = choose(throwFor(faults.seed, where, count), shares);
      if (fault === "timeout") {
        faults.add(where, count, "the provider times out");
        return failed("transport.timeout", "The provider did not answer in time.");
      }
      const execution = await providers.execute(tool, parameters, hold);
      const { data } = execution;
      if (fault !== "large" || !execution.success || typeof data !== "object" || data === null)
        return execution;
      if (Array.isArray(data)) return execution;
      faults.add(where, count, "the result is too large to be sent whole");
      return { ...execution, data: { ...data, remarks: padding } };
    },
  };
}

const failed = (reason: Execution["reason"], message: string): Execution => ({
  reason,
  success: false,
  statusCode: null,
  message,
  quantity: 0,
  durationMs: 0,
});
