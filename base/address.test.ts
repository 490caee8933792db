import { expect, it } from "vitest";
import { encoded } from "./address.ts";

it("encodes half a character, which an address cannot hold", () => {
  expect(encoded("a\ud800/b")).toBe("a%EF%BF%BD%2Fb");
});
