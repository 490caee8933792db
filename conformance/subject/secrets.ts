import { masked, patternOf } from "../judge/masked.ts";
import type { Profile } from "./profile.ts";

/**
 * The secrets that a run has used or been handed. What is recorded shows a label in the place of each, such as
 * `«key 3»`; the same secret always has the same label.
 */
export class Secrets {
  readonly #labels = new Map<string, string>();
  /** Finds any secret as it stands in a text; built anew once another is learned. */
  #pattern: RegExp | null = null;

  /** Learns a secret; answers its label. */
  learn(secret: string, kind: string): string {
    const known = this.#labels.get(secret);
    if (known !== undefined) return known;
    const label = `«${kind} ${this.#labels.size + 1}»`;
    if (secret !== "") this.#labels.set(secret, label);
    this.#pattern = null;
    return label;
  }

  /**
   * Learns every credential of a profile, also those that no check sends: a server might show one by mistake. The label
   * of one that is not simply the key of an account says which it is.
   */
  learnFromProfile({ credentials: { pool, delegation, ...named } }: Profile): void {
    const all = [...Object.entries(named), ...pool.map((key) => ["pool", key] as const)];
    for (const [name, key] of [...all, ["delegation", delegation?.token] as const]) {
      if (key !== undefined) this.learn(key, /account|pool/.test(name) ? "key" : name);
    }
  }

  /** Learns what an anonymous register hands out: the key and the claim code, wherever they stand in the body. */
  learnFrom(body: unknown): void {
    if (typeof body !== "object" || body === null) return;
    for (const [name, value] of Object.entries(body)) {
      if (name === "api_key" && typeof value === "string") this.learn(value, "key");
      else if (name === "claim_code" && typeof value === "string") this.learn(value, "claim code");
      else this.learnFrom(value);
    }
  }

  /** The text with every known secret replaced by its label. */
  mask(text: string): string {
    if (this.#labels.size === 0) return text;
    this.#pattern ??= patternOf(this.#labels.keys());
    return masked(text, this.#pattern, (secret) => this.#labels.get(secret)!);
  }
}

/** An address without user and password, which a client of this API never sends: its key stands in a header. */
export const withoutUser = (address: string): string =>
  address.replace(/^([a-z][a-z\d+.-]*:\/\/)[^\s/?#]*@/i, "$1");
