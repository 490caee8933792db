import { Unverifiable } from "../judge/verdict.ts";

/** A credential that was never issued, and how it differs from an issued one. */
export interface Forged {
  token: string;
  whom: string;
}

/**
 * Replaces a character with one of a different value in any encoding of keys: the last character of a base64 text has
 * insignificant bits, and some alphabets read O as 0.
 */
const another = (character: string): string => (/[0-9w-zOo]/.test(character) ? "a" : "0");

const replacedAt = (key: string, at: number): string =>
  `${key.slice(0, at)}${another(key[at]!)}${key.slice(at + 1)}`;

/** The key with one letter or digit in its middle replaced. */
export function nearly(key: string): string {
  const middle = key.slice(key.length >> 1).search(/[A-Za-z0-9]/);
  if (middle < 0)
    throw new Unverifiable("the account's key has no letter and no digit that could be replaced");
  return replacedAt(key, (key.length >> 1) + middle);
}

const swapped = (text: string): string =>
  text.replace(/[A-Za-z]/g, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );

/** Keys that differ from the key in the first character after the prefix, the last character, or letter case. */
export function nearAtItsEnds(key: string): Forged[] {
  const prefix = /^(?:[A-Za-z]{1,8}[_-]){0,2}/.exec(key)![0].length;
  const first = prefix + Math.max(0, key.slice(prefix).search(/[A-Za-z0-9]/));
  const last = key.search(/[A-Za-z0-9][^A-Za-z0-9]*$/);
  const all = [{ token: replacedAt(key, last), whom: "with a key that has another last character" }];
  if (first < key.length)
    all.push({ token: replacedAt(key, first), whom: "with a key that has another first character" });
  // Letters in a single case may be hexadecimal digits, whose case is insignificant.
  const body = key.slice(prefix);
  if (/[a-z]/.test(body) && /[A-Z]/.test(body)) {
    all.push({ token: key.slice(0, prefix) + swapped(body), whom: "with a key in the other case" });
  }
  return all;
}

/** The token with its signature changed in the middle, where every bit counts. */
export function tampered(jwt: string): string {
  const at = jwt.lastIndexOf(".") + Math.floor((jwt.length - jwt.lastIndexOf(".")) / 2);
  return `${jwt.slice(0, at)}${jwt[at] === "A" ? "B" : "A"}${jwt.slice(at + 1)}`;
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/**
 * Tokens that a server accepts as the JWT if it does not verify signatures: with a changed signature, with none and the
 * algorithm `none`, or with the signature kept but a later expiry.
 * @throws Unverifiable when the JWT is not a readable header, payload and signature
 */
export function forgedFrom(jwt: string): Forged[] {
  const [header, payload, signature, ...more] = jwt.split(".");
  const claims = claimsOf(jwt);
  if (claims === null || !signature || more.length > 0)
    throw new Unverifiable("the JWT cannot be read, so no other can be made from it");
  const longer = encoded({ ...claims, exp: Math.ceil(Date.now() / 1000) + 86_400 });
  return [
    { token: tampered(jwt), whom: "with a JWT that has another signature" },
    { token: `${encoded({ alg: "none", typ: "JWT" })}.${payload}.`, whom: "with a JWT without a signature" },
    { token: `${header}.${longer}.${signature}`, whom: "with a JWT that has another expiry" },
  ];
}

/** The claims of a JWT; null when it is not one. */
export function claimsOf(token: string): object | null {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    return typeof claims === "object" ? claims : null;
  } catch {
    return null;
  }
}
