import type { History } from "../../../conformance/books/history/history.ts";
import { recorder, type Reply } from "../../../load/recorder.ts";
import { machineClock } from "../../../load/engine/clock.ts";
import type { Answer } from "../../../load/engine/request.ts";
import type { Planned } from "../../../load/planned.ts";

/** Statuses by which a proxy, or a server that cannot tell, reports that the outcome is unknown. */
const outcomeUnknown: ReadonlySet<number> = new Set([502, 503, 504]);

/** Sends a request once, and adds it to a history. An outcome that its client did not learn is an Error. */
export async function sendRecorded(baseUrl: string, planned: Planned, history: History): Promise<Reply> {
  const sentAt = machineClock.now();
  const answer = await answerTo(baseUrl, planned);
  const reply = recorder(baseUrl)({ request: planned, sentAt, answeredAt: machineClock.now(), answer });
  history.take(reply.exchange, { reader: planned.sender.keyName, begin: sentAt, end: reply.answeredAt });
  if (!(answer instanceof Error) && answer.status !== 200)
    throw new Error(`${planned.path} was answered ${answer.status}: ${answer.body}`);
  return reply;
}

async function answerTo(baseUrl: string, { method, path, headers, body }: Planned): Promise<Answer | Error> {
  try {
    const response = await fetch(baseUrl + path, { method, headers, body });
    const text = await response.text();
    const { status } = response;
    if (outcomeUnknown.has(status)) return new Error(`it was answered ${status}`);
    if (response.headers.get("content-type")?.includes("json")) JSON.parse(text);
    return { status, headers: Object.fromEntries(response.headers), body: text };
  } catch (error) {
    // The connection ended before or within the answer.
    if (error instanceof TypeError || error instanceof SyntaxError) return error;
    throw error;
  }
}
