import { getManyValues, isMany, none } from "stream-chain/defs.js";
import { jsonParser, type Token } from "stream-json/parser.js";
import { WrongUse } from "../../base/exit.ts";

/** What is wrong with a recording's JSON, as the end of a sentence that begins with the recording's name. */
export class BadRecording extends WrongUse {
  /** It is JSON of another kind. */
  readonly isOtherJson: boolean;

  constructor(message: string, isOtherJson = false) {
    super(message);
    this.isOtherJson = isOtherJson;
  }
}

/** A member of `log.entries`; `cut` when some of its texts were truncated. */
export interface Entry {
  value: Record<string, unknown>;
  cut: boolean;
}

/** Maximum nesting depth of an entry; those of a HAR file have about six levels. */
const deepest = 64;

/**
 * Reads the members of `log.entries` of a HAR file one by one. Holds one entry at a time, no text longer than `longest`
 * characters and no more than four times that in total.
 * @throws BadRecording when the text is not JSON, is incomplete, or has no `log.entries`
 */
export async function* entriesOf(texts: AsyncIterable<string>, longest: number): AsyncGenerator<Entry> {
  const parse = jsonParser({ packValues: false, streamValues: true });
  const collector = new Collector(longest);
  const take = function* (text: string | typeof none): Generator<Entry> {
    let output: unknown;
    try {
      output = parse(text as string);
    } catch (error) {
      const count = collector.count === 0 ? "" : ` after ${collector.count} entries`;
      if (text === none && collector.depth > 0) {
        throw new BadRecording(`ends in the middle${count}: it was cut off when it was written or copied`);
      }
      throw new BadRecording(`is not valid JSON${count} (${(error as Error).message})`);
    }
    const tokens: Token[] = isMany(output)
      ? (getManyValues(output) as Token[])
      : output === none || output === undefined || output === null
        ? []
        : [output as Token];
    for (const token of tokens) {
      const entry = collector.take(token);
      if (entry !== null) yield entry;
    }
  };
  let empty = true;
  for await (const text of texts) {
    if (empty && text.trim() === "") continue;
    yield* take(empty ? text.replace(/^\uFEFF/, "") : text);
    empty = false;
  }
  if (empty) throw new BadRecording("is empty");
  yield* take(none);
  if (collector.depth > 0) {
    throw new BadRecording(
      `ends in the middle after ${collector.count} entries: it was cut off when it was written or copied`,
    );
  }
  if (!collector.found) throw new BadRecording("is JSON, but not a HAR file: it has no log.entries", true);
}

/** Assembles tokens into entries and discards everything else. */
class Collector {
  count = 0;
  found = false;
  readonly #longest: number;
  /** The parser's position outside of entries: the name of each open container. */
  readonly #path: string[] = [];
  /** The open containers of the current entry, outermost first. */
  readonly #open: { value: Record<string, unknown> | unknown[]; key: string }[] = [];
  #key = "";
  #text = "";
  #size = 0;
  #cut = false;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The containers that are still open. */
  get depth(): number {
    return this.#path.length + this.#open.length;
  }

  take(token: Token): Entry | null {
    switch (token.name) {
      case "startObject":
        return this.#begin({});
      case "startArray":
        return this.#begin([]);
      case "endObject":
      case "endArray":
        return this.#end();
      case "startKey":
      case "startString":
      case "startNumber":
        this.#text = "";
        return null;
      case "stringChunk":
      case "numberChunk":
        return this.#append(token.value);
      case "endKey":
        this.#key = this.#text;
        return null;
      case "endString":
        return this.#put(this.#text);
      case "endNumber":
        return this.#put(Number(this.#text));
      case "nullValue":
      case "trueValue":
      case "falseValue":
        return this.#put(token.value);
      default:
        return null;
    }
  }

  #append(chunk: string): null {
    const fits = this.#text.length < this.#longest && this.#size < 4 * this.#longest;
    if (fits) this.#text += chunk;
    else this.#cut = true;
    if (this.#open.length > 0) this.#size += chunk.length;
    return null;
  }

  #begin(value: Record<string, unknown> | unknown[]): null {
    if (this.depth >= deepest) throw new BadRecording(`nests more than ${deepest} levels deep`);
    const atEntry = this.#path.join(".") === ".log.entries" && this.found && !Array.isArray(value);
    if (this.#open.length > 0 || atEntry) {
      if (this.#open.length === 0) {
        this.#size = 0;
        this.#cut = false;
      }
      this.#open.push({ value, key: this.#key });
    } else {
      this.#path.push(this.#key);
      this.found ||= this.#path.join(".") === ".log.entries" && Array.isArray(value);
    }
    this.#key = "";
    return null;
  }

  #end(): Entry | null {
    const closed = this.#open.pop();
    if (closed === undefined) {
      this.#path.pop();
      return null;
    }
    if (this.#open.length > 0) {
      this.#key = closed.key;
      return this.#put(closed.value);
    }
    this.count += 1;
    return { value: closed.value as Record<string, unknown>, cut: this.#cut };
  }

  #put(value: unknown): null {
    const container = this.#open.at(-1)?.value;
    if (Array.isArray(container)) container.push(value);
    else if (container !== undefined) {
      // Names such as __proto__ must become ordinary fields.
      Object.defineProperty(container, this.#key, { value, enumerable: true, configurable: true });
    }
    return null;
  }
}
