import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openStage, type Stage } from "../../../conformance/proof/stage.ts";
import type { Kind } from "../../../conformance/limits/kind.ts";
import type { Profile } from "../../../conformance/server/profile.ts";
import {
  contractVersion,
  limitedOperations,
  operations,
  responseHeaders,
} from "../../../generated/contract.ts";
import { failure } from "../../../reference-server/http/operation.ts";
import { load } from "../../load.ts";
import type { LoadReport } from "../../report/load-report.ts";
import type { Gate } from "./gate.ts";
import { missing, start } from "./programs.ts";
import { rows, type Row } from "./table.ts";

/** A row and the verdict on it. */
export interface RowResult {
  row: Row;
  fails: string[];
  warns: string[];
  kinds: Kind[];
  report: LoadReport;
  isTruth: boolean;
}

const folder = dirname(fileURLToPath(import.meta.url));
const quota = 40;
const windowSeconds = 12;
/** A quota that no limiter in front of the reference server lets through. */
const unlimited = 1e6;
const asked = ["probe", "call"] as const;
const redisUrl = process.env["TEST_REDIS_URL"] ?? "redis://127.0.0.1:6379";
/**
 * Limiters under trial at a time: they mostly wait for windows. On a busy machine they are fewer, since a quota that is
 * not used up within half a window shows little.
 */
const concurrentRows = Number(
  process.env["LIMITERS_AT_A_TIME"] ?? (loadavg()[0]! > 2 * availableParallelism() ? 4 : 9),
);

/** Installs the packages of the limiters, once. */
export async function install(): Promise<void> {
  if (!existsSync(join(folder, "node_modules")))
    await promisify(execFile)("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: folder });
}

/** Judges the limiters of some rows. @param onResult called with each as it is done */
export async function judgeLimiters(
  some: readonly Row[],
  onResult: (result: RowResult) => void = () => undefined,
): Promise<RowResult[]> {
  await install();
  const stage = await openStage();
  const waiting = [...some];
  const results: RowResult[] = [];
  const judge = async (): Promise<void> => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      const result = await judgeRow(stage, row);
      results.push(result);
      onResult(result);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrentRows }, judge));
  } finally {
    await stage.close();
  }
  return some.map((row) => results.find((result) => result.row === row)!);
}

/** Judges one limiter, in front of a reference server of its own. */
export async function judgeRow(stage: Stage, row: Row): Promise<RowResult> {
  const quotas = {
    discover: unlimited,
    inspect: unlimited,
    probe: unlimited,
    call: unlimited,
    anonymous: unlimited,
  };
  const report = await stage.perform({ config: { quotas } }, async (profile) => {
    const gate = await start(gateOf(row, profile));
    try {
      return await load(
        {
          ...profile,
          base_url: `http://127.0.0.1:${gate.port}/api/v1`,
          limits: { ...fourOf(quota), window: windowSeconds },
        },
        { scenario: "rate-limits", options: { operations: asked }, thresholds: [] },
      );
    } finally {
      await gate.stop();
    }
  });
  const named = (verdict: "fail" | "warn"): string[] =>
    report.findings
      .filter((finding) => finding.verdict === verdict)
      .map(({ name }) => name)
      .sort();
  const [fails, warns] = [named("fail"), named("warn")];
  const kinds = [...new Set((report.limits ?? []).map(({ kind }) => kind))] as Kind[];
  const { oneOf = [], sometimes = [], warns: lesser = [] } = row;
  const may = [...oneOf, ...sometimes];
  const same = (seen: readonly string[], expected: readonly string[]): boolean =>
    seen.filter((name) => !may.includes(name)).join() === expected.toSorted().join();
  const isTruth =
    same(fails, row.fails) &&
    same(warns, lesser) &&
    (oneOf.length === 0 || [...fails, ...warns].some((name) => oneOf.includes(name))) &&
    (report.ended ?? null) === null &&
    kinds.every((kind) => kind === "unknown" || (row.kinds?.includes(kind) ?? true));
  return { row, fails, warns, kinds, report, isTruth };
}

const fourOf = (each: number) => ({ discover: each, inspect: each, probe: each, call: each });

let started = 0;

function gateOf({ start: limiter, options = {} }: Row, profile: Profile): Gate {
  const { account, second_key_of_account: second, other_account: other } = profile.credentials;
  return {
    limiter,
    options,
    quota,
    windowSeconds,
    upstream: new URL(profile.base_url).origin,
    redisUrl,
    prefix: `limiter-${process.pid}-${(started += 1)}:`,
    accounts: { [account!]: "one", [second!]: "one", [other!]: "other" },
    limited: limitedOperations.map((operation) => operations[operation].path),
    refusal: {
      headers: { "Content-Type": "application/json", [responseHeaders.apiVersion]: contractVersion },
      body: JSON.stringify(failure(429, "Too many requests.")),
    },
  };
}

/** A row of the printed table, in Markdown. */
const lineOf = ({ row, fails, warns, kinds, isTruth }: RowResult): string =>
  `| ${row.limiter} | ${row.truth} | ${[...fails, ...warns.map((name) => `(${name})`)].join(", ") || "right"} | ${kinds.join(", ")} | ${isTruth ? "yes" : "**no**"} |`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const words = process.argv.slice(2);
  const named = rows.filter(({ limiter }) => words.every((word) => limiter.includes(word)));
  const some = named.filter((row) => missing(row) === null);
  for (const row of named)
    if (!some.includes(row)) process.stderr.write(`skipped: ${row.limiter}: ${missing(row)}\n`);
  const all = await judgeLimiters(some, (result) => {
    process.stderr.write(`${lineOf(result)}\n`);
    if (result.isTruth) return;
    for (const { name, verdict, expected, received } of result.report.findings)
      process.stderr.write(`    ${verdict} ${name}: expected ${expected}, received ${received}\n`);
    for (const { operation, measured_quota, fullest_window, measured_window_seconds, kind_rests_on } of result
      .report.limits ?? [])
      process.stderr.write(
        `    ${operation}: ${measured_quota}, fullest ${fullest_window}, window ${JSON.stringify(measured_window_seconds)}, ${kind_rests_on}\n`,
      );
    if (result.report.ended) process.stderr.write(`    ended: ${result.report.ended.text}\n`);
  });
  console.log(
    "| limiter | truth by the contract | verdict | kind | is the truth |\n| --- | --- | --- | --- | --- |",
  );
  for (const result of all) console.log(lineOf(result));
  const right = all.filter(({ isTruth }) => isTruth).length;
  console.log(`\n${right} of ${all.length} verdicts are the truth.`);
  process.exitCode = right === all.length ? 0 : 1;
}
