import type { Exchange, Headers } from "../judge/exchange.ts";
import { masked, patternOf } from "../judge/masked.ts";
import { Recent } from "../judge/recent.ts";

/** What an exchange holds before its secrets are masked. */
export type Unmasked = Omit<Exchange, "account">;

/** Secrets that are remembered by their value at the same time. */
const mostSecrets = 1000;

/** Headers in which clients send keys, rightly or not. */
const keyHeaders = ["authorization", "proxy-authorization", "x-api-key", "api-key", "apikey", "x-auth-token"];
const cookieHeaders = ["cookie", "set-cookie"];
/** Parameters of an address in which clients send keys, wrongly. */
const keyParameters = /([?&](?:api[_-]?key|apikey|access_token|auth_token|token|key)=)([^&#«]+)/gi;
/** JSON fields that hold secrets, wherever they stand. */
const secretFields = /("(api_key|claim_code|token|access_token)"\s*:\s*")((?:[^"\\]|\\.)*)(")/g;
/** Mailed codes: six digits, which must not be masked by value or they would break numbers. */
const mailedCode = /("code"\s*:\s*")(\d{6})(")/g;

/**
 * Masks the secrets of traffic that others made: by the place where they stand, and from then on by their value. The
 * same secret always has the same label, such as `«key 3»`; who sends a key is known by its label.
 */
export class Masking {
  readonly #labels = new Recent<string, string>(mostSecrets);
  #count = 0;
  #pattern: RegExp | null = null;

  /** The exchange without a secret, and with its sender. */
  mask(exchange: Unmasked): Exchange {
    const { request, response } = exchange;
    const sender = keyOf(request.headers);
    const account = sender === null ? null : this.#learn(sender, "key");
    const url = request.url.replaceAll(keyParameters, (_, name: string, value: string) => {
      return name + this.#learn(decoded(value), "key");
    });
    const sent = request.body === null ? null : this.#inFields(request.body);
    const received = response && { ...response, body: this.#inFields(response.body) };
    return {
      ...exchange,
      account,
      request: {
        method: request.method,
        url: this.#byValue(url),
        headers: this.#headers(request.headers),
        body: sent === null ? null : this.#byValue(sent),
      },
      response: received && {
        status: received.status,
        headers: this.#headers(received.headers),
        body: this.#byValue(received.body),
      },
    };
  }

  #learn(secret: string, kind: string): string {
    const known = this.#labels.get(secret);
    if (known !== undefined) return known;
    const label = `«${kind} ${(this.#count += 1)}»`;
    this.#labels.set(secret, label);
    this.#pattern = null;
    return label;
  }

  #inFields(text: string): string {
    return text
      .replaceAll(secretFields, (all, before: string, name: string, value: string, after: string) => {
        if (value === "" || value.startsWith("«")) return all;
        return before + this.#learn(unescaped(value), name === "claim_code" ? "claim code" : "key") + after;
      })
      .replaceAll(mailedCode, "$1«mailed code»$3");
  }

  #byValue(text: string): string {
    this.#pattern ??= patternOf(
      [...this.#labels.entries()].flatMap(([secret]) => (secret.length < 12 ? [] : [secret])),
    );
    return masked(text, this.#pattern, (secret) => this.#learn(secret, "key"));
  }

  #headers(headers: Headers): Headers {
    const masked: Headers = {};
    for (const [name, value] of Object.entries(headers)) {
      if (cookieHeaders.includes(name)) masked[name] = "«cookie»";
      else if (keyHeaders.includes(name)) {
        const [, scheme = "", secret = ""] = /^(\S+\s+)?(.*)$/s.exec(value)!;
        masked[name] = secret === "" ? value : scheme + this.#learn(secret, "key");
      } else masked[name] = this.#byValue(value);
    }
    return masked;
  }
}

/** The credential that a request carries in a header. */
function keyOf(headers: Headers): string | null {
  for (const name of keyHeaders) {
    const secret = /^(?:\S+\s+)?(.*)$/s.exec(headers[name] ?? "")![1]!;
    if (secret !== "" && secret !== undefined) return secret;
  }
  return null;
}

/** What a JSON string holds; the text itself where it is none. */
function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
