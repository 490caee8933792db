import { describe, expect, it } from "vitest";
import { shrunk } from "./shrink.ts";

const numbers = Array.from({ length: 300 }, (_, index) => index);

describe("shrunk", () => {
  it("finds the one that fails by itself", async () => {
    expect(await shrunk(numbers, async (part) => Promise.resolve(part.includes(137)))).toEqual([137]);
  });

  it("finds two that fail only together", async () => {
    const fails = async (part: readonly number[]) => Promise.resolve(part.includes(3) && part.includes(290));
    expect(await shrunk(numbers, fails)).toEqual([3, 290]);
  });

  it("asks far less often than there are members", async () => {
    let asked = 0;
    await shrunk(numbers, async (part) => Promise.resolve((asked += 1) > 0 && part.includes(137)));
    expect(asked).toBeLessThan(30);
  });
});
