import { join } from "node:path";
import { withTemporaryFolder } from "../../base/temporary-folder.ts";
import { oddities, oddly, type OddWay } from "../../reference-server/chaos/odd.ts";
import { jsonOf, type Exchange } from "../judge/exchange.ts";
import type { Finding } from "../judge/finding.ts";
import { openStage } from "../proof/stage.ts";
import { nothingMissing } from "../judge/missing.ts";
import type { Check } from "../run/check.ts";
import { run } from "../run/run.ts";
import { readHar, surveyOf } from "./har.ts";
import { TrafficJudge } from "./traffic-judge.ts";
import { writeHar } from "./write-har.ts";

/** What checks send to the reference server, and its answers. */
export async function trafficOf(checks: readonly Check[]): Promise<readonly Exchange[]> {
  const stage = await openStage();
  try {
    const { exchanges } = await stage.perform({}, (profile) =>
      run(profile, { checks: checks.filter(({ window }) => !window), rules: [], concurrency: 8, fast: true }),
    );
    return exchanges;
  } finally {
    await stage.close();
  }
}

/** What the rules find in a complete recording of the exchanges. */
export const judgedRecording = (
  exchanges: readonly Exchange[],
): Promise<Record<"broken" | "kept", Finding[]>> =>
  withTemporaryFolder(async (folder) => {
    const file = join(folder, "traffic.har");
    writeHar(file, exchanges);
    const judge = new TrafficJudge("server", true);
    for await (const traffic of readHar(file, await surveyOf(file))) judge.see(traffic);
    const findings = judge.findings();
    return {
      broken: brokenIn(findings),
      kept: findings.filter(({ verdict }) => verdict === "pass"),
    };
  });

/** The ways in which answers are odd, each permitted. */
export const oddWays = Object.keys(oddities) as OddWay[];

/** What the rules find where all successes of the exchanges are odd in one way. @returns with how many were changed */
export function judgedOddly(
  way: OddWay,
  exchanges: readonly Exchange[],
): { changed: number; broken: Finding[] } {
  const judge = new TrafficJudge("server", false);
  let changed = 0;
  // A run shortens long bodies, which are then not JSON.
  for (const exchange of exchanges.filter((exchange) => jsonOf(exchange) !== undefined)) {
    const { response, operation } = exchange;
    const body = response?.status === 200 ? oddly(way, operation, response.body) : response?.body;
    if (body !== response?.body) changed += 1;
    judge.see({
      exchange: { ...exchange, response: response && { ...response, body: body! } },
      missing: nothingMissing,
    });
  }
  return { changed, broken: brokenIn(judge.findings()) };
}

const brokenIn = (findings: readonly Finding[]): Finding[] =>
  findings.filter(({ verdict }) => ["fail", "warn", "error"].includes(verdict));

export const inWords = (findings: readonly Finding[]): string[] =>
  findings.map(({ id, expected, received, reason }) =>
    reason === null ? `${id}: expected ${expected}, received ${received}` : `${id}: ${reason}`,
  );
