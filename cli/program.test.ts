import { afterEach, expect, test, vi } from "vitest";
import { capabilityContract, program } from "./program.ts";

afterEach(() => void (process.exitCode = undefined));

test("the help lists twelve verbs, in three groups", async () => {
  const help = (await capabilityContract.command("capability-contract", [])).helpInformation();
  const groups = [...help.matchAll(/^(\S.*):\n((?: {2}[a-z]+ .*\n)+)/gm)].map(([, heading, verbs]) => [
    heading,
    [...verbs!.matchAll(/^ {2}([a-z]+)/gm)].map(([, verb]) => verb),
  ]);
  expect(groups).toEqual([
    ["Judge a server", ["conformance", "init", "explain", "compare", "drift", "load"]],
    ["Serve", ["start", "admin"]],
    ["Traffic and clients", ["judge", "proxy", "reconcile", "certify"]],
  ]);
});

test.each(["mutants", "mutants:recorded", "bench", "kill", "fuzz", "cluster"])(
  "%s, which was a verb once, says where it is now",
  async (verb) => {
    const said = vi.spyOn(console, "error").mockReturnValue(undefined);
    await program([verb, "--help"]);
    expect(said).toHaveBeenCalledWith(expect.stringContaining(`npm run ${verb},`));
    expect(process.exitCode).toBe(2);
  },
);
