import { styleText } from "node:util";
import { clauseOf } from "../clauses.ts";
import type { Verdict } from "../verdict.ts";
import type { Report, ReportedCheck } from "./report.ts";

type Style = Parameters<typeof styleText>[0];

/** Paints text where there is a terminal, and leaves it alone elsewhere. */
export type Paint = (style: Style, text: string) => string;

export const paintFor =
  (stream: NodeJS.WriteStream): Paint =>
  (style, text) =>
    stream.isTTY && !process.env["NO_COLOR"] ? styleText(style, text, { validateStream: false }) : text;

const marks: Record<Verdict, { sign: string; style: Style; words: string }> = {
  pass: { sign: "✓", style: "green", words: "passed" },
  fail: { sign: "✗", style: "red", words: "failed" },
  warn: { sign: "!", style: "yellow", words: "warned" },
  unverified: { sign: "?", style: "magenta", words: "unverified" },
  blocked: { sign: "■", style: "yellow", words: "blocked" },
  not_applicable: { sign: "-", style: "gray", words: "not applicable" },
  error: { sign: "⚠", style: "red", words: "errors of the suite" },
};

/** The report for people: what is wrong, clause by clause, then what could not be verified, then the counts. */
export function terminalReport(report: Report, paint: Paint): string {
  const lines: string[] = [];
  for (const verdict of ["error", "fail", "warn", "blocked"] as const) {
    for (const check of report.checks.filter((one) => one.verdict === verdict)) {
      lines.push("", ...disappointment(check, paint));
    }
  }
  lines.push(...unverified(report, paint));
  lines.push("", ...counts(report, paint));
  return lines.join("\n");
}

function disappointment(check: ReportedCheck, paint: Paint): string[] {
  const { sign, style } = marks[check.verdict];
  const lines = [paint(style, `${sign} ${check.title}`)];
  for (const id of check.clauses) {
    const clause = clauseOf(id);
    lines.push(`  ${paint("bold", id)} ${clause.level}: ${clause.text}`);
  }
  if (check.expected !== null) {
    lines.push(`  expected  ${check.expected}`, `  received  ${check.received}`);
  } else if (check.reason !== null) {
    lines.push(
      ...check.reason.split("\n").map((line, index) => (index === 0 ? `  because   ${line}` : `  ${line}`)),
    );
  }
  const culprit = check.culprit === null ? undefined : check.exchanges[check.culprit];
  if (culprit)
    lines.push(`  answered  ${culprit.status ?? "nothing"}`, `  repeat    ${paint("cyan", culprit.curl)}`);
  lines.push(`  alone     npm run conformance -- --base-url … --replay '${check.id}'`);
  return lines;
}

function unverified(report: Report, paint: Paint): string[] {
  const groups = new Map<string, ReportedCheck[]>();
  for (const check of report.checks) {
    if (check.verdict !== "unverified") continue;
    const key = check.remedy ?? check.reason ?? "";
    groups.set(key, [...(groups.get(key) ?? []), check]);
  }
  if (groups.size === 0) return [];
  const lines = ["", paint("magenta", "? unverified: neither right nor wrong, since something was missing")];
  for (const [key, checks] of groups) {
    const ids = [...new Set(checks.flatMap((check) => check.clauses))];
    const some = ids.slice(0, 8).join(" ") + (ids.length > 8 ? ` and ${ids.length - 8} more` : "");
    lines.push(
      checks[0]!.remedy ? `  profile   ${paint("cyan", key)}` : `  because   ${key}`,
      `            ${some}`,
    );
  }
  return lines;
}

function counts(report: Report, paint: Paint): string[] {
  const seconds = (report.duration_ms / 1000).toFixed(1);
  const kept = report.clauses.filter((clause) => clause.verdict === "pass").length;
  return [
    `${report.target}, contract ${report.contract_version}, ${seconds} s`,
    ...(Object.entries(report.summary) as [Verdict, number][])
      .filter(([, count]) => count > 0)
      .map(([verdict, count]) => {
        const { sign, style, words } = marks[verdict];
        return `  ${paint(style, sign)} ${String(count).padStart(4)} ${words}`;
      }),
    `  ${String(kept).padStart(6)} of ${report.clauses.length} clauses shown to be kept`,
  ];
}

/** A line that counts while the run goes on; nothing where there is no terminal. */
export function progress(stream: NodeJS.WriteStream): { show: (text: string) => void; clear: () => void } {
  if (!stream.isTTY) return { show: () => undefined, clear: () => undefined };
  return {
    show: (text) => stream.write(`\r\x1b[2K${text.slice(0, (stream.columns || 80) - 1)}`),
    clear: () => stream.write("\r\x1b[2K"),
  };
}
