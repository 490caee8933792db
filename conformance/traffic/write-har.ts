import { createWriteStream, type WriteStream } from "node:fs";
import { once } from "node:events";
import type { Exchange } from "../judge/exchange.ts";

const pairs = (headers: Record<string, string>): unknown[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

/** The characters of a body that were not kept. */
const missing = ({ body, cut }: NonNullable<Exchange["response"]>): number =>
  cut === undefined ? 0 : cut.from - body.length;

/** An exchange in the form that browsers write to a HAR file. */
export const harEntryOf = ({ started_at, duration_ms, request, response, error }: Exchange): object => ({
  startedDateTime: new Date(started_at).toISOString(),
  time: duration_ms,
  request: {
    method: request.method,
    url: request.url,
    httpVersion: "HTTP/1.1",
    headers: pairs(request.headers),
    bodySize: request.body === null ? 0 : Buffer.byteLength(request.body),
    ...(request.body !== null && { postData: { mimeType: "application/json", text: request.body } }),
  },
  response:
    response === null
      ? { status: 0, statusText: "", headers: [], content: { size: 0, mimeType: "" }, _error: error }
      : {
          status: response.status,
          statusText: "",
          headers: pairs(response.headers),
          content: {
            // In bytes; more than those of the text where only its beginning was kept.
            size: Buffer.byteLength(response.body) + missing(response),
            mimeType: "application/json",
            text: response.body,
          },
        },
});

/** Writes exchanges to a HAR file one by one. */
export async function writeHar(file: string, exchanges: Iterable<Exchange>): Promise<void> {
  const out: WriteStream = createWriteStream(file);
  out.write('{"log":{"version":"1.2","creator":{"name":"test","version":"1"},"pages":[],"entries":[');
  let separator = "";
  for (const exchange of exchanges) {
    if (!out.write(`${separator}${JSON.stringify(harEntryOf(exchange))}`)) await once(out, "drain");
    separator = ",";
  }
  out.end('],"comment":"after"}}');
  await once(out, "finish");
}
