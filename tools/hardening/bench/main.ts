import { oneOf, whole, yes } from "../../../base/flag.ts";
import { verb } from "../../../base/verb.ts";
import { writeFiles } from "../../../base/write.ts";
import { costsBench } from "./costs.ts";
import { reached, type Bench } from "./figure.ts";
import { generatorBench } from "./generator.ts";
import { historyBench } from "./history-reads.ts";
import { paidCallsBench } from "./paid-calls.ts";
import { postgresBench } from "./postgres.ts";
import { keep, sitting, type Sitting } from "./keep.ts";
import { asTable } from "./report.ts";

const benches: readonly Bench[] = [costsBench, paidCallsBench, postgresBench, historyBench, generatorBench];

export default verb({
  flags: {
    only: oneOf(
      "--only <BENCH>",
      `one of ${benches.map(({ name }) => name).join(", ")}`,
      benches.map(({ name }) => name),
    ),
    rounds: whole("--rounds <N>", "rounds of each figure").or(15),
    keep: yes(
      "--keep",
      "show the figures in tools/hardening/bench/README.md and keep them in tools/hardening/bench/figures.json",
    ),
  },
  about:
    "Measures the reference server, each figure as a ratio to a ceiling of the same run (tools/hardening/bench/README.md).",
  async run({ only, rounds, keep: keepThem }) {
    const measured: Record<string, Sitting> = {};
    const names = benches.map(({ name }) => name);
    const say = (text: string) => void process.stderr.write(`${text}\n`);
    for (const bench of benches) {
      if (only !== undefined && bench.name !== only) continue;
      measured[bench.name] = await sitting(rounds, () => bench.run({ rounds, say }));
      // After each file, so that an interrupted run keeps its measurements.
      if (keepThem) await keep(measured, names);
    }
    const figures = Object.values(measured).flatMap((each) => each.figures);
    console.log(asTable(figures));
    const missed = figures.filter((figure) => !reached(figure)).map(({ name }) => name);
    if (missed.length > 0) console.log(`beyond their targets: ${missed.join("; ")}`);
    await writeFiles([["reports/bench.json", () => `${JSON.stringify(measured, null, 2)}\n`]]);
  },
});
