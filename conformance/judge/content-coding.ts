import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from "node:zlib";

/** The most that a body may unfold to, in bytes. */
const mostUnfolded = 16 * 1024 * 1024;

/** Codings that are undone, one after another. */
const mostCodings = 3;

/** How bodies of each content coding begin, where that can be told. */
const magic: Readonly<Record<string, readonly number[]>> = {
  gzip: [0x1f, 0x8b],
  zstd: [0x28, 0xb5, 0x2f, 0xfd],
};

const unfolders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gunzipSync(bytes, { maxOutputLength: mostUnfolded }),
  zstd: (bytes) => zstdDecompressSync(bytes, { maxOutputLength: mostUnfolded }),
  br: (bytes) => brotliDecompressSync(bytes, { maxOutputLength: mostUnfolded }),
  // Some servers leave out the frame that HTTP asks for.
  deflate: (bytes) =>
    ((bytes[0]! & 0x0f) === 8 ? inflateSync : inflateRawSync)(bytes, { maxOutputLength: mostUnfolded }),
};

/**
 * A body without its content codings: a client that names none accepts any (RFC 9110, 12.5.3). One that is there without
 * them already, whatever its header says, is left as it is.
 * @param encoding the value of `Content-Encoding`, several of them in the order in which they were applied
 * @throws Error when it cannot be unfolded; `TooLarge` when it unfolds to too much
 */
export function unfolded(bytes: Buffer, encoding: string | undefined): Buffer {
  const codings = (encoding ?? "identity").split(",").map((name) => name.trim().toLowerCase());
  if (codings.length > mostCodings) throw new TooLarge(`more than ${mostCodings} content codings`);
  try {
    return codings.reduceRight((body, coding) => unfoldedOnce(body, coding.replace(/^x-/, "")), bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_BUFFER_TOO_LARGE") throw error;
    throw new TooLarge(`more than ${mostUnfolded >> 20} MiB without its content coding`);
  }
}

/** A body that would fill the memory of whoever unfolds it. The message completes "the body is …". */
export class TooLarge extends Error {}

function unfoldedOnce(bytes: Buffer, coding: string): Buffer {
  const found = Object.entries(magic).find(([, begin]) =>
    begin.every((byte, index) => bytes[index] === byte),
  );
  if (found !== undefined) return unfolders[found[0]]!(bytes);
  if (bytes.length === 0 || coding === "identity" || coding in magic) return bytes;
  try {
    const unfold = unfolders[coding];
    if (unfold === undefined) throw new Error(`the content coding ${coding} is not known`);
    return unfold(bytes);
  } catch (error) {
    if (/^\s*[[{"]/.test(bytes.toString("latin1", 0, 16))) return bytes;
    throw error;
  }
}
