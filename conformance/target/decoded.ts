import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/**
 * A body as it was before its Content-Encoding: a client that names none accepts any (RFC 9110, 12.5.3). Where the
 * encoding is not known, or the bytes do not keep it, they are answered as they came.
 * @param encoding the header's value
 */
export function decoded(bytes: Buffer, encoding: string | undefined): Buffer {
  let result = bytes;
  for (const name of (encoding ?? "").toLowerCase().split(",").reverse()) {
    const decode = decoders[name.trim()];
    if (decode === undefined) continue;
    try {
      result = decode(result);
    } catch {
      return bytes;
    }
  }
  return result;
}
