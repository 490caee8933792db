import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";

/** How long the server waits for readers of its answers. */
export interface SendingLimits {
  /** Seconds that an answer may wait for its reader, in addition to the time of its bytes at the minimum rate. */
  patienceSeconds: number;
  bytesPerSecond: number;
  /** Interval between checks, in ms. */
  tickMs: number;
}

export const sendingLimits: SendingLimits = {
  patienceSeconds: 30,
  bytesPerSecond: 8_192,
  tickMs: 1_000,
};

/** Sends the bodies of answers. */
export interface Sending {
  /** Sends a complete text. */
  text(response: ServerResponse, text: EncodedText): Promise<void>;
  /**
   * Sends parts as they are produced, each after the one before was taken. Rejects if the reader leaves or is cut off.
   */
  parts(response: ServerResponse, parts: AsyncIterable<EncodedText>): Promise<void>;
}

/** A text with its length in bytes. */
export interface EncodedText {
  text: string;
  bytes: number;
}

export const encodedText = (text: string): EncodedText => ({ text, bytes: Buffer.byteLength(text) });

/** An answer that is being sent. */
interface Sent {
  /** Bytes handed to the connection. */
  given: number;
  /**
   * Seconds that the reader has kept the server waiting. Counted in ticks, so that no reader is late while the process
   * is stopped.
   */
  waited: number;
}

/** A larger text is handed over in pieces, so that the reader's progress is visible. */
const pieceCharacters = 65_536;

/** The same bytes for ASCII, but V8 copies characters of one byte several times faster than it encodes them. */
const encodingOf = ({ text, bytes }: EncodedText): "latin1" | "utf8" =>
  bytes === text.length ? "latin1" : "utf8";

/** Follows answers until they are read, and cuts off readers that are too slow. */
interface Watch {
  follow(response: ServerResponse, sent: Sent): void;
  leave(response: ServerResponse): void;
}

function createWatch(limits: SendingLimits): Watch {
  const under = new Map<ServerResponse, Sent>();
  let ticking: NodeJS.Timeout | undefined;

  const isLate = (response: ServerResponse, { given, waited }: Sent): boolean =>
    waited > limits.patienceSeconds + Math.max(0, given - response.writableLength) / limits.bytesPerSecond;

  function tick(): void {
    for (const [response, sent] of under) {
      if (response.writableLength > 0) sent.waited += limits.tickMs / 1000;
      if (isLate(response, sent)) response.destroy();
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

  async function stream(response: ServerResponse, pieces: AsyncIterable<Buffer>): Promise<void> {
    const sent: Sent = { given: 0, waited: 0 };
    const counted = async function* () {
      for await (const piece of pieces) {
        sent.given += piece.length;
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
    async text(response, whole) {
      const { text, bytes } = whole;
      response.setHeader("Content-Length", bytes);
      if (text.length > pieceCharacters) return stream(response, piecesOf([whole]));
      watch.follow(response, { given: bytes, waited: 0 });
      response.on("close", () => watch.leave(response));
      response.end(text, encodingOf(whole));
    },
    parts: (response, parts) => stream(response, piecesOf(parts)),
  };
}

async function* piecesOf(texts: Iterable<EncodedText> | AsyncIterable<EncodedText>): AsyncGenerator<Buffer> {
  for await (const whole of texts) {
    const { text } = whole;
    const encoding = encodingOf(whole);
    for (let at = 0; at < text.length;) {
      let end = Math.min(text.length, at + pieceCharacters);
      // A split must not separate a surrogate pair.
      if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
      yield Buffer.from(text.slice(at, end), encoding);
      at = end;
    }
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
