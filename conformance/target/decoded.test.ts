import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { decoded } from "./decoded.ts";

const body = Buffer.from('{"status": "success"}');

test("bodies are read whatever they are encoded in", () => {
  expect(decoded(gzipSync(body), "gzip")).toEqual(body);
  expect(decoded(deflateSync(body), "Deflate")).toEqual(body);
  expect(decoded(brotliCompressSync(gzipSync(body)), "gzip, br")).toEqual(body);
});

test("what is not encoded as it says is left as it came", () => {
  expect(decoded(body, undefined)).toEqual(body);
  expect(decoded(body, "identity")).toEqual(body);
  expect(decoded(body, "gzip")).toEqual(body);
});
