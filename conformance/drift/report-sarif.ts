import { pathToFileURL } from "node:url";
import { isAbsolute } from "node:path";
import { type ChangeClass, type Kind, kinds } from "./kinds.ts";
import type { Change, DriftReport, Place } from "./change.ts";
import { listText, trafficText, valuesText } from "./report-text.ts";

const levels = { breaking: "error", risky: "warning", safe: "note" } as const satisfies Record<
  ChangeClass,
  string
>;

/** The report as SARIF 2.1.0, for code scanning. */
export function sarifReport(report: DriftReport): string {
  const used = [...new Set(report.changes.map((change) => change.kind))];
  const sarif = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "capability-contract drift",
            rules: used.map((kind) => ({
              id: kind,
              shortDescription: { text: kind.replaceAll("_", " ") },
              fullDescription: { text: kinds[kind][1] },
              defaultConfiguration: { level: levels[kinds[kind][0]] },
            })),
          },
        },
        columnKind: "utf16CodeUnits",
        results: report.changes.map((change) => resultOf(change, used)),
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: report.notes.map((text) => ({ level: "note", message: { text } })),
          },
        ],
      },
    ],
  };
  return `${JSON.stringify(sarif, null, 2)}\n`;
}

function resultOf(change: Change, used: readonly Kind[]) {
  const locations = [change.at, ...change.also.map(({ at }) => at)].filter((place) => place !== null);
  return {
    ruleId: change.kind,
    ruleIndex: used.indexOf(change.kind),
    level: levels[change.class],
    message: { text: messageOf(change) },
    // Code scanning refuses a result without a location.
    locations: [locationOf(locations[0] ?? change.was_at ?? { file: "openapi", line: 1 })],
    ...(locations.length > 1 && { relatedLocations: locations.slice(1).map(locationOf) }),
    ...(change.ignored === null
      ? {}
      : {
          suppressions: [
            { kind: "external", justification: `${change.ignored.reason} (until ${change.ignored.expires})` },
          ],
        }),
  };
}

const locationOf = ({ file, line }: Place) => ({
  physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: line } },
});

const uriOf = (file: string): string => (isAbsolute(file) ? pathToFileURL(file).href : encodeURI(file));

/** A change in one or two sentences, for annotations. */
export function messageOf(change: Change): string {
  const { operations, where, also, why } = change;
  const of = operations.length > 0 ? ` of ${listText(operations)}` : "";
  const places = also.length > 0 ? ` The same at ${listText(also.map((one) => one.where))}.` : "";
  const traffic = trafficText(change);
  return `${where}${of}${valuesText(change)}. Why: ${why}.${places}${traffic && ` Traffic: ${traffic}.`}`;
}
