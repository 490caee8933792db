import { jsonText } from "../../base/described.ts";
import { oneOf, text, whole, yes } from "../../base/flag.ts";
import { verb } from "../../base/verb.ts";
import { written } from "../../base/write.ts";
import { WrongUse } from "../../base/exit.ts";
import { contractVersion } from "../../generated/contract.ts";
import { judgedVersion } from "../run/judged-version.ts";
import { generatedMatrix } from "./generated.ts";
import { exitStatusOf, handJobs, matrixOf, print } from "./hand.ts";
import { writeLock } from "./lock.ts";
import { partFlags } from "./part.ts";
import { provable, publishFigure } from "./publish.ts";
import { readHandResults, renewed, unproved, writeHandResults } from "./hand-results.ts";
import { addKills } from "./killers.ts";

const flags = {
  from: oneOf(
    "--from <SOURCE>",
    "hand, the default: the mutants of the rooms; spec, the default where --only names none of them: those that follow from the spec; code: those of the server's sources; lawful: the variations that follow from the spec, HTTP and JSON; unfinished: servers with several faults, mended by what the first finding names",
    ["hand", "spec", "code", "lawful", "unfinished"],
  ),
  ...partFlags,
  whole: yes(
    "--whole",
    "each mutant against the whole suite, which shows collateral; with --from spec, where the first finding is",
  ),
  alone: yes("--alone", "each mutant judged only by its address, a survivor by the whole suite"),
  barren: yes(
    "--barren",
    "each killed mutant once more where what it breaks may not show: a check that passes there is at fault",
  ),
  everywhere: yes(
    "--everywhere",
    "each variation also with only its address, in a recording, and under load",
  ),
  slow: yes("--slow", "with the checks that wait for a rate-limit window to end"),
  contract: text("--contract <VERSION>", "mutants of this released version, judged by it").or(
    contractVersion,
    "the newest",
  ),
  sample: whole("--sample <N>", "about N of all, drawn by chance"),
  seed: text("--seed <SEED>", "draws the same sample again").or(String(Date.now() % 1_000_000), "by chance"),
  power: yes("--power", "with --from lawful: whether mutants are still killed on lawful variations"),
  unrun: yes("--unrun", "only what no stored run has met"),
  publish: yes(
    "--publish",
    "adds the results to the stored ones, and writes docs/proof.md, the figures in README.md and the lock",
  ),
  json: text("--json <FILE>", "where the matrix goes").or("reports/mutants.json"),
};

export default verb({
  flags,
  about: `Proves the suite: every mutant must die, every check must kill, no variation may raise an alarm. Each mutant meets the
checks of its area. --only also takes the words mutants, variations and impostors, and some words of a name; with --from
spec, a clause, an operation or a family; for generated ones, the beginning or some words of an id. With --from lawful,
--sample is a number of servers, each with many variations at once, and an alarm is shrunk to the variations that are
enough for it.`,
  async run(flags) {
    const { from, only, contract, sample, seed, shard, publish: isPublished, json } = flags;
    judgedVersion(contract, undefined);
    const complete = shard.of === 1 && sample === undefined;
    const everything = only.length === 0;
    if (from === "lawful" && flags.power) return (await import("./lawful/power.ts")).lawfulPower(flags);
    if (from === "lawful") return (await import("./lawful/prove.ts")).lawfulMatrix(flags);
    if (from === "unfinished") return (await import("./triage/prove.ts")).unfinishedServers(flags);
    if (from === "code") return generatedMatrix((await import("./code/prove.ts")).mutantsOfCode(), flags);
    if (isPublished && flags.alone) throw new WrongUse("--publish is for runs with a profile: no --alone");
    const among = flags.unrun ? unproved(await readHandResults(), await provable()) : undefined;
    const jobs = from === "spec" ? [] : handJobs({ ...flags, ...(among && { among }) });
    if (from === "spec" || (from === undefined && jobs.length === 0 && !everything))
      return generatedMatrix((await import("./spec/prove.ts")).mutantsOfSpec, flags);
    const matrix = await matrixOf(jobs, everything);
    await written(json, jsonText("mutants", matrix));
    if (sample !== undefined) console.log(`a sample of ${jobs.length}, drawn with --seed ${seed}`);
    print(matrix, complete);
    if (isPublished && matrix.unfinished.length === 0) {
      const day = new Date().toISOString().slice(0, 10);
      await writeHandResults(renewed(await readHandResults(), matrix, await provable(), day));
      addKills(matrix.mutants.map((one) => ({ ...one, mutant: `${one.clause} ${one.name}` })));
      await publishFigure();
      await (await import("./page.ts")).writePage();
      writeLock();
    }
    return exitStatusOf(matrix, complete);
  },
});
