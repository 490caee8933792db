import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { exitingWith } from "../main.ts";
import { mutants } from "../proof/mutants.ts";
import { findWitnesses } from "../proof/kill.ts";
import { openStage } from "../proof/stage.ts";
import { progress } from "../report/terminal.ts";
import { WrongUse } from "../judge/verdict.ts";
import { isJudged, recordMutant, type Recorded } from "./recorded-mutants.ts";

const usage = `Proves the rules about traffic: what a mutant does wrong must be found in a recording of it too.

  npm run mutants:recorded                  every mutant of whose clause a rule about traffic speaks
  npm run mutants:recorded -- --only WHAT   one area or clause: DISC, CALL-07; can be given several times
  npm run mutants:recorded -- --shard I/N   the I-th of N equal parts
  --json FILE                               what was found (reports/recorded-mutants.json)

Exit status: 0 every recording has a finding of what a rule saw as it happened, 1 one has none, 2 wrong use, 4 an error
of the suite's own.
`;

function parse(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    options: {
      only: { type: "string", multiple: true, default: [] },
      shard: { type: "string", default: "1/1" },
      json: { type: "string", default: "reports/recorded-mutants.json" },
      help: { type: "boolean", short: "h", default: false },
    },
  }).values;
}

/** The command. @returns the exit status */
async function main(argv: readonly string[]): Promise<number> {
  const flags = parse(argv);
  if (flags.help) {
    console.log(usage);
    return 0;
  }
  const [index, of] = (/^([1-9]\d*)\/([1-9]\d*)$/.exec(flags.shard) ?? []).slice(1).map(Number);
  if (index === undefined || of === undefined || index > of) {
    throw new WrongUse(`--shard ${flags.shard} should be I/N, such as 2/4`);
  }
  const isChosen = (clause: string): boolean =>
    flags.only.length === 0 || flags.only.some((name) => name === clause || name === clause.split("-")[0]);
  const chosen = mutants
    .filter(({ clause }) => isJudged(clause) && isChosen(clause))
    .filter((_, place) => place % of === index - 1);
  if (chosen.length === 0) {
    throw new WrongUse(`no rule about traffic speaks of a mutant of ${flags.only.join(", ")}`);
  }
  const folder = await mkdtemp(join(tmpdir(), "capability-contract-recorded-"));
  const stage = await openStage();
  const line = progress(process.stderr);
  const results: Recorded[] = [];
  try {
    const witnesses = await findWitnesses(stage);
    for (const one of chosen) {
      line.show(`${results.length + 1} of ${chosen.length}  ${one.clause} ${one.name}`);
      results.push(await recordMutant(one, stage, witnesses, folder));
    }
  } finally {
    line.clear();
    await stage.close();
    await rm(folder, { recursive: true, force: true });
  }
  await mkdir("reports", { recursive: true });
  await writeFile(flags.json, `${JSON.stringify(results, null, 2)}\n`);
  return tell(results);
}

/** Says what became of the recordings. @returns the exit status */
function tell(results: readonly Recorded[]): number {
  const missed = results.filter(({ live, found }) => live.length > 0 && found.length === 0);
  for (const { clause, name } of missed) console.log(`✗ not found in its recording  ${clause} ${name}`);
  const found = results.filter((one) => one.found.length > 0);
  const alone = found.filter((one) => one.others.length === 0);
  const unseen = results.length - found.length - missed.length;
  console.log(
    `${results.length} mutants of clauses that rules about traffic judge: ${found.length} found in a recording, ` +
      `${alone.length} of them with no finding of another clause; ${unseen} that only an active check shows; ` +
      `${missed.length} seen live and not in the recording`,
  );
  return missed.length === 0 ? 0 : 1;
}

if (import.meta.main) await exitingWith(() => main(process.argv.slice(2)));
