/** Six digits that are not part of a longer word or number, or, as a last resort, two groups of three. */
const sixDigits = /(?<![\w.#-])\d{6}(?![\w-])/g;
const grouped = /(?<![\w.#-])\d{3}[ \u00a0-]\d{3}(?![\w-])/g;

/** A word that announces a code, and how far before the code it may occur. */
const announced = /(code|pin|otp|码|碼)[^\d]{0,40}$/i;
const announcedWithin = 50;

/**
 * The six-digit code in the texts of a mail. Among several such numbers, the one that the text announces as a code;
 * addresses and links are searched last.
 * @returns the digits, or undefined when there are none
 */
export function codeIn(texts: readonly string[]): string | undefined {
  const named = texts.map((text) => text.replace(/\S+/g, (word) => (isAddress(word) ? " " : word)));
  const plain = named.map((text) => text.replace(/\bhttps?:\/\/\S+/gi, " "));
  return (
    announcedIn(plain) ??
    firstIn(plain, sixDigits) ??
    firstIn(plain, grouped)?.replace(/\D/g, "") ??
    firstIn(named, sixDigits)
  );
}

/** Whether a word is an @ with text on both sides. */
const isAddress = (word: string): boolean => word.slice(1, -1).includes("@");

function announcedIn(texts: readonly string[]): string | undefined {
  for (const text of texts) {
    for (const match of text.matchAll(sixDigits)) {
      const before = text.slice(Math.max(0, match.index - announcedWithin), match.index);
      if (announced.test(before)) return match[0];
    }
  }
  return undefined;
}

const firstIn = (texts: readonly string[], pattern: RegExp): string | undefined =>
  texts.map((text) => text.match(pattern)?.[0]).find((found) => found !== undefined);
