import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Exchange } from "../judge/exchange.ts";
import { nothingMissing, type Missing } from "../judge/missing.ts";

const pairs = (headers: Record<string, string>): unknown[] =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

/** The characters of a body that were not kept. */
const beyond = ({ body, cut }: NonNullable<Exchange["response"]>): number =>
  cut === undefined ? 0 : cut.from - body.length;

/** An exchange in the form that browsers write to a HAR file. @param missing parts that are left out */
export const harEntryOf = (
  { started_at, duration_ms, request, response, error }: Exchange,
  missing: Missing = nothingMissing,
): object => ({
  startedDateTime: new Date(started_at).toISOString(),
  time: duration_ms,
  request: {
    method: request.method,
    url: request.url,
    httpVersion: "HTTP/1.1",
    headers: pairs(request.headers),
    ...(missing.has("sent") ? { bodySize: -1 } : bodyOf(request.body)),
  },
  response:
    response === null
      ? { status: 0, statusText: "", headers: [], content: { size: 0, mimeType: "" }, _error: error }
      : {
          status: response.status,
          statusText: "",
          headers: pairs(response.headers),
          content: missing.has("body")
            ? { size: -1, mimeType: "x-unknown" }
            : {
                // In bytes; more than those of the text where only its beginning was kept.
                size: Buffer.byteLength(response.body) + beyond(response),
                mimeType: "application/json",
                text: response.body,
              },
        },
});

const bodyOf = (body: string | null): object =>
  body === null
    ? { bodySize: 0 }
    : { bodySize: Buffer.byteLength(body), postData: { mimeType: "application/json", text: body } };

/** A HAR file that is written entry by entry. */
export class HarFile {
  readonly #file: number;
  #separator = "";

  constructor(file: string) {
    mkdirSync(dirname(file), { recursive: true });
    this.#file = openSync(file, "w");
    const creator = '"creator":{"name":"capability-contract","version":"1"}';
    writeSync(this.#file, `{"log":{"version":"1.2",${creator},"pages":[],"entries":[`);
  }

  add(exchange: Exchange, missing?: Missing): void {
    writeSync(this.#file, `${this.#separator}${JSON.stringify(harEntryOf(exchange, missing))}`);
    this.#separator = ",\n";
  }

  close(): void {
    writeSync(this.#file, '],"comment":"secrets are masked"}}\n');
    closeSync(this.#file);
  }
}

/** Writes exchanges to a HAR file one by one. */
export function writeHar(file: string, exchanges: Iterable<Exchange>): void {
  const har = new HarFile(file);
  for (const exchange of exchanges) har.add(exchange);
  har.close();
}
