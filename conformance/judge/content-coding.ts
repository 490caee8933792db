import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from "node:zlib";

/** The maximum decoded size of a body, in bytes. */
const maxUnfolded = 16 * 1024 * 1024;

/** The maximum number of codings that are undone in sequence. */
const maxCodings = 3;

/** How a body of each content coding begins, where it has a signature. */
const magic: Readonly<Record<string, readonly number[]>> = {
  gzip: [0x1f, 0x8b],
  zstd: [0x28, 0xb5, 0x2f, 0xfd],
};

const unfolders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gunzipSync(bytes, { maxOutputLength: maxUnfolded }),
  zstd: (bytes) => zstdDecompressSync(bytes, { maxOutputLength: maxUnfolded }),
  br: (bytes) => brotliDecompressSync(bytes, { maxOutputLength: maxUnfolded }),
  // Some servers omit the zlib wrapper that HTTP requires.
  deflate: (bytes) =>
    ((bytes[0]! & 0x0f) === 8 ? inflateSync : inflateRawSync)(bytes, { maxOutputLength: maxUnfolded }),
};

/**
 * Removes the content codings of a body: a client that names none accepts any (RFC 9110, 12.5.3). A body that is not
 * encoded, whatever its header says, is returned unchanged.
 * @param encoding the value of `Content-Encoding`: codings in the order in which they were applied
 * @throws Error when it cannot be decoded; `TooLarge` when the result is too large
 */
export function unfolded(bytes: Buffer, encoding: string | undefined): Buffer {
  const codings = (encoding ?? "identity").split(",").map((name) => name.trim().toLowerCase());
  if (codings.length > maxCodings) throw new TooLarge(`more than ${maxCodings} content codings`);
  try {
    return codings.reduceRight((body, coding) => unfoldedOnce(body, coding.replace(/^x-/, "")), bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_BUFFER_TOO_LARGE") throw error;
    throw new TooLarge(`more than ${maxUnfolded >> 20} MiB without its content coding`);
  }
}

/** A body whose decoded size would exhaust memory. The message completes "the body is …". */
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
