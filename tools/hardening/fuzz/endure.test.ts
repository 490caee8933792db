import { expect, it } from "vitest";
import { endure, verbs } from "./endure.ts";
import { hostileServers, startHostile } from "./hostile.ts";
import { startedSubject } from "./subject.ts";

// One of each kind of verb: endure.proof.ts.
it("ends with a verdict before a server that sends half an answer", async () => {
  const honest = await startedSubject();
  const hostile = await startHostile(honest.baseUrl, hostileServers["half an answer"]!);
  try {
    const { status, findings } = await endure(verbs["drift live"]!, hostile.baseUrl);
    expect([status, ...findings]).toEqual([0]);
  } finally {
    await hostile.close();
    await honest.stop();
  }
});
