import { jsonText } from "../../base/described.ts";
import { oneOf, text, whole, yes } from "../../base/flag.ts";
import { verb } from "../../base/verb.ts";
import { written } from "../../base/write.ts";
import { WrongUse } from "../../base/exit.ts";
import { contractVersion } from "../../generated/contract.ts";
import { judgedVersion } from "../run/judged-version.ts";
import { byHand, matrixOf } from "./hand.ts";
import type { GeneratedKill } from "./kill.ts";
import { partFlags } from "./part.ts";
import { namedIn, prove, type Choice } from "./prove.ts";
import type { Source } from "./source.ts";
import { readResults, unproved } from "./store.ts";

const flags = {
  from: oneOf(
    "--from <SOURCE>",
    "hand, the default: the mutants of the rooms, and what --only names of the spec that is new; spec, the default where --only names none of the rooms: those that follow from the spec; code: those of the server's sources; lawful: the variations that follow from the spec, HTTP and JSON; unfinished: servers with several faults, fixed by what the first finding names",
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
  excuse: yes(
    "--excuse",
    "with --publish: survivors that a reason in dispositions.yaml matches are excused by it from now on",
  ),
  json: text("--json <FILE>", "where the matrix goes").or("reports/mutants.json"),
};

export default verb({
  flags,
  about: `Proves the suite: every mutant must die, every check must kill, no variation may raise an alarm. A mutant is
killed by a check that fails on it and passes on the unaltered server. Each mutant meets the checks of its
area. --only also takes the words mutants, variations and impostors, and some words of a name; of the spec,
a clause, an operation, a family, a field, a parameter or a header; of the code, a file or a folder; of
both, several words of an id. With --from lawful, --sample is a number of servers, each with many variations
at once, and an alarm is shrunk to the variations that are enough for it.`,
  async run(flags) {
    const { from, contract } = flags;
    judgedVersion(contract, undefined);
    if (flags.publish && flags.alone) throw new WrongUse("--publish is for runs with a profile: no --alone");
    if (flags.excuse && !flags.publish) throw new WrongUse("--excuse is for runs with --publish");
    if (from === "lawful" && flags.power) return (await import("./lawful/power.ts")).lawfulPower(flags);
    if (from === "lawful") return (await import("./lawful/prove.ts")).lawfulMatrix(flags);
    if (from === "unfinished") return (await import("./triage/prove.ts")).unfinishedServers(flags);
    if (from === "code") return generated((await import("./code/prove.ts")).mutantsOfCode(), flags);
    if (from === "spec") return generated((await import("./spec/prove.ts")).mutantsOfSpec, flags);
    if (from === undefined && flags.only.length > 0) return namedAnywhere(flags);
    return handWritten(flags);
  },
});

async function generated(source: Source<GeneratedKill>, flags: Choice): Promise<number> {
  const { results, isWrong } = await prove(source, flags);
  await written(flags.json, `${JSON.stringify(results, null, 2)}\n`);
  return Number(isWrong);
}

async function handWritten(flags: Choice, ofSpec: readonly GeneratedKill[] = []): Promise<number> {
  const { results, scope, isWrong } = await prove(byHand, flags);
  const matrix = { ...matrixOf(results, scope), ...(ofSpec.length > 0 && { of_spec: ofSpec }) };
  await written(flags.json, jsonText("mutants", matrix));
  return Number(isWrong);
}

/** What `--only` names by hand; and of the spec, where nothing by hand has that name or nobody has met a mutant yet. */
async function namedAnywhere(flags: Choice): Promise<number> {
  const { mutantsOfSpec } = await import("./spec/prove.ts");
  const isByHand = namedIn(byHand.subjects, flags.only).length > 0;
  if (!isByHand) return generated(mutantsOfSpec, flags);
  const named = namedIn(mutantsOfSpec.subjects, flags.only).map(({ id }) => id);
  if (unproved(readResults("spec"), named).length === 0) return handWritten(flags);
  const { results, isWrong } = await prove(mutantsOfSpec, { ...flags, unrun: true });
  return Math.max(Number(isWrong), await handWritten(flags, results));
}
