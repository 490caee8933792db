import { promisify } from "node:util";
import zlib from "node:zlib";
import type { Request, RequestHandler, Response } from "express";
import type { Admission, Holding } from "./admission.ts";
import { HttpError, Invalid } from "./errors.ts";
import { extentOf } from "../nesting.ts";
import { turn } from "./turn.ts";

/*
 * Bodies are read here rather than by express.json, which counts a body when it is whole. A body has to be counted from
 * its first byte, before the credential is known, and kept in one buffer: a piece of even one byte takes 250 more.
 */

/** The pieces in which a body may arrive: this many, and one for each so many bytes. */
const maxPieces = { count: 1_000, bytesEach: 64 };

/** Reads the bodies of requests. */
export interface Bodies {
  /** Begins to receive a body. Must directly follow the admission gate. */
  receive: RequestHandler;
  /** Waits for the whole body and parses it as JSON, whatever its Content-Type. */
  parse: RequestHandler;
}

/** @param limitBytes the longest body, with or without its content coding */
export function createBodies(admission: Admission, limitBytes: number): Bodies {
  const received = new WeakMap<Response, Promise<Buffer>>();
  return {
    receive(request, response, next) {
      const { "content-length": length, "transfer-encoding": transfer } = request.headers;
      if (Number(length) > limitBytes) return next(tooLarge(limitBytes));
      if (length !== undefined || transfer !== undefined) {
        const bytes = receive(request, response, admission.holding(response), limitBytes);
        // A request that is refused before its body is parsed needs none.
        bytes.catch(() => undefined);
        received.set(response, bytes);
      }
      next();
    },
    async parse(request, response, next) {
      const bytes = await received.get(response);
      if (bytes === undefined) return next();
      const { charset } = /;\s*charset="?(?<charset>[^\s";]*)/i.exec(typeOf(request))?.groups ?? {};
      if (charset !== undefined && !/^utf-?8$/i.test(charset))
        throw new HttpError(415, "The body must be JSON in UTF-8.");
      const plain = await decoded(bytes, request.headers["content-encoding"], limitBytes);
      if (plain !== bytes) admission.holding(response).add(plain.length);
      await turn();
      refuseUnbounded(plain);
      request.body = parsed(utf8.decode(plain));
      next();
    },
  };
}

const typeOf = (request: Request): string => request.headers["content-type"] ?? "";
/** Drops a byte order mark, and reads invalid bytes as U+FFFD. */
const utf8 = new TextDecoder();

const tooLarge = (limitBytes: number): HttpError =>
  new HttpError(413, `The body is larger than ${limitBytes} bytes.`);

/** Each piece costs the server time, so the connection ends with the refusal. */
function tooManyPieces(response: Response): HttpError {
  response.shouldKeepAlive = false;
  return new HttpError(400, "The body arrives in too many small chunks. Send chunks of 1 KiB or more.");
}

/** Collects a body. Once it is refused, it is released, and the rest is read and discarded. */
function receive(
  request: Request,
  response: Response,
  holding: Holding,
  limitBytes: number,
): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let body: Buffer = Buffer.alloc(0);
  let size = 0;
  let pieces = 0;
  const stop = (): void => {
    body = Buffer.alloc(0);
    request.off("data", take).off("end", end).off("close", leave).resume();
  };
  const makeRoom = (needed: number): void => {
    if (needed > limitBytes) throw tooLarge(limitBytes);
    const larger = Math.max(needed, Math.min(2 * body.length, limitBytes));
    holding.add(larger - body.length);
    const before = body;
    body = Buffer.allocUnsafe(larger);
    before.copy(body, 0, 0, size);
  };
  const take = (piece: Buffer): void => {
    if (response.writableEnded) return stop();
    try {
      pieces += 1;
      if (pieces > maxPieces.count + size / maxPieces.bytesEach) throw tooManyPieces(response);
      if (size + piece.length > body.length) makeRoom(size + piece.length);
      piece.copy(body, size);
      size += piece.length;
    } catch (refusal) {
      // Read on: Node would keep 64 KiB of what follows, and each byte of it may be an object of 250 bytes.
      stop();
      reject(refusal as HttpError);
    }
  };
  const end = (): void => {
    // A whole request is closed, too.
    request.off("close", leave);
    resolve(body.subarray(0, size));
  };
  const leave = (): void => {
    stop();
    reject(new HttpError(400, "The body is shorter than its Content-Length."));
  };
  request.on("data", take).on("end", end).on("close", leave);
  return promise;
}

const codings: Readonly<Record<string, (bytes: Buffer, options: object) => Promise<Buffer>>> = {
  gzip: promisify<Buffer, object, Buffer>(zlib.gunzip),
  deflate: promisify<Buffer, object, Buffer>(zlib.inflate),
  br: promisify<Buffer, object, Buffer>(zlib.brotliDecompress),
};

/** The body without its content coding. */
async function decoded(bytes: Buffer, coding = "identity", limitBytes: number): Promise<Buffer> {
  if (coding.toLowerCase() === "identity") return bytes;
  const decode = codings[coding.toLowerCase()];
  if (decode === undefined)
    throw new HttpError(415, "The body's Content-Encoding must be gzip, deflate, br or absent.");
  try {
    return await decode(bytes, { maxOutputLength: limitBytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(limitBytes);
    throw new HttpError(400, "The body cannot be decompressed as its Content-Encoding says.");
  }
}

/** The most nested levels of arrays and objects in a body. */
const maxLevels = 100;
/** The most values in a body: the validator checks all of them before it answers, and reports a fault for each. */
const maxValues = 10_000;

/** Refuses bodies that would be expensive to parse or to validate. */
function refuseUnbounded(text: Buffer): void {
  const { levels, values } = extentOf(text);
  if (levels > maxLevels) throw unbounded(`is nested more than ${maxLevels} levels deep`, "nesting");
  if (values > maxValues) throw unbounded(`holds more than ${maxValues} values`, "size");
}

const unbounded = (fault: string, type: string): Invalid =>
  new Invalid([{ loc: ["body"], msg: `the body ${fault}`, type }]);

/** The value of a JSON text; an empty object for an empty one. */
function parsed(text: string): unknown {
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    // The parser's message would quote the body, which may hold a secret.
    const position = /at position (\d+)/.exec((error as Error).message)?.[1];
    const where = position === undefined ? "" : `; at position ${position} it is not`;
    throw new Invalid([{ loc: ["body"], msg: `The body must be JSON${where}.`, type: "json_invalid" }]);
  }
}
