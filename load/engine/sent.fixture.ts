import { recorder, type Came } from "./came.ts";
import { plan, type Sender } from "./planned.ts";

export const someSender: Sender = { account: "account 1", key: null, keyName: "key 1" };

const record = recorder("http://127.0.0.1/api/v1");

/** The result of a Discover after some milliseconds. */
export function cameAfter(
  milliseconds: number,
  {
    step = "discover",
    status = 200,
    sentAt = 1_000_000,
  }: { step?: string; status?: number; sentAt?: number } = {},
): Came {
  const planned = plan("discover", someSender, { step, body: { query: "data" } });
  return record(planned, sentAt, sentAt + milliseconds, { status, headers: {}, body: "{}" });
}
