import { expect, test } from "vitest";
import { unheardOf } from "./unheard-of.ts";

test.each([
  ["0198a1c2-7b3f-7c11-9d55-3f6a2b1c0d9e", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ["4711", /^94711\d+$/],
  ["led_42", /^led_[0-9a-f]{12}$/],
  ["bGU6MTIzNC4=", /^[0-9a-f]{12}=$/],
  ["V1StGXR8_Z5jdHi6B-myT_-", /^V1StGXR8_Z5jdHi6B-[0-9a-f]{12}_-$/],
  ["--", /^--[0-9a-f]{12}$/],
])("makes another id of %s", (id, make) => {
  expect(unheardOf(id)).toMatch(make);
  expect(unheardOf(id)).not.toBe(id);
});
