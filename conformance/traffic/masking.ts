import { decoded } from "../../base/address.ts";
import type { Exchange, Headers } from "../judge/exchange.ts";
import { KnownSecrets, masked } from "../judge/masked.ts";
import { Recent } from "../judge/recent.ts";

/** An exchange before its secrets are masked. */
export type Unmasked = Omit<Exchange, "account">;

/** Maximum number of secrets remembered by value. */
const maxSecrets = 1000;

/** Headers in which clients send keys, correctly or not. */
const keyHeaders = ["authorization", "proxy-authorization", "x-api-key", "api-key", "apikey", "x-auth-token"];
const cookieHeaders = ["cookie", "set-cookie"];
/** URL parameters in which clients mistakenly send keys. */
const keyParameters = /([?&](?:api[_-]?key|apikey|access_token|auth_token|token|key)=)([^&#«]+)/gi;
/** JSON fields that contain secrets, at any depth. */
const secretFields = /("(api_key|claim_code|token|access_token)"\s*:\s*")((?:[^"\\]|\\.)*)(")/g;
/** Mailed codes: six digits, which must not be masked by value, since that would corrupt numbers. */
const mailedCode = /("code"\s*:\s*")(\d{6})(")/g;

/**
 * Masks the secrets of recorded traffic: first by their location, and from then on by value. The same secret always has
 * the same label, such as `«key 3»`; the label of its key identifies a sender.
 */
export class Masking {
  readonly #labels = new Recent<string, string>(maxSecrets);
  #count = 0;
  #known: KnownSecrets | null = null;

  /** The exchange without secrets, with its sender. */
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

  /** The secret that a label stands for; undefined for an unknown label. */
  secretOf(label: string): string | undefined {
    return [...this.#labels.entries()].find(([, known]) => known === label)?.[0];
  }

  #learn(secret: string, kind: string): string {
    const known = this.#labels.get(secret);
    if (known !== undefined) return known;
    const label = `«${kind} ${(this.#count += 1)}»`;
    this.#labels.set(secret, label);
    this.#known = null;
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
    this.#known ??= new KnownSecrets(
      [...this.#labels.entries()].flatMap(([secret]) => (secret.length < 12 ? [] : [secret])),
    );
    return masked(text, this.#known.find, (secret) => this.#learn(secret, "key"));
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

/** The credential in a request header. */
function keyOf(headers: Headers): string | null {
  for (const name of keyHeaders) {
    const secret = /^(?:\S+\s+)?(.*)$/s.exec(headers[name] ?? "")![1]!;
    if (secret !== "" && secret !== undefined) return secret;
  }
  return null;
}

/** The value of a JSON string; the text itself when it is not one. */
function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}
