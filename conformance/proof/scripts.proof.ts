import { execFile } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { unlimitedQuotas } from "../../reference-server/unlimited.fixture.ts";
import type { Mutant } from "../changes/mutant.ts";
import { areaOf } from "../judge/area.ts";
import type { Finding, Script } from "../judge/finding.ts";
import type { Check } from "../run/check.ts";
import { run } from "../run/run.ts";
import { givenKeys } from "../run/script/keys.ts";
import type { Profile } from "../server/profile.ts";
import { Secrets } from "../server/secrets.ts";
import { checks } from "../suite/checks.ts";
import { rules } from "../suite/rules.ts";
import { mutants } from "./mutants.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

/** Mutants of an account's books: its reads, ledger, usage and billing. Tokens are not part of them. */
const ofBooks = /^(?:ACCT|LEDG|LEXP|USAG|UEXP|UFED|BILL|LSUM|USUM)-/;
const ofTokens = /^ACCT-2[3-7]$/;
const all = mutants.filter(({ clause }) => ofBooks.test(clause) && !ofTokens.test(clause));
/** `SCRIPTS=all` takes every mutant instead of each fourth, other words those whose clause or name has them. */
const asked = process.env["SCRIPTS"];
const sample = all.filter(({ clause, name }, index) =>
  asked === undefined ? index % 4 === 0 : asked === "all" || `${clause} ${name}`.includes(asked),
);

/** A script with more requests is not read to its end. */
const maxRequests = 8;
/** Findings of a mutant for which a script is tried. */
const maxFindings = 4;

it(
  "most mutants of an account's books are shown by a script of a few requests, which the right server answers otherwise",
  async () => {
    const outcomes = new Map<string, number>();
    for (const mutant of sample) {
      const outcome = outcomeOf(await shortestOf(mutant));
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (!outcome.startsWith("short")) console.log(`${outcome}: ${mutant.clause} ${mutant.name}`);
    }
    console.log(Object.fromEntries(outcomes), `of ${sample.length}`);
    const short = [...outcomes].filter(([outcome]) => outcome.startsWith("short"));
    const share = short.reduce((sum, [, count]) => sum + count, 0) / sample.length;
    expect(share).toBeGreaterThanOrEqual(asked === "all" ? 0.95 : 0.9);
  },
  30 * 60_000,
);

/** A script, and whether the unaltered server answers it otherwise. */
interface Tried extends Script {
  isTelling: boolean;
}

const outcomeOf = (tried: Tried | null): string => {
  if (tried === null) return "none";
  const how = tried.is_repeated ? "" : ", only listed";
  if (tried.requests > maxRequests) return `long${how}`;
  return `${tried.isTelling ? "short" : "not telling"}${how}`;
};

/** The best script of the findings on a mutant. */
async function shortestOf(mutant: Mutant): Promise<Tried | null> {
  const first = await stage.perform(mutant.change, (profile) => judged(profile, checksOf(mutant), false));
  let best: Tried | null = null;
  const isBetter = (tried: Tried): boolean =>
    best === null ||
    Number(tried.isTelling) - Number(best.isTelling) > 0 ||
    (tried.isTelling === best.isTelling && tried.requests < best.requests);
  for (const { id, sent_by: sender } of first.filter(isKill(mutant)).slice(0, maxFindings)) {
    const check = checks.find((check) => check.id === (sender ?? id));
    const tried = check && (await scripted(mutant, id, check));
    if (tried && isBetter(tried)) best = tried;
    if (best !== null && outcomeOf(best).startsWith("short")) break;
  }
  return best;
}

const isKill =
  ({ clause }: Mutant) =>
  ({ verdict, clauses }: Finding): boolean =>
    (verdict === "fail" || verdict === "warn") && (clauses as readonly string[]).includes(clause);

/** The checks of the clause of a mutant and, where rules cite it, those of its area, whose traffic they see. */
function checksOf({ clause }: Mutant): Check[] {
  const cites = ({ clauses }: { clauses: readonly string[] }): boolean => clauses.includes(clause);
  const area = areaOf(clause);
  const isSeen = rules.some(cites);
  return checks.filter(
    (check) => cites(check) || (isSeen && check.clauses.some((id) => areaOf(id) === area)),
  );
}

const judged = async (profile: Profile, some: readonly Check[], scripts: boolean): Promise<Finding[]> =>
  // The reference server is never late.
  (await run({ ...profile, audit_lag: 0 }, { checks: some, rules, fast: !scripts, scripts })).findings;

/** The script of a finding, printed by a shell on the mutant and on the unaltered server. */
async function scripted(mutant: Mutant, id: string, check: Check): Promise<Tried | null> {
  const config = { quotas: unlimitedQuotas };
  const change = { ...mutant.change, config: { ...config, ...mutant.change.config } };
  const found = await stage.perform(change, async (profile) => {
    const { script } = (await judged(profile, [check], true)).find((finding) => finding.id === id) ?? {};
    return script && { script, printed: await sh(script.shell, profile) };
  });
  if (found === undefined) return null;
  const { script, printed } = found;
  const right = await stage.perform({ config }, (profile) =>
    sh(script.shell.replace(/^BASE=.*$/m, `BASE='${profile.base_url}'`), profile),
  );
  return { ...script, isTelling: patternOf(printed) !== patternOf(right) };
}

/** What a shell prints that has the keys of a profile. */
const sh = (shell: string, profile: Profile): Promise<string> =>
  new Promise((resolve) => {
    const keys = [...givenKeys(profile, new Secrets()).values()];
    const env = Object.fromEntries(keys.map(({ variable, key }) => [variable, key]));
    const options = { maxBuffer: 2 ** 28, env: { ...process.env, ...env } };
    execFile("sh", ["-c", shell], options, (_, printed) => resolve(printed));
  });

/**
 * What a script prints, without what differs from run to run: ids become numbers in the order of their first appearance,
 * times their hour and zone, and whether their row had another one before, durations nothing; headers and what the catalogue
 * says of tools are left out.
 */
function patternOf(printed: string): string {
  const ids = new Map<string, number>();
  const times = new Map<string, unknown>();
  return printed
    .split(/\r?\n/)
    .filter((line) => !/^[\w-]+: |^\{"search_id"/.test(line))
    .map((line) => withChanges(line, times))
    .join("\n")
    .replaceAll(/(\d{4}-\d\d-\d\dT\d\d):\d\d:\d\d(?:\.\d+)?/g, "$1")
    .replaceAll(/("\w+_(?:ms|time)":)[\d.]+/g, "$1")
    .replaceAll(/\b(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|\w{4}_(?:live_|test_)?[\w.]{8,})/g, (id) =>
      String(ids.get(id) ?? ids.set(id, ids.size).size - 1),
    );
}

/** A line of JSON in which a row says of each of its times that it has changed. @param times those of the rows before */
function withChanges(line: string, times: Map<string, unknown>): string {
  const marked = (_: string, row: unknown): unknown => {
    if (typeof row !== "object" || row === null || !("id" in row)) return row;
    const changed = Object.entries(row).filter(([name, value]) => {
      const key = `${String(row.id)} ${name}`;
      const isOther = name.endsWith("_at") && times.has(key) && times.get(key) !== value;
      times.set(key, value);
      return isOther;
    });
    return changed.length === 0 ? row : { ...row, changed: changed.map(([name]) => name) };
  };
  return line.startsWith("{") ? JSON.stringify(JSON.parse(line, marked)) : line;
}
