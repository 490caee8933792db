import { expect, test } from "vitest";
import { ranHere } from "./in-process.fixture.ts";
import { capabilityContract } from "./program.ts";

test("the help lists its verbs in three groups", async () => {
  const help = (await capabilityContract.command("capability-contract", [])).helpInformation();
  const groups = [...help.matchAll(/^(\S.*):\n((?: {2}[a-z]+ .*\n)+)/gm)].map(([, heading, verbs]) => [
    heading,
    [...verbs!.matchAll(/^ {2}([a-z]+)/gm)].map(([, verb]) => verb),
  ]);
  expect(groups).toEqual([
    ["Check a server", ["demo", "conformance", "init", "explain", "compare", "drift", "load"]],
    ["Serve", ["start", "admin"]],
    ["Traffic and clients", ["judge", "proxy", "reconcile", "certify"]],
  ]);
});

test.each(["mutants", "bench", "kill", "fuzz", "cluster"])(
  "%s, which was a verb once, says where it is now",
  async (verb) => {
    expect(await ranHere(verb, "--help")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`npm run ${verb},`) as string,
    });
  },
);
