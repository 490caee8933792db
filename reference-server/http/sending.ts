import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";

/** Limits on how long, and with how many bytes, the server waits for readers of its answers. */
export interface SendingLimits {
  /** Seconds that an answer may wait for its reader, in addition to those that its bytes take at the minimum rate. */
  patienceSeconds: number;
  bytesPerSecond: number;
  /** Total bytes of waiting answers. Beyond it, the reader that has waited longest is cut off. */
  mostBytes: number;
  /** Interval between checks, in ms. */
  tickMs: number;
}

export const sendingLimits: SendingLimits = {
  patienceSeconds: 30,
  bytesPerSecond: 8_192,
  mostBytes: 67_108_864,
  tickMs: 1_000,
};

/** Sends the bodies of answers. */
export interface Sending {
  /** Sends a complete text. */
  text(response: ServerResponse, text: string): Promise<void>;
  /**
   * Sends parts as they are produced, each after the one before was taken. Rejects if the reader leaves or is cut off.
   */
  parts(response: ServerResponse, parts: AsyncIterable<string>): Promise<void>;
}

/** An answer that is being sent. */
interface Sent {
  /** Bytes handed to the connection. */
  given: number;
  /** Bytes of the text not yet handed over. */
  ahead: number;
  /**
   * Seconds that the reader has kept the server waiting. Counted in ticks, so that no reader is late while the process
   * is stopped.
   */
  waited: number;
}

/** A larger text is handed over in pieces, so that the reader's progress is visible. */
const pieceCharacters = 65_536;

/**
 * The length of a text in bytes, and the encoding to send it with: the same bytes for ASCII, but V8 copies characters
 * of one byte several times faster than it encodes them.
 */
function encoded(text: string): { bytes: number; encoding: "latin1" | "utf8" } {
  const bytes = Buffer.byteLength(text);
  return { bytes, encoding: bytes === text.length ? "latin1" : "utf8" };
}

/** Follows answers until they are read, and cuts off readers that are too slow. */
interface Watch {
  follow(response: ServerResponse, sent: Sent): void;
  leave(response: ServerResponse): void;
}

function createWatch(limits: SendingLimits): Watch {
  const under = new Map<ServerResponse, Sent>();
  let ticking: NodeJS.Timeout | undefined;

  const unsent = (response: ServerResponse, { ahead }: Sent): number => ahead + response.writableLength;
  const isLate = (response: ServerResponse, { given, waited }: Sent): boolean =>
    waited > limits.patienceSeconds + Math.max(0, given - response.writableLength) / limits.bytesPerSecond;

  function tick(): void {
    let bytes = 0;
    for (const [response, sent] of under) {
      if (response.writableLength > 0) sent.waited += limits.tickMs / 1000;
      bytes += unsent(response, sent);
      if (isLate(response, sent)) response.destroy();
    }
    const slowestFirst = [...under].sort(([, one], [, other]) => other.waited - one.waited);
    for (const [response, sent] of slowestFirst) {
      if (bytes <= limits.mostBytes || sent.waited === 0) break;
      bytes -= unsent(response, sent);
      response.destroy();
    }
  }

  return {
    follow(response, sent) {
      under.set(response, sent);
      ticking ??= setInterval(tick, limits.tickMs).unref();
    },
    leave(response) {
      under.delete(response);
      if (under.size > 0) return;
      clearInterval(ticking);
      ticking = undefined;
    },
  };
}

/** @param limits stricter limits for tests */
export function createSending(limits: SendingLimits = sendingLimits): Sending {
  const watch = createWatch(limits);

  async function stream(response: ServerResponse, sent: Sent, pieces: AsyncIterable<Buffer>): Promise<void> {
    const counted = async function* () {
      for await (const piece of pieces) {
        sent.given += piece.length;
        sent.ahead = Math.max(0, sent.ahead - piece.length);
        yield piece;
      }
    };
    watch.follow(response, sent);
    try {
      await pipeline(counted, response);
    } finally {
      watch.leave(response);
    }
  }

  return {
    async text(response, text) {
      const { bytes, encoding } = encoded(text);
      response.setHeader("Content-Length", bytes);
      if (text.length > pieceCharacters)
        return stream(response, { given: 0, ahead: bytes, waited: 0 }, piecesOf([text]));
      watch.follow(response, { given: bytes, ahead: 0, waited: 0 });
      response.on("close", () => watch.leave(response));
      response.end(text, encoding);
    },
    parts: (response, parts) => stream(response, { given: 0, ahead: 0, waited: 0 }, piecesOf(parts)),
  };
}

async function* piecesOf(texts: Iterable<string> | AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const text of texts) {
    for (let at = 0; at < text.length;) {
      let end = Math.min(text.length, at + pieceCharacters);
      // A split must not separate a surrogate pair.
      if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
      const piece = text.slice(at, end);
      yield Buffer.from(piece, encoded(piece).encoding);
      at = end;
    }
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
