import { expect, it } from "vitest";
import { endure, verbs } from "./endure.ts";
import { hostileServers, startHostile } from "./hostile.ts";
import { startedSubject } from "./subject.ts";

it("ends with a verdict or a clear error, whatever the server does", async () => {
  const honest = await startedSubject();
  const ended: Record<string, unknown> = {};
  try {
    for (const [name, verb] of [
      ["429 from then on", "load throughput"],
      ["a gzip bomb", "proxy --enforce"],
      ["half an answer", "drift live"],
      ["commands in its texts", "conformance"],
    ] as const) {
      const hostile = await startHostile(honest.baseUrl, hostileServers[name]!);
      const { status, findings } = await endure(verbs[verb]!, hostile.baseUrl).finally(() => hostile.close());
      ended[`${verb} before ${name}`] = [status, ...findings];
    }
  } finally {
    await honest.stop();
  }
  expect(ended).toEqual({
    "load throughput before 429 from then on": [1],
    // Nothing that can be judged passes.
    "proxy --enforce before a gzip bomb": [3],
    "drift live before half an answer": [0],
    "conformance before commands in its texts": [1],
  });
});
