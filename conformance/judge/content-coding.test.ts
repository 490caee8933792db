import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { TooLarge, unfolded } from "./content-coding.ts";

const body = Buffer.from('{"status": "success"}');

test("bodies are read whatever they are encoded in", () => {
  expect(unfolded(gzipSync(body), "x-gzip")).toEqual(body);
  expect(unfolded(deflateSync(body), "Deflate")).toEqual(body);
  expect(unfolded(deflateRawSync(body), "deflate")).toEqual(body);
  expect(unfolded(brotliCompressSync(gzipSync(body)), "gzip, br")).toEqual(body);
});

test("a body that is not encoded as its header says is left unchanged", () => {
  expect(unfolded(body, undefined)).toEqual(body);
  expect(unfolded(body, "identity")).toEqual(body);
  expect(unfolded(body, "gzip")).toEqual(body);
});

test("a body that cannot be decoded, or is too large once decoded, is refused", () => {
  expect(() => unfolded(Buffer.from([31, 157, 144]), "compress")).toThrow(/compress is not known/);
  expect(() => unfolded(gzipSync(Buffer.alloc(17 * 1024 * 1024)), "gzip")).toThrow(TooLarge);
});
