import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { createGunzip, createInflate } from "node:zlib";
import { WrongUse } from "../../base/exit.ts";
import { BadRecording, entriesOf, type Entry } from "./json-entries.ts";
import { savedEntries } from "./saved-requests.ts";

/** Maximum characters kept of one text; an entry with a longer text lacks its bodies. */
const maxText = 8 * 1024 * 1024;

/** Bytes read or decompressed in one step. */
const chunkBytes = 256 * 1024;

/**
 * The entries of a recording: a HAR file, plain, gzip or deflated, in UTF-8 or UTF-16; or what Postman and Newman export.
 * @param baseUrl of the server, for addresses whose beginning is a variable
 * @throws WrongUse naming the file, what it is, and what would be right
 */
export async function* entriesIn(file: string, baseUrl?: string): AsyncGenerator<Entry> {
  const about = await stat(file).catch(() => null);
  if (about === null) throw new WrongUse(`${file} cannot be read; give a HAR file, plain or gzip`);
  if (!about.isFile() && !about.isDirectory())
    throw new WrongUse(`${file} is not a file; give a HAR file, plain or gzip`);
  if (about.isDirectory()) throw new WrongUse(`${file} is a folder; give a HAR file, plain or gzip`);
  try {
    yield* entriesOf(await textsOf(file), maxText);
  } catch (error) {
    if (error instanceof BadRecording) {
      const saved = error.isOtherJson ? await savedEntries(file, baseUrl) : null;
      if (saved === null) throw new WrongUse(`${file} ${error.message}`, { cause: error });
      yield* saved;
      return;
    }
    const { code } = error as NodeJS.ErrnoException;
    if (code?.startsWith("Z_") || code === "ERR_BUFFER_TOO_LARGE") {
      const what = code === "Z_BUF_ERROR" ? "ends in the middle: the gzip is cut off" : "is not valid gzip";
      throw new WrongUse(`${file} ${what}`, { cause: error });
    }
    throw error;
  }
}

/** Files mistaken for recordings, by their first bytes in hexadecimal, and what to do instead. */
const others: readonly [begin: RegExp, what: string][] = [
  [
    /^504b0304/,
    "is a zip archive, as .saz of Fiddler and .zip of Playwright are: export as HAR, or unpack it",
  ],
  [/^aced0005/, "is a session of Charles: export it as HAR"],
  [/^(3\d)+3a/, "is a dump of mitmproxy: mitmdump -nr FILE --set hardump=FILE.har makes it a HAR file"],
  [/^(d4c3b2a1|a1b2c3d4|0a0d0d0a)/, "is a capture of packets: record HTTP, as HAR"],
  [/^53514c697465/, "is a database: export its requests as HAR"],
  [/^3c/, "is a document of markup: export as HAR"],
];

/** The text of a file, decoded as its first bytes say. */
async function textsOf(file: string): Promise<AsyncIterable<string>> {
  const handle = await open(file);
  const head = Buffer.alloc(16);
  await handle.read(head, 0, head.length, 0);
  await handle.close();
  const begin = head.toString("hex");
  const other = others.find(([pattern]) => pattern.test(begin));
  if (other !== undefined) throw new BadRecording(other[1]);
  const bytes = createReadStream(file, { highWaterMark: chunkBytes });
  const unpack = /^1f8b/.test(begin)
    ? createGunzip({ chunkSize: chunkBytes })
    : /^78(01|5e|9c|da)/.test(begin)
      ? createInflate({ chunkSize: chunkBytes })
      : null;
  if (unpack !== null) bytes.on("error", (error) => unpack.destroy(error));
  return decodedTexts(unpack === null ? bytes : bytes.pipe(unpack));
}

/** Decodes chunks by their byte-order mark. NUL is not JSON: some writers pad their file with it. */
async function* decodedTexts(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(charsetOf(chunk));
    yield decoder.decode(chunk, { stream: true }).replaceAll("\0", "");
  }
}

const charsetOf = (chunk: Buffer): string =>
  chunk[0] === 0xff && chunk[1] === 0xfe
    ? "utf-16le"
    : chunk[0] === 0xfe && chunk[1] === 0xff
      ? "utf-16be"
      : "utf-8";
