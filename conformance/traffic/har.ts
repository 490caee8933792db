import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { createGunzip } from "node:zlib";
import type { Exchange } from "../judge/exchange.ts";
import { operations, responseHeaders, type OperationId } from "../../generated/contract.ts";
import { operationOf } from "../judge/operations.ts";
import { seenOf } from "../judge/seen.ts";
import { WrongUse } from "../../cli/exit.ts";
import { recordedOf, withOperation, type Recorded } from "./har-entry.ts";
import { BadRecording, entriesOf } from "./json-entries.ts";
import { Masking } from "./masking.ts";

/** An exchange of a recording, ordered by its end. */
export interface Traffic {
  exchange: Exchange;
  /** The recording omits part of it: rules that look at bodies do not apply. */
  partial: boolean;
}

/** Maximum characters kept of one text; an entry with a longer text is partial. */
const longestText = 8 * 1024 * 1024;
/** Maximum number of entries, and of their characters, buffered for sorting by their end. */
const mostWaiting = { entries: 500, characters: 16 * 1024 * 1024 };

/** Bytes read or decompressed in one step. */
const atOnce = 256 * 1024;

/** The entries of a HAR file, gzip or plain. @throws WrongUse naming the file and the fault */
export async function* recordedIn(file: string): AsyncGenerator<Recorded> {
  const about = await stat(file).catch(() => null);
  if (about === null) throw new WrongUse(`${file} cannot be read; give a HAR file, plain or gzip`);
  if (about.isDirectory()) throw new WrongUse(`${file} is a folder; give a HAR file, plain or gzip`);
  try {
    for await (const { value, cut } of entriesOf(await textsOf(file), longestText)) {
      const recorded = recordedOf(value);
      if (recorded !== null) yield cut ? { ...recorded, partial: true } : recorded;
    }
  } catch (error) {
    if (error instanceof BadRecording) throw new WrongUse(`${file} ${error.message}`, { cause: error });
    const { code } = error as NodeJS.ErrnoException;
    if (code?.startsWith("Z_") || code === "ERR_BUFFER_TOO_LARGE") {
      const what = code === "Z_BUF_ERROR" ? "ends in the middle: the gzip is cut off" : "is no valid gzip";
      throw new WrongUse(`${file} ${what}`, { cause: error });
    }
    throw error;
  }
}

async function textsOf(file: string): Promise<AsyncIterable<string>> {
  const handle = await open(file);
  const head = Buffer.alloc(2);
  await handle.read(head, 0, 2, 0);
  await handle.close();
  const bytes = createReadStream(file, { highWaterMark: atOnce });
  if (head[0] !== 0x1f || head[1] !== 0x8b) return bytes.setEncoding("utf8") as AsyncIterable<string>;
  const plain = createGunzip({ chunkSize: atOnce });
  bytes.on("error", (error) => plain.destroy(error));
  return bytes.pipe(plain).setEncoding("utf8") as AsyncIterable<string>;
}

/**
 * The base URL of the server in a recording: the one under which requests of the contract got answers of this API.
 * @throws WrongUse when there is none, or several
 */
export async function baseUrlOf(file: string): Promise<string> {
  const candidates = new Map<string, { matching: number; recognised: number }>();
  for await (const { exchange } of recordedIn(file)) {
    const base = baseOf(exchange.request.method, exchange.request.url);
    if (base === null || (!candidates.has(base.url) && candidates.size >= 100)) continue;
    const count = candidates.get(base.url) ?? { matching: 0, recognised: 0 };
    candidates.set(base.url, count);
    count.matching += 1;
    const seen = seenOf({ ...exchange, operation: base.operation, account: null });
    if (seen?.recognised || seen?.headers["x-service-api-version"] !== undefined) count.recognised += 1;
  }
  const recognised = [...candidates].filter(([, count]) => count.recognised > 0);
  const likely = recognised.length > 0 ? recognised : [...candidates];
  if (likely.length === 1) return likely[0]![0];
  if (likely.length === 0) {
    throw new WrongUse(
      `${file} holds no request of this API; if its address is unusual, give it with --base-url`,
    );
  }
  const listed = likely.map(([url, { matching }]) => `${url} (${matching} requests)`).join(", ");
  throw new WrongUse(`${file} holds requests to several servers: choose one with --base-url: ${listed}`);
}

const paths = Object.values(operations).map(({ path }) =>
  path.replace(/\{[^}]+\}/, "[^/?#]+").replaceAll("/", "\\/"),
);
const anyOperation = new RegExp(`^(https?:\\/\\/[^?#]*?\\/api\\/v1)((?:${paths.join("|")}))(?:[?#]|$)`);

/** The contract version that a server announces in a recording; undefined when it announces none. */
export async function announcedIn(file: string, baseUrl: string): Promise<string | undefined> {
  for await (const { exchange } of recordedIn(file)) {
    const { request, response } = exchange;
    const announced = response?.headers[responseHeaders.apiVersion.toLowerCase()];
    if (announced !== undefined && request.url.startsWith(`${baseUrl}/`)) return announced;
  }
  return undefined;
}

/** The base URL and operation of a request, if it is one of the contract. */
function baseOf(method: string, address: string): { url: string; operation: OperationId } | null {
  const [, url, path] = anyOperation.exec(address) ?? [];
  const operation = url === undefined ? null : operationOf(method, path!);
  return operation === null ? null : { url: url!, operation };
}

/** The exchanges of a HAR file, secrets masked, ordered by their end; buffers a few hundred of them. */
export async function* readHar(file: string, baseUrl: string): AsyncGenerator<Traffic> {
  const masking = new Masking();
  const base = baseUrl.replace(/\/+$/, "");
  const waiting: (Recorded & { ended: number; size: number })[] = [];
  let characters = 0;
  const masked = (): Traffic => {
    const { exchange, partial, size } = waiting.shift()!;
    characters -= size;
    return { exchange: masking.mask(exchange), partial };
  };
  for await (const { exchange: found, partial } of recordedIn(file)) {
    const exchange = withOperation(found, base);
    const ended = exchange.started_at + exchange.duration_ms;
    const size = (exchange.request.body?.length ?? 0) + (exchange.response?.body.length ?? 0);
    let place = waiting.length;
    while (place > 0 && waiting[place - 1]!.ended > ended) place -= 1;
    waiting.splice(place, 0, { exchange, partial, ended, size });
    characters += size;
    while (waiting.length > mostWaiting.entries || characters > mostWaiting.characters) yield masked();
  }
  while (waiting.length > 0) yield masked();
}
