import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { clauseIds, type ClauseId } from "../../generated/clauses.ts";
import type { Exchange } from "../../conformance/judge/exchange.ts";
import type { Finding } from "../../conformance/judge/finding.ts";
import { seenOf } from "../../conformance/judge/seen.ts";
import { baselineOf } from "../../conformance/proof/baseline.ts";
import { findWitnesses, hasShortWindow, type Witnesses } from "../../conformance/proof/kill.ts";
import { mutant, type Mutant } from "../../conformance/changes/mutant.ts";
import { readKillers } from "../../conformance/proof/store.ts";
import { mutants } from "../../conformance/proof/mutants.ts";
import { specMutants } from "../../conformance/proof/spec/index.ts";
import { openStage, type Stage } from "../../conformance/proof/stage.ts";
import { progress } from "../../conformance/report/terminal.ts";
import { run } from "../../conformance/run/run.ts";
import { checks } from "../../conformance/suite/checks.ts";
import { rules } from "../../conformance/suite/rules.ts";
import { shortened } from "./shortened.ts";

/** One request and its answer, as a page shows them. Secrets are masked, long bodies shortened. */
export interface ShownExchange {
  request: string;
  status: number | null;
  /** The headers of the answer that the contract mentions. */
  headers: Record<string, string>;
  sent: unknown;
  answer: unknown;
}

/** The answer of a mutant of a clause, and that of the unchanged server. */
export interface Example {
  mutant: string;
  /** The check or rule that found it. */
  by: string;
  expected: string | null;
  received: string | null;
  /** The newest Call or capability query before `broken`: usually the subject of a read at fault. */
  after: ShownExchange | null;
  broken: ShownExchange;
  kept: ShownExchange | null;
}

/** The format of `docs/examples.json`. */
export interface Examples {
  /** The day of the recording, YYYY-MM-DD. */
  day: string;
  clauses: Record<string, Example>;
  /** Clauses with mutants that no single exchange shows. */
  without: string[];
}

const file = fileURLToPath(new URL("../../docs/examples.json", import.meta.url));

/** The recorded examples. */
export const readExamples = async (): Promise<Examples> =>
  JSON.parse(await readFile(file, "utf8")) as Examples;

const written = Map.groupBy(mutants, (mutant): string => mutant.clause);
const judges = [...checks, ...rules];

/**
 * The mutants of a clause: those written for it, or else those of the spec that its checks and rules kill.
 * @param killers what each check and rule is known to kill
 */
function faultsOf(id: ClauseId, killers = readKillers()): Mutant[] {
  const ids = new Set(judges.filter(({ clauses }) => clauses.includes(id)).map((judge) => killers[judge.id]));
  return (
    written.get(id) ??
    specMutants
      .filter((mutant) => ids.has(mutant.id))
      .map((variant) => mutant(id, `is broken in one way: ${variant.id}`, variant.change))
  );
}

/** The clauses with a missing example, or one of a mutant or a check that no longer exists. */
export function staleExamples({ clauses, without }: Examples): ClauseId[] {
  const known = new Set(judges.map(({ id }) => id));
  const killers = readKillers();
  return clauseIds.filter((id) => {
    const example = clauses[id];
    const faults = faultsOf(id, killers);
    return example === undefined
      ? !without.includes(id) && faults.length > 0
      : !known.has(example.by) || !faults.some(({ name }) => name === example.mutant);
  });
}

/** Records examples of the given clauses, and stores them with the others; for all clauses this takes some minutes. */
async function recordExamples(ids: readonly ClauseId[]): Promise<void> {
  const examples = await readExamples();
  const clauses = new Map(Object.entries(examples.clauses));
  const without = new Set(examples.without);
  const stage = await openStage();
  const line = progress(process.stderr);
  try {
    const witnesses = await findWitnesses(stage);
    for (const id of ids) {
      line.show(id);
      const example = await exampleOf(faultsOf(id), stage, witnesses);
      if (example === null) {
        clauses.delete(id);
        without.add(id);
      } else {
        clauses.set(id, example);
        without.delete(id);
      }
    }
  } finally {
    line.clear();
    await stage.close();
  }
  await store({
    day: new Date().toISOString().slice(0, 10),
    clauses: Object.fromEntries(clauses),
    without: [...without].sort(),
  });
}

/** One line per clause, so that a new recording can be compared with the last. */
async function store({ day, clauses, without }: Examples): Promise<void> {
  const lines = Object.entries(clauses)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, example]) => `${JSON.stringify(id)}: ${JSON.stringify(example)}`);
  const known = lines.join(",\n");
  await writeFile(
    file,
    `{"day": "${day}", "clauses": {\n${known}\n}, "without": ${JSON.stringify(without)}}\n`,
  );
}

/** The maximum number of mutants of a clause to try until an exchange shows one. */
const maxTried = 4;

async function exampleOf(
  faults: readonly Mutant[],
  stage: Stage,
  witnesses: Witnesses,
): Promise<Example | null> {
  for (const fault of faults.slice(0, maxTried)) {
    const finding = (await redOf(fault, stage, witnesses)).find(({ exchanges }) => exchanges.length > 0);
    if (finding === undefined) continue;
    const at = finding.culprit ?? finding.exchanges.length - 1;
    const broken = finding.exchanges[at]!;
    const after = isExecution(broken) ? undefined : finding.exchanges.slice(0, at).findLast(isExecution);
    const kept = counterpart(finding, broken, await baselineOf(stage));
    return {
      mutant: fault.name,
      by: finding.id,
      expected: finding.expected,
      received: finding.received,
      after: after === undefined ? null : shownOf(after),
      broken: shownOf(broken),
      kept: kept === undefined ? null : shownOf(kept),
    };
  }
  return null;
}

const isExecution = ({ operation }: Exchange): boolean =>
  operation === "call" || operation === "queryCapability";

/**
 * The failed findings of a mutant that cite its clause; those that name the exchange at fault come first. The whole suite
 * runs where the checks of the clause do not meet what the mutant breaks.
 */
async function redOf(fault: Mutant, stage: Stage, witnesses: Witnesses): Promise<Finding[]> {
  const cites = ({ clauses }: { clauses: readonly string[] }): boolean => clauses.includes(fault.clause);
  const showing = rules.filter(cites).flatMap((rule) => witnesses.get(rule.id) ?? []);
  for (const chosen of [[...new Set([...checks.filter(cites), ...showing])], checks]) {
    const { findings } = await stage.perform(fault.change, (profile) =>
      run(profile, { checks: chosen, rules, fast: !hasShortWindow(fault), anyKind: true }),
    );
    const red = findings.filter((finding) => cites(finding) && ["fail", "warn"].includes(finding.verdict));
    if (red.length > 0)
      return red.sort((one, other) => Number(one.culprit === null) - Number(other.culprit === null));
  }
  return [];
}

/** The exchange of the unchanged server that corresponds to one of a mutant. */
function counterpart(finding: Finding, broken: Exchange, baseline: readonly Finding[]): Exchange | undefined {
  const isAlike = (exchange: Exchange): boolean =>
    exchange.operation === broken.operation && exchange.request.method === broken.request.method;
  const rule = rules.find(({ id }) => id === finding.id);
  if (rule !== undefined) {
    const candidates = baseline.flatMap(({ exchanges }) => exchanges).filter(isAlike);
    return candidates.find((exchange) => {
      const seen = seenOf(exchange);
      return seen !== null && rule.judge(seen) === true;
    });
  }
  const exchanges = baseline.find(({ id }) => id === finding.id)?.exchanges ?? [];
  const same = exchanges[finding.exchanges.indexOf(broken)];
  return same !== undefined && isAlike(same) ? same : exchanges.findLast(isAlike);
}

const shownHeaders =
  /^(content-type|content-disposition|allow|location|retry-after|www-authenticate|x-(?!content-type-options).*)$/;

function shownOf({ request, response }: Exchange): ShownExchange {
  const { pathname, search } = new URL(request.url);
  const headers = Object.entries(response?.headers ?? {}).filter(([name]) => shownHeaders.test(name));
  return {
    request: `${request.method} ${pathname}${search}`,
    status: response?.status ?? null,
    headers: Object.fromEntries(headers),
    sent: request.body === null ? null : shortened(request.body),
    answer: response === null ? null : shortened(response.body),
  };
}

if (import.meta.main) {
  // An unknown flag is refused before minutes of recording.
  const { values: flags } = parseArgs({ options: { all: { type: "boolean", default: false } } });
  await recordExamples(
    flags.all ? clauseIds.filter((id) => faultsOf(id).length > 0) : staleExamples(await readExamples()),
  );
  // The threads of the broken servers go on waiting for work.
  process.exit();
}
