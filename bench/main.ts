import { mkdir, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { discoverBench } from "./discover.ts";
import type { Bench, Figure } from "./figure.ts";
import { generatorBench } from "./generator.ts";
import { historyBench } from "./history-reads.ts";
import { paidCallsBench } from "./paid-calls.ts";
import { postgresBench } from "./postgres.ts";
import { asJson, asTable } from "./report.ts";
import { proxyBench } from "./proxy.ts";
import { startBench } from "./start.ts";
import { validationBench } from "./validation.ts";

const benches: readonly Bench[] = [
  paidCallsBench,
  postgresBench,
  validationBench,
  discoverBench,
  historyBench,
  startBench,
  proxyBench,
  generatorBench,
];
const reportFile = "reports/bench.json";

function wrongUse(reason: string): never {
  const names = benches.map(({ name }) => name).join("|");
  process.stderr.write(`${reason}\n\nnpm run bench -- [--only ${names}] [--rounds N]\n`);
  process.exit(2);
}

function parse() {
  try {
    return parseArgs({
      options: { only: { type: "string" }, rounds: { type: "string", default: "15" } },
    }).values;
  } catch (error) {
    return wrongUse((error as Error).message);
  }
}

const values = parse();
const chosen = benches.filter(({ name }) => values.only === undefined || name === values.only);
const rounds = Number(values.rounds);
if (chosen.length === 0) wrongUse(`there is no bench named ${values.only}`);
if (!Number.isInteger(rounds) || rounds < 1) wrongUse(`--rounds ${values.rounds} should be at least 1`);

const startedAt = new Date();
const figures: Figure[] = [];
for (const bench of chosen) {
  figures.push(...(await bench.run({ rounds, say: (text) => void process.stderr.write(`${text}\n`) })));
}
process.stdout.write(`${asTable(figures)}\n`);
await mkdir("reports", { recursive: true });
await writeFile(reportFile, asJson(figures, startedAt, rounds));
process.stdout.write(`Kept in ${reportFile}.\n`);
