import { expect, it } from "vitest";
import { Answer } from "./answer.ts";
import type { Exchange } from "./exchange.ts";

it("says what its JSON says, whatever is escaped in it, and the text of what is no JSON", () => {
  const said = (text: string): string => new Answer(422, {}, text, {} as Exchange).said;
  const escaped = [..."respond_with"].map((letter) => `\\u00${letter.charCodeAt(0).toString(16)}`).join("");
  expect(said(`{"message": "${escaped} is no projection"}`)).toContain("respond_with is no");
  expect(said("id,respond_with\r\n")).toBe("id,respond_with\r\n");
});
