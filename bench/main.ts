import { oneOf, whole } from "../cli/flag.ts";
import { verb } from "../cli/verb.ts";
import { writeFiles } from "../cli/write.ts";
import { costsBench } from "./costs.ts";
import { discoverBench } from "./discover.ts";
import { driftBench } from "./drift.ts";
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
  costsBench,
  paidCallsBench,
  postgresBench,
  validationBench,
  discoverBench,
  historyBench,
  startBench,
  proxyBench,
  generatorBench,
  driftBench,
];

export default verb({
  flags: {
    only: oneOf(
      "--only <BENCH>",
      `one of ${benches.map(({ name }) => name).join(", ")}`,
      benches.map(({ name }) => name),
    ),
    rounds: whole("--rounds <N>", "rounds of each figure").or(15),
  },
  about:
    "Measures the reference server, each figure as a ratio to a ceiling of the same run (bench/README.md).",
  async run({ only, rounds }) {
    const startedAt = new Date();
    const figures: Figure[] = [];
    for (const bench of benches) {
      if (only !== undefined && bench.name !== only) continue;
      figures.push(...(await bench.run({ rounds, say: (text) => void process.stderr.write(`${text}\n`) })));
    }
    console.log(asTable(figures));
    await writeFiles([["reports/bench.json", () => asJson(figures, startedAt, rounds)]]);
  },
});
