import { expect, test } from "vitest";
import { AnswerReader } from "./answer-reader.ts";

/** The events of bytes that arrive in pieces of one length. */
function read(text: string, length: number): unknown[] {
  const seen: unknown[] = [];
  const reader = new AnswerReader({
    body: () => undefined,
    answer: (answer, reusable) => seen.push({ ...answer, reusable }),
  });
  const bytes = Buffer.from(text, "utf8");
  const buffer = Buffer.alloc(bytes.length);
  for (let at = 0; at < bytes.length; at += length) {
    // The buffer is used again, as that of a socket is.
    const size = bytes.copy(buffer, 0, at, at + length);
    const error = reader.read(buffer.subarray(0, size));
    if (error instanceof Error) seen.push(error.message);
  }
  return seen;
}

test.each([
  ["an answer", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"],
  ["a body in UTF-8", 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n"é"'],
  ["a header twice", "HTTP/1.1 429 Too Many Requests\r\nA: 1\r\nContent-Length: 0\r\na:2 \r\n\r\n"],
  ["colons and an empty value", "HTTP/1.1 200 OK\r\nL: http://a:1/\r\nE:\r\nContent-Length: 0\r\n\r\n"],
  ["no reason", "HTTP/1.1 503\r\nContent-Length: 0\r\n\r\n"],
  ["two lengths alike", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}"],
  ["two lengths apart", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"],
  ["a connection that stays", "HTTP/1.1 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n"],
  ["a connection that ends", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"],
  [
    "chunks with a length",
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  ["an old version", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"],
  ["bare line feeds", "HTTP/1.1 200 OK\nA: 1\nContent-Length: 0\n\n"],
  ["a folded header", "HTTP/1.1 200 OK\r\nA: 1\r\n b: 2\r\nContent-Length: 0\r\n\r\n"],
  ["a line without a colon", "HTTP/1.1 200 OK\r\nabc\r\nContent-Length: 0\r\n\r\n"],
  ["no content", "HTTP/1.1 204 No Content\r\nA: 1\r\n\r\n"],
  [
    "an interim answer",
    "HTTP/1.1 100 Continue\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
  ],
  ["a long head", `HTTP/1.1 200 OK\r\nA: ${"a".repeat(5_000)}\r\nContent-Length: 0\r\n\r\n`],
])("%s is read alike in one piece and byte by byte", (_, text) => {
  const inPieces = read(text, 1);
  expect(inPieces).not.toEqual([]);
  expect(read(text, text.length + 8)).toEqual(inPieces);
  expect(read(text, 16)).toEqual(inPieces);
});

test("an answer in one piece may follow one in several", () => {
  const one = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
  expect(read(`${one}${one}`, one.length)).toHaveLength(2);
  const padded = `HTTP/1.1 200 OK\r\nPadding: 12345678\r\nContent-Length: 2\r\n\r\n[]${one}`;
  expect(read(padded, padded.length - one.length)).toMatchObject([{ body: "[]" }, { body: "{}" }]);
});
