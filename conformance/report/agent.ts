import { clauses } from "../../generated/clauses.ts";
import { plain } from "../../base/plain.ts";
import { causesIn, cutTo, type Cause } from "./causes.ts";
import { calling } from "./explained.ts";
import { judgedLine, judgedOf } from "./judged.ts";
import type { Report } from "./report.ts";
import { inNumbers } from "./tally.ts";
import { consequence, partLine } from "./terminal.ts";

/*
 * The report for coding agents: few tokens, what to fix first, and a command for more. A token is about 4 characters.
 */

/** Characters of the first page, and of one finding: within 1,500 and 400 tokens. */
const maxOfPage = 5_600;
const maxOfFinding = 1_500;

/** The causes in order, a line or two each, as many as fit. @param file where the report is saved */
export function agentPage(report: Report, file: string | undefined): string {
  const saved = file ?? "REPORT.json";
  const causes = causesIn(report);
  const head = [
    `${plain(report.target)}: ${inNumbers(report)}; ${toFix(causes.length)}.`,
    ...(report.part === undefined ? [] : [partLine(report)]),
    judgedLine(report),
    ...(report.causes_note === undefined ? [] : [plain(report.causes_note)]),
    ...(file === undefined ? ["Nothing is saved: add --json REPORT.json."] : []),
    ...(causes.length === 0
      ? []
      : [
          `More of one: ${calling("conformance")} --show ID --report ${saved}; after a change: ${calling("conformance")} ${report.again ?? `--base-url ${report.target}`} --verify ID --report ${saved}`,
        ]),
  ];
  const lines: string[] = [];
  let left = maxOfPage - head.join("\n").length - 40;
  for (const cause of causes) {
    const line = `${lines.length + 1}. ${cause.lead}${consequence(cause)}: ${cutTo(plain(cause.what), 220)}`;
    if (line.length + 1 > left) break;
    left -= line.length + 1;
    lines.push(line);
  }
  const rest = causes.length - lines.length;
  return [...head, ...lines, ...(rest > 0 ? [`and ${rest} more`] : []), ...lackLines(report, left)].join(
    "\n",
  );
}

const toFix = (causes: number): string =>
  causes === 0 ? "nothing to fix" : causes === 1 ? "1 cause" : `${causes} causes, fix the first first`;

/** What is unverified, by what it lacks, as many lines as fit. */
function lackLines(report: Report, maxCharacters: number): string[] {
  let left = maxCharacters;
  return judgedOf(report).lacks.flatMap(({ what, by, count }) => {
    const line = `unverified, ${count} ${count === 1 ? "clause" : "clauses"}: ${by === "profile" ? "add to the profile " : ""}${cutTo(plain(what), 160)}`;
    left -= line.length + 1;
    return left < 0 ? [] : [line];
  });
}

/** One cause: the contract's words, what to change, the request. */
export function agentFinding(report: Report, cause: Cause): string {
  const lead = report.checks.find(({ id }) => id === cause.lead)!;
  const clause = clauses.find(({ id }) => id === lead.clauses[0]);
  const culprit = lead.culprit === null ? undefined : lead.exchanges[lead.culprit];
  const quote = clause && "quote" in clause ? String(clause.quote) : undefined;
  const lines = [
    `${lead.id}${consequence(cause)}`,
    `contract: ${cutTo(clause?.text ?? lead.title, 300)}${quote === undefined ? "" : ` ("${cutTo(quote, 200)}")`}`,
    ...(lead.expected === null
      ? [`because: ${cutTo(lead.reason ?? "", 200)}`]
      : [`expected: ${cutTo(lead.expected, 200)}`, `received: ${cutTo(lead.received ?? "nothing", 200)}`]),
    ...(lead.note === undefined ? [] : [`note: ${cutTo(lead.note, 300)}`]),
    ...(culprit === undefined
      ? []
      : [`request: ${cutTo(culprit.curl.replace(/ -H 'accept: [^']*'/, ""), 400)}`]),
    ...(cause.declare === undefined ? [] : [`or declare it in the profile: ${cause.declare}`]),
  ];
  return cutTo(lines.map(plain).join("\n"), maxOfFinding);
}

/** The cause to which a check, rule or clause belongs; undefined when none does. */
export const causeNamed = (report: Report, name: string): Cause | undefined => {
  const causes = causesIn(report);
  const has = ({ lead, checks, blocks, clauses: ids }: Cause): boolean =>
    [lead, ...checks, ...blocks, ...ids].includes(name);
  return causes.find(({ lead }) => lead === name) ?? causes.find(has) ?? causes[Number(name) - 1];
};
