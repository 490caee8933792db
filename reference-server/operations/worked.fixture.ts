import type { Execution } from "../parts.ts";

/** An execution that went well, as a provider that answers at once would have it. */
export const worked: Execution = {
  reason: "result.valid",
  success: true,
  data: { price: 1 },
  statusCode: 200,
  message: null,
  quantity: 1,
  durationMs: 1,
};
