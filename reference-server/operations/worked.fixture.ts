import type { Execution } from "../parts.ts";

/** A successful execution, as if the provider had answered immediately. */
export const worked: Execution = {
  reason: "result.valid",
  success: true,
  data: { price: 1 },
  statusCode: 200,
  message: null,
  quantity: 1,
  durationMs: 1,
};
