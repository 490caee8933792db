import type { Request, Sent } from "./request.ts";

export const someRequest: Request = {
  step: "discover",
  method: "POST",
  path: "/search",
  headers: { "content-type": "application/json" },
  body: '{"query":"data"}',
};

/** A request that was answered after some milliseconds. */
export const sentAfter = (
  milliseconds: number,
  {
    step = "discover",
    status = 200,
    sentAt = 1_000_000,
  }: { step?: string; status?: number; sentAt?: number } = {},
): Sent<Request> => ({
  request: { ...someRequest, step },
  sentAt,
  answeredAt: sentAt + milliseconds,
  answer: { status, headers: {}, body: "{}" },
});
