import type { Language } from "../../generated/contract.ts";

/**
 * The language that an `Accept-Language` header prefers among the contract's, by q values; English if it prefers none.
 * The first wins among equal weights; a q of 0 excludes.
 */
export function preferredLanguage(acceptLanguage: string | undefined): Language {
  let best: { language: Language; weight: number } = { language: "en", weight: 0 };
  for (const range of (acceptLanguage ?? "").split(",")) {
    const [tag = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const language = tag === "*" ? "en" : (/^(en|zh)(-|$)/.exec(tag)?.[1] as Language | undefined);
    if (language === undefined) continue;
    const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    const weight = q === undefined ? 1 : Number(q);
    if (weight > best.weight && weight <= 1) best = { language, weight };
  }
  return best.language;
}
