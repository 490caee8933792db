import { expect, test } from "vitest";
import { unheardOf } from "./unheard-of.ts";

test.each([
  ["0198a1c2-7b3f-7c11-9d55-3f6a2b1c0d9e", /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ["4711", /^\d{12}$/],
  ["1234567890123456789", /^[2-7]\d{18}$/],
  ["led_42", /^led_\d{12}$/],
  ["weather.current.v1", /^weather\.[a-f]{7}\.v1$/],
  ["news.v1", /^[a-f]{12}\.v1$/],
  ["get-a-map", /^get-[a-f]{3}-[a-f]{9}$/],
  ["01ARZ3NDEKTSV4RRFFQ69G5FAV", /^[2-7][0-9A-HJKMNP-TV-Z]{25}$/],
  ["bGU6MTIzNC4=", /^[a-f][A-F]{2}\d[A-F]{3}[a-f][A-F]{2}\d=$/],
  ["V1StGXR8_Z5jdHi6B-myT_-", /^\w{8}_\w{8}-\w{3}_-$/],
  ["--", /^--[0-9a-f]{12}$/],
])("makes another id of %s", (id, make) => {
  expect(unheardOf(id)).toMatch(make);
  expect(unheardOf(id)).not.toBe(id);
});
