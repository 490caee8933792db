import { isObject } from "../../base/data.ts";
import { parsedOnce, type Exchange, type Headers } from "./exchange.ts";
import { Blocked } from "./verdict.ts";

/** A server's answer to one request of a check, unmasked, with its recorded exchange. */
export class Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as received. */
  readonly text: string;
  readonly exchange: Exchange;
  readonly #json: () => unknown;

  /** @param json the text as JSON, if something else needs it too */
  constructor(
    status: number,
    headers: Headers,
    text: string,
    exchange: Exchange,
    json: () => unknown = parsedOnce(text),
  ) {
    this.status = status;
    this.headers = headers;
    this.text = text;
    this.exchange = exchange;
    this.#json = json;
  }

  /** The body as JSON; undefined when it is not JSON. */
  get body(): unknown {
    return this.#json();
  }

  /** What the body says, for a search: a server may escape any letter of its JSON. */
  get said(): string {
    return JSON.stringify(this.body) ?? this.text;
  }

  /** The value at a dotted path of the body, such as `data.items.0.id`. */
  at(path: string): Located {
    return new Located(this.body, "", this.exchange).at(path);
  }

  /** A response header, by name in any case; undefined when absent. */
  header(name: string): Located {
    return new Located(this.headers[name.toLowerCase()], `header ${name}`, this.exchange, name);
  }
}

/** A value with its path, so that a failure can name both and show the exchange. */
export class Located {
  readonly value: unknown;
  readonly path: string;
  readonly exchange: Exchange;
  readonly #header: string | undefined;

  /** @param header the name of the header whose value it is */
  constructor(value: unknown, path: string, exchange: Exchange, header?: string) {
    this.value = value;
    this.path = path;
    this.exchange = exchange;
    this.#header = header;
  }

  get isHeader(): boolean {
    return this.#header !== undefined;
  }

  /** The name of the header, or the path of the member; empty for the whole body. */
  get name(): string {
    return this.#header ?? this.path;
  }

  /** The value at a dotted path below this one; its `value` is undefined when there is none. */
  at(path: string): Located {
    let value: unknown = this.value;
    for (const step of path === "" ? [] : path.split(".")) {
      value =
        typeof value === "object" && value !== null && Object.hasOwn(value, step)
          ? (value as Record<string, unknown>)[step]
          : undefined;
    }
    return new Located(value, [this.path, path].filter(Boolean).join("."), this.exchange);
  }

  /** The members of a list. @throws Blocked when the value is not a list */
  get items(): Located[] {
    if (!Array.isArray(this.value)) throw this.#unusable("a list");
    return this.value.map((member, index) => new Located(member, `${this.path}.${index}`, this.exchange));
  }

  /** The value as an object. @throws Blocked when it is not one */
  get fields(): Record<string, unknown> {
    if (!isObject(this.value)) throw this.#unusable("an object");
    return this.value;
  }

  /** The value as a string. @throws Blocked when it is not one */
  get string(): string {
    if (typeof this.value !== "string") throw this.#unusable("a string");
    return this.value;
  }

  /** The value as a number. @throws Blocked when it is not one */
  get number(): number {
    if (typeof this.value !== "number") throw this.#unusable("a number");
    return this.value;
  }

  /** Whether a value is present; null counts as absent. */
  get present(): boolean {
    return this.value !== undefined && this.value !== null;
  }

  #unusable(wanted: string): Blocked {
    return new Blocked(`${this.path || "the body"} should be ${wanted} to go on`, this.exchange);
  }
}
