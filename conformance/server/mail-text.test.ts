import { expect, it } from "vitest";
import { textOfHtml } from "./mail-text.ts";
import { codeIn } from "./mailed-code.ts";

it("keeps the text that a reader sees", () => {
  const html = `<HEAD><title>111111</title></HEAD><style>b { color: #654321 }</Style><p>Your <b class="222222">code</b>:&nbsp;012345</p> 1 < 2`;
  expect(textOfHtml(html).replace(/\s+/g, " ").trim()).toBe("Your code : 012345 1 < 2");
});

it.each([
  "<",
  "<a",
  "<style>",
  "<style></styl",
  "a",
  "a@",
  "1",
  "123456 ",
  "123 456-",
  "https://x ",
  "code ",
])("reads a long mail of %j in linear time", (piece) => {
  const text = piece.repeat(1_000_000 / piece.length);
  const started = process.cpuUsage();
  codeIn([textOfHtml(text), text]);
  expect(process.cpuUsage(started).user, "microseconds of CPU").toBeLessThan(3_000_000);
});

it("leaves addresses out, and finds the number that is announced as the code", () => {
  expect(codeIn(["from 111111@example.com, order 222222, your code: 333333"])).toBe("333333");
});
