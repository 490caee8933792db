import type { Headers } from "../judge/exchange.ts";
import { codedForms, KnownSecrets, masked } from "../judge/masked.ts";
import type { Profile } from "./profile.ts";

/**
 * The secrets that a run has used or received. Records show a label in place of each, such as `«key 3»`; the same
 * secret always has the same label.
 */
export class Secrets {
  /** The `Authorization` of each trial that was registered, as records show it. */
  readonly trials = new Set<string>();
  readonly #labels = new Map<string, string>();
  #learned = 0;
  readonly #known = new KnownSecrets();

  /** Learns a secret and returns its label. */
  learn(secret: string, kind: string): string {
    const known = this.#labels.get(secret);
    if (known !== undefined) return known;
    const label = `«${kind} ${this.#learned + 1}»`;
    if (secret === "") return label;
    this.#learned += 1;
    for (const form of [secret, ...codedForms(secret)]) {
      this.#labels.set(form, label);
      this.#known.add(form);
    }
    return label;
  }

  /**
   * Learns every credential of a profile, including those that no check sends: a server might reveal one by mistake. A
   * credential that is not simply an account's key is labelled with its name in the profile.
   */
  learnFromProfile({ credentials: { pool, delegation, ...named } }: Profile): void {
    const all = [...Object.entries(named), ...pool.map((key) => ["pool", key] as const)];
    for (const [name, key] of [...all, ["delegation", delegation?.token] as const]) {
      if (key !== undefined) this.learn(key, /account|every_kind|pool/.test(name) ? "key" : name);
    }
  }

  /** Learns what an anonymous registration issues: the key and the claim code, anywhere in the body. */
  learnFrom(body: unknown): void {
    if (typeof body !== "object" || body === null) return;
    for (const [name, value] of Object.entries(body)) {
      if (name === "api_key" && typeof value === "string") {
        this.learn(value, "key");
        this.trials.add(this.mask(`Bearer ${value}`));
      } else if (name === "claim_code" && typeof value === "string") this.learn(value, "claim code");
      else this.learnFrom(value);
    }
  }

  /** The text with every known secret replaced by its label. */
  mask(text: string): string {
    if (this.#labels.size === 0) return text;
    return masked(text, this.#known.find, (secret) => this.#labels.get(secret)!);
  }

  /** Headers with every known secret in their values replaced by its label. */
  maskHeaders(headers: Headers): Headers {
    const values = Object.values(headers);
    // Together, since most headers hide nothing; one by one if a value has a line break, which cannot be sent.
    const joined = values.join("\n");
    const masked = this.mask(joined);
    if (masked === joined) return headers;
    const shown = masked.split("\n");
    const isApart = shown.length === values.length;
    return Object.fromEntries(
      Object.entries(headers).map(([name, value], index) => [
        name,
        isApart ? shown[index]! : this.mask(value),
      ]),
    );
  }
}
