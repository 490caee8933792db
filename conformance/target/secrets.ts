import type { Profile } from "./profile.ts";

/**
 * The secrets that a run has used or been handed. What is recorded shows a label in the place of each, such as
 * `«key 3»`; the same secret always has the same label.
 */
export class Secrets {
  readonly #labels = new Map<string, string>();

  /** Learns a secret; answers its label. */
  learn(secret: string, kind: string): string {
    const known = this.#labels.get(secret);
    if (known !== undefined) return known;
    const label = `«${kind} ${this.#labels.size + 1}»`;
    if (secret !== "") this.#labels.set(secret, label);
    return label;
  }

  /** Learns every credential of a profile, also those that no check sends: a server might show one by mistake. */
  learnFromProfile({ credentials: { pool, delegation, ...named } }: Profile): void {
    for (const key of [...Object.values(named), ...pool, delegation?.token]) {
      if (key !== undefined) this.learn(key, "key");
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
    let masked = text;
    for (const [secret, label] of this.#labels) {
      // A mailed code is six digits: it is masked only as a whole JSON string, or it would break numbers.
      if (secret.length < 12) masked = masked.replaceAll(`"${secret}"`, `"${label}"`);
      else if (masked.includes(secret)) masked = masked.replaceAll(secret, label);
    }
    return masked;
  }
}
