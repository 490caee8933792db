import { expect, it } from "vitest";
import { preferredLanguage } from "./language.ts";

it.each([
  [undefined, "en"],
  ["", "en"],
  ["zh-CN, en;q=0.8", "zh"],
  ["en-GB;q=0.3, zh;q=0.7", "zh"],
  ["zh;q=0, en;q=0.1", "en"],
  ["fr, zh;q=0.2", "zh"],
  ["fr, *;q=0.5, zh;q=0.4", "en"],
  ["zh;q=nonsense", "en"],
  ["zh;q=7", "en"],
  ["en, zh", "en"],
])("understands Accept-Language %s as %s", (header, language) => {
  expect(preferredLanguage(header)).toBe(language);
});
