import httpParser from "http-parser-js";
import type { Answer, Headers } from "./request.ts";

/** The events of one connection: answers, one after another. */
export interface ReaderEvents {
  /** Some of an answer's body has arrived. */
  body: (bytes: number) => void;
  /** An answer is complete. `reusable`: another one may follow over the same connection. */
  answer: (answer: Answer, reusable: boolean) => void;
}

interface Head {
  statusCode: number;
  headers: string[];
  shouldKeepAlive: boolean;
}
/** The part of http-parser-js that is used here; its own types are of another version. */
interface Parser {
  /** @returns an Error if the bytes are not HTTP */
  execute(bytes: Buffer): unknown;
  finish(): unknown;
  [event: number]: (...args: never[]) => void;
}
type Event = "kOnHeadersComplete" | "kOnBody" | "kOnMessageComplete";
const { HTTPParser } = httpParser as unknown as {
  HTTPParser: (new (type: string) => Parser) & Record<Event, number> & { RESPONSE: string };
};

/** Reads the answers of one connection. */
export class AnswerReader {
  readonly #events: ReaderEvents;
  #parser: Parser | null = null;
  /** The parser is at the beginning of an answer. */
  #isBetween = true;
  #head: Head | null = null;
  #chunks: Buffer[] = [];

  constructor(events: ReaderEvents) {
    this.#events = events;
  }

  /** Whether an answer's head has arrived and its body has not ended. */
  get isWithin(): boolean {
    return this.#head !== null;
  }

  /**
   * Reads what arrived.
   * @param bytes may be overwritten afterwards
   * @returns an Error if they are not HTTP
   */
  read(bytes: Buffer): unknown {
    const whole = this.#isBetween ? wholeAnswer(bytes) : null;
    if (whole !== null) {
      this.#events.body(whole.bodyBytes);
      this.#events.answer(whole.answer, true);
      return undefined;
    }
    this.#isBetween = false;
    return (this.#parser ??= this.#newParser()).execute(bytes);
  }

  /** The connection has ended, and with it a body without a length. */
  end(): void {
    if (this.isWithin) this.#parser?.finish();
  }

  #newParser(): Parser {
    const parser = new HTTPParser(HTTPParser.RESPONSE);
    parser[HTTPParser.kOnHeadersComplete] = (head: Head) => {
      this.#head = head;
    };
    parser[HTTPParser.kOnBody] = (chunk: Buffer, offset: number, length: number) => {
      this.#chunks.push(Buffer.from(chunk.subarray(offset, offset + length)));
      this.#events.body(length);
    };
    parser[HTTPParser.kOnMessageComplete] = () => this.#complete();
    return parser;
  }

  #complete(): void {
    const [head, chunks] = [this.#head, this.#chunks];
    this.#head = null;
    // An interim answer, such as 103.
    if (head === null || head.statusCode < 200) return;
    this.#chunks = [];
    this.#isBetween = true;
    const answer = {
      status: head.statusCode,
      headers: headersOf(head.headers),
      body: Buffer.concat(chunks).toString("utf8"),
    };
    this.#events.answer(answer, head.shouldKeepAlive);
  }
}

/** A longer head is left to the parser, and so are headers that say how the answer is framed. */
const maxHeadBytes = 4096;
const framing: ReadonlySet<string> = new Set(["transfer-encoding", "connection", "upgrade"]);

/**
 * An answer that arrived in one piece and states its length, as most do: looking for its line ends costs a third of
 * what the parser costs. Null: the parser has to read it.
 */
function wholeAnswer(bytes: Buffer): { answer: Answer; bodyBytes: number } | null {
  const text = bytes.toString("latin1", 0, Math.min(bytes.length, maxHeadBytes));
  const headEnd = text.indexOf("\r\n\r\n");
  const status = Number(text.slice(9, 12));
  if (headEnd < 0 || !text.startsWith("HTTP/1.1 ") || !(status >= 200 && status < 600)) return null;
  const headers: Headers = {};
  for (let at = text.indexOf("\n") + 1; at < headEnd;) {
    const [colon, end] = [text.indexOf(":", at), text.indexOf("\n", at)];
    const name = nameOf(text.slice(at, colon));
    if (colon > end || name === null || text[end - 1] !== "\r") return null;
    if (
      framing.has(name) &&
      text
        .slice(colon + 1, end)
        .trim()
        .toLowerCase() !== "keep-alive"
    )
      return null;
    add(headers, name, text.slice(colon + 1, end).trim());
    at = end + 1;
  }
  const bodyBytes = bytes.length - headEnd - 4;
  if (headers["content-length"] !== String(bodyBytes)) return null;
  return { answer: { status, headers, body: bytes.toString("utf8", headEnd + 4) }, bodyBytes };
}

function headersOf(raw: readonly string[]): Headers {
  const headers: Headers = {};
  for (let at = 0; at < raw.length; at += 2)
    add(headers, nameOf(raw[at]!) ?? raw[at]!.toLowerCase(), raw[at + 1]!);
  return headers;
}

function add(headers: Headers, name: string, value: string): void {
  const before = headers[name];
  headers[name] = before === undefined ? value : `${before}, ${value}`;
}

/** Received header names in lower case; a server uses few. */
const lowered = new Map<string, string>();
const maxNames = 1000;

/** A header's name in lower case; null if it is not valid. */
function nameOf(given: string): string | null {
  const known = lowered.get(given);
  if (known !== undefined) return known;
  if (!/^[!-9;-~]+$/.test(given)) return null;
  const name = given.toLowerCase();
  if (lowered.size < maxNames) lowered.set(given, name);
  return name;
}
