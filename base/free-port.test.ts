import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { freePort } from "./free-port.ts";

test("programs that start at the same time get ports of their own, and none that is taken", async () => {
  const before = await freePort();
  const taken = createServer().listen(before + 1, "127.0.0.1");
  // Another program may have it already.
  await once(taken, "listening").catch(() => undefined);
  try {
    const ports = await Promise.all(Array.from({ length: 20 }, freePort));
    expect(new Set(ports).size).toBe(20);
    expect(ports).not.toContain(before);
    expect(ports).not.toContain(before + 1);
  } finally {
    taken.close();
  }
});
