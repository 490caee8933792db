import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { plain } from "../../cli/plain.ts";
import type { Change, DriftReport, Place } from "./change.ts";
import { kinds } from "./kinds.ts";
import { listText, placeText, summaryOf, trafficText, valuesText } from "./report-text.ts";

/** What CI systems call the classes. */
const levels = {
  breaking: { github: "error", sarif: "error" },
  risky: { github: "warning", sarif: "warning" },
  safe: { github: null, sarif: "note" },
} as const;

/** A change in one or two sentences. */
function messageOf(change: Change): string {
  const { operations, where, also, why } = change;
  const of = operations.length > 0 ? ` of ${listText(operations)}` : "";
  const places = also.length > 0 ? ` The same at ${listText(also.map((one) => one.where))}.` : "";
  const traffic = trafficText(change);
  return `${where}${of}${valuesText(change)}. Why: ${why}.${places}${traffic && ` Traffic: ${traffic}.`}`;
}

/** The report as workflow commands, which GitHub shows next to the lines of a pull request. Omits safe changes. */
export const githubReport = ({ changes }: DriftReport): string =>
  changes
    .flatMap((change) => {
      const level = levels[change.class].github;
      if (level === null || change.ignored !== null) return [];
      const command = change.since === "inherited" ? "notice" : level;
      const place = change.at && `file=${property(change.at.file)},line=${change.at.line},`;
      const title = property(`${change.class}: ${change.kind}`);
      return `::${command} ${place ?? ""}title=${title}::${data(messageOf(change))}\n`;
    })
    .join("");

/** Text without the characters that would end a workflow command or begin another. */
const data = (text: string): string => text.replace(/[%\r\n]/g, encodeURIComponent);
const property = (text: string): string => text.replace(/[%\r\n:,]/g, encodeURIComponent);

/** The report as JUnit: a test for each change, failed where it fails the build. */
export function junitReport(report: DriftReport, fails: (change: Change) => boolean): string {
  const cases = report.changes.map((change) => {
    const place = change.at ?? change.was_at;
    const message = [messageOf(change), ...(place === null ? [] : [placeText(place)])].join(" ");
    const inner = fails(change)
      ? `<failure type="${change.class}" message="${xml(message)}"/>`
      : change.ignored === null
        ? `<system-out>${xml(`${change.class}: ${message}`)}</system-out>`
        : `<skipped message="${xml(change.ignored.reason)}"/>`;
    const name = xml(`${change.kind}: ${change.where}`);
    return `    <testcase classname="drift.${change.class}" name="${name}">${inner}</testcase>`;
  });
  if (cases.length === 0) cases.push(`    <testcase classname="drift" name="no change"/>`);
  const counts = `tests="${cases.length}" failures="${report.changes.filter(fails).length}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts}>
  <testsuite name="${xml(summaryOf(report))}" ${counts}>
${cases.join("\n")}
  </testsuite>
</testsuites>
`;
}

const xml = (text: string): string =>
  plain(text).replace(/[&<>"\n]/g, (character) => `&#${character.charCodeAt(0)};`);

/** The report as SARIF 2.1.0, for code scanning. */
export function sarifReport({ changes, notes }: DriftReport): string {
  const rules = [...new Set(changes.map(({ kind }) => kind))].map((id) => ({
    id,
    shortDescription: { text: id.replaceAll("_", " ") },
    fullDescription: { text: kinds[id][1] },
    defaultConfiguration: { level: levels[kinds[id][0]].sarif },
  }));
  const told = notes.map((text) => ({ level: "note", message: { text } }));
  const run = {
    tool: { driver: { name: "capability-contract drift", rules } },
    columnKind: "utf16CodeUnits",
    results: changes.map(sarifResult),
    invocations: [{ executionSuccessful: true, toolExecutionNotifications: told }],
  };
  const $schema = "https://json.schemastore.org/sarif-2.1.0.json";
  return `${JSON.stringify({ $schema, version: "2.1.0", runs: [run] }, null, 2)}\n`;
}

function sarifResult(change: Change) {
  const { kind: ruleId, ignored } = change;
  const [first, ...others] = [change.at, ...change.also.map(({ at }) => at)].filter((at) => at !== null);
  const justification = ignored && `${ignored.reason} (until ${ignored.expires})`;
  return {
    ruleId,
    level: levels[change.class].sarif,
    message: { text: messageOf(change) },
    // Code scanning refuses a result without a location.
    locations: [sarifLocation(first ?? change.was_at ?? { file: "openapi", line: 1 })],
    ...(others.length > 0 && { relatedLocations: others.map(sarifLocation) }),
    ...(ignored && { suppressions: [{ kind: "external", justification }] }),
  };
}

function sarifLocation({ file, line }: Place) {
  const uri = isAbsolute(file) ? pathToFileURL(file).href : encodeURI(file);
  return { physicalLocation: { artifactLocation: { uri }, region: { startLine: line } } };
}
