import { basename } from "node:path";
import { canonical } from "../../base/data.ts";
import { judgedQuestions, lastLine, type Judged, type Wanting } from "../../base/judged.ts";
import { isRed, type Verdict } from "../judge/verdict.ts";
import { wantingOf } from "./judged.ts";
import type { Report } from "./report.ts";

/** A check or rule, as several reports judge it. */
export interface Compared {
  id: string;
  title: string;
  /** Its verdict in each report; null where it is missing. */
  verdicts: readonly (Verdict | null)[];
  change: Change;
  /** Whether it came back to a verdict that it had left, under the suite and profile of the last report. */
  isUnsteady: boolean;
}

/** How a check changed between the first report and the last. */
export type Change =
  "red" | "green" | "unverified" | "verified" | "added" | "removed" | "unasked" | "asked" | "other" | "none";

/** In display order. */
const headings: Readonly<Record<Exclude<Change, "none" | "asked" | "unasked">, string>> = {
  red: "Started failing",
  removed: "Removed",
  unverified: "No longer verified",
  green: "Started passing",
  verified: "Verified now",
  added: "Added",
  other: "Changed otherwise",
};

/** A server that was broken and fixed in between looks the same. */
export const unsteady = "Flaky: the verdict changed and changed back, with no change of the server";

/** The changes that make the exit status 1. */
const worse: readonly Change[] = ["red", "removed", "unverified"];

function changeOf(
  before: Verdict | null,
  after: Verdict | null,
  isAskedFor: (where: "first" | "last") => boolean,
): Change {
  if (before === after) return "none";
  if (before === null) return isAskedFor("first") ? "added" : "asked";
  if (after === null) return isAskedFor("last") ? "removed" : "unasked";
  if (isRed(after)) return isRed(before) ? "other" : "red";
  if (after === "pass") return isRed(before) ? "green" : "verified";
  return before === "pass" ? "unverified" : "other";
}

/** Every check and rule of several reports, with its change from the first to the last. */
export function compareReports(reports: readonly Report[]): Compared[] {
  const titles = new Map(
    reports.flatMap(({ checks }) => checks.map(({ id, title }) => [id, title] as const)),
  );
  const verdicts = reports.map(({ checks }) => new Map(checks.map(({ id, verdict }) => [id, verdict])));
  const [first, last] = [reports[0]!, reports.at(-1)!];
  // One suite has one set of checks: what one of its reports lacks was not asked for.
  const isAskedFor = (where: "first" | "last"): boolean =>
    first.hashes.suite !== last.hashes.suite &&
    (first.part === last.part || { first, last }[where].part === undefined);
  const alike = reports.map((report) => isAlike(report, reports.at(-1)!));
  return [...titles].map(([id, title]) => {
    const all = verdicts.map((byId) => byId.get(id) ?? null);
    const comparable = all.filter((verdict, index) => verdict !== null && alike[index]);
    const turns = comparable.filter((verdict, index) => index === 0 || verdict !== comparable[index - 1]);
    const isUnsteady = new Set(turns).size < turns.length;
    return { id, title, verdicts: all, change: changeOf(all[0]!, all.at(-1)!, isAskedFor), isUnsteady };
  });
}

/**
 * Whether two reports judge in the same way, so that only the server can make them differ. Its address may change, as that
 * of a preview deployment does.
 */
const isAlike = (one: Report, other: Report): boolean => canonical(one.hashes) === canonical(other.hashes);

/** Possible causes of a change: whatever is the same in both reports is ruled out. */
export function causeOf([before, after]: readonly [Report, Report]): string {
  const differs = (part: keyof Report["hashes"]): boolean => before.hashes[part] !== after.hashes[part];
  // The same traffic, judged twice: a recording, or the exchanges of an earlier report.
  const isSameTraffic = before.target === after.target && before.started_at === after.started_at;
  const suspects = [
    ...(differs("suite") || differs("contract") ? ["the suite"] : []),
    ...(differs("profile") ? ["the profile"] : []),
    ...(isSameTraffic ? [] : ["the server"]),
  ];
  if (suspects.length < 2) return suspects[0] ?? "nothing: it is the same run";
  return `${suspects.slice(0, -1).join(", ")} or ${suspects.at(-1)}`;
}

/** Whether a change makes the exit status 1. */
export const isWorse = (change: Change): boolean => worse.includes(change);

/** Whether anything got worse from the first report to the last. */
export const gotWorse = (compared: readonly Compared[]): boolean =>
  compared.some(({ change }) => isWorse(change));

const isJudged = (verdict: Verdict | null): boolean =>
  verdict !== null && ["pass", "fail", "warn", "known"].includes(verdict);

/** How many checks both the first report and the last have judged, and what the others lack. */
export function judgedInBoth(reports: readonly Report[], compared: readonly Compared[]): Judged {
  const inLast = new Map(reports.at(-1)!.checks.map((check) => [check.id, check]));
  const lackOf = ({ id, verdicts }: Compared): Wanting | null => {
    const check = inLast.get(id);
    if (check?.verdict === "unverified") return wantingOf(check);
    const run = !isJudged(verdicts.at(-1)!) ? "last" : !isJudged(verdicts[0]!) ? "first" : null;
    return run && { what: `the ${run} run did not judge them`, by: "reason" };
  };
  const isOff = ({ verdicts }: Compared): boolean =>
    verdicts.every((verdict) => verdict === "not_applicable");
  return judgedQuestions(
    compared.filter((check) => !isOff(check)).map((check) => ({ what: check.id, lack: lackOf(check) })),
    "check",
  );
}

/** The last line of a comparison. */
export function comparedLine(reports: readonly Report[], compared: readonly Compared[]): string {
  const judged = judgedInBoth(reports, compared);
  const count = (changes: readonly Change[]): number =>
    compared.filter(({ change }) => changes.includes(change)).length;
  const result = `${count(worse)} worse, ${count(["green", "verified"])} better, ${count(["none"])} as before`;
  return lastLine(judged, judged.judged === 0 ? null : result);
}

/** A verdict in a word or two. */
export const shown = (verdict: Verdict | null): string => verdict?.replace("_", " ") ?? "–";

/** The name of a report in a comparison. */
export const nameOf = ({ target, started_at }: Report, file: string): string =>
  `${basename(file)} (${target}, ${started_at.slice(0, 16).replace("T", " ")})`;

/** The comparison as lines of plain text or Markdown. */
export function comparisonText(
  reports: readonly Report[],
  names: readonly string[],
  compared: readonly Compared[],
  markdown: boolean,
): string {
  const lines = [markdown ? `# ${names.join(" → ")}` : names.join(" → "), ""];
  const cause = causeOf([reports[0]!, reports.at(-1)!]);
  const add = (heading: string, rows: readonly Compared[]): void => {
    if (rows.length === 0) return;
    lines.push(`${markdown ? "## " : ""}${heading.replace(":", `: ${rows.length},`)}`, "");
    for (const { id, title, verdicts } of rows) {
      const path = verdicts.map(shown).join(" → ");
      lines.push(markdown ? `- \`${id}\`: ${path}. ${title}` : `  ${id}  ${path}`);
    }
    lines.push("");
  };
  add(
    unsteady,
    compared.filter(({ isUnsteady }) => isUnsteady),
  );
  for (const [change, heading] of Object.entries(headings))
    add(
      `${heading}: by ${change === "added" || change === "removed" ? "the suite" : cause}`,
      compared.filter((check) => check.change === change),
    );
  const count = (change: Change): number => compared.filter((check) => check.change === change).length;
  const apart = (change: "asked" | "unasked", of: Report, where: string): void => {
    const asked = of.part === undefined ? "" : ` (${of.part})`;
    if (count(change) > 0) lines.push(`${count(change)} not asked for in the ${where} run${asked}.`);
  };
  apart("asked", reports[0]!, "first");
  apart("unasked", reports.at(-1)!, "last");
  lines.push(comparedLine(reports, compared));
  return lines.join("\n");
}
