import { expect, it } from "vitest";
import { address, withoutPassword } from "./flag.ts";
import { verb } from "./verb.ts";

it.each([
  ["postgres:/me:secret@host/db", "postgres:/…@host/db"],
  ["rediss//:secret@host", "rediss//…@host"],
  ["http://me:se cr@et@host/api", "http://…@host/api"],
  ["me:secret@host", "me:…@host"],
  ["http://host/api", "http://host/api"],
])("shows %s without its password", (typed, shown) => {
  expect(withoutPassword(typed)).toBe(shown);
});

it("does not repeat the password of an address that it refuses", async () => {
  const { run } = verb({ flags: { at: address("--at <URL>", "") }, run: () => Promise.resolve() });
  await expect(run("x", ["--at", "htp://me:secret@host"])).rejects.toThrow(/not "htp:\/\/…@host"\.$/);
});
