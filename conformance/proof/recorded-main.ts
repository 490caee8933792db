import { text } from "../../base/flag.ts";
import { verb } from "../../base/verb.ts";
import { written } from "../../base/write.ts";
import { isChosen, partFlags, shardOf } from "./part.ts";
import type { Mutant } from "../changes/mutant.ts";
import { mutants } from "./mutants.ts";
import { findWitnesses } from "./kill.ts";
import { openStage } from "./stage.ts";
import { progress } from "../report/terminal.ts";
import { WrongUse } from "../../base/exit.ts";
import { isJudged, recordMutant, type Recorded } from "./recorded-mutants.ts";

/** Records mutants and judges the recordings. */
async function recordings(chosen: readonly Mutant[]): Promise<Recorded[]> {
  const stage = await openStage();
  const line = progress(process.stderr);
  const results: Recorded[] = [];
  try {
    const witnesses = await findWitnesses(stage);
    for (const one of chosen) {
      line.show(`${results.length + 1} of ${chosen.length}  ${one.clause} ${one.name}`);
      results.push(await recordMutant(one, stage, witnesses));
    }
  } finally {
    line.clear();
    await stage.close();
  }
  return results;
}

/** Prints the results of the recordings. @returns the exit status */
function print(results: readonly Recorded[]): number {
  const missed = results.filter(({ live, found }) => live.length > 0 && found.length === 0);
  for (const { clause, name } of missed) console.log(`✗ not found in its recording  ${clause} ${name}`);
  const unsound = results.filter((one) => one.unsound.length > 0);
  for (const { clause, name, unsound: rules } of unsound)
    console.log(`✗ found in a recording of the unaltered server too  ${clause} ${name}: ${rules.join(", ")}`);
  const found = results.filter((one) => one.found.length > 0);
  const clean = found.filter((one) => one.others.length === 0);
  const unseen = results.length - found.length - missed.length;
  console.log(
    `${results.length} mutants of clauses that rules about traffic judge: ${found.length} found in a recording, ` +
      `${clean.length} of them with no finding of another clause; ${unseen} that only an active check shows; ` +
      `${missed.length} seen live and not in the recording`,
  );
  return missed.length + unsound.length === 0 ? 0 : 1;
}

export default verb({
  flags: {
    ...partFlags,
    json: text("--json <FILE>", "what was found").or("reports/recorded-mutants.json"),
  },
  about: "Proves the rules about traffic: what a mutant does wrong must be found in a recording of it too.",
  async run({ only, shard, json }) {
    const chosen = shardOf(
      mutants.filter(({ clause }) => isJudged(clause) && isChosen(clause, only)),
      shard,
    );
    if (chosen.length === 0) {
      throw new WrongUse(`no rule about traffic speaks of a mutant of ${only.join(", ")}`);
    }
    const results = await recordings(chosen);
    await written(json, `${JSON.stringify(results, null, 2)}\n`);
    return print(results);
  },
});
