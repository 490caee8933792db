import { expect, it } from "vitest";
import { inLine, plain } from "./plain.ts";

it("writes characters that steer a terminal as escapes, and keeps lines", () => {
  expect(plain("\u001b[2Jgone\r\nnext\u202e\u2028")).toBe("\\u001b[2Jgone\nnext\\u202e\\u2028");
});

it("leaves no text that a CI system reads as a command", () => {
  expect(plain("a\n::error::b\n  ::set-output c")).toBe("a\n\\u003a:error::b\n  \\u003a:set-output c");
  expect(plain("a ##[error]b ##vso[task]c")).toBe("a \\u0023#[error]b \\u0023#vso[task]c");
  expect(plain("a::b, 12:30 ## heading")).toBe("a::b, 12:30 ## heading");
});

it("quotes a server in one line that ends", () => {
  expect(inLine("no\n\n::error::yes")).toBe("no \\u003a:error::yes");
  expect(inLine("x".repeat(1_000_000))).toBe(`${"x".repeat(200)}…`);
});
