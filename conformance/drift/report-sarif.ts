import { pathToFileURL } from "node:url";
import { isAbsolute } from "node:path";
import type { Change, ChangeClass, DriftReport } from "./change.ts";
import { kinds, type Kind } from "./kinds.ts";

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
  return {
    ruleId: change.kind,
    ruleIndex: used.indexOf(change.kind),
    level: levels[change.class],
    message: { text: messageOf(change) },
    ...(change.at === null
      ? {}
      : {
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: uriOf(change.at.file) },
                region: { startLine: change.at.line },
              },
            },
          ],
        }),
    ...(change.ignored === null
      ? {}
      : {
          suppressions: [
            { kind: "external", justification: `${change.ignored.reason} (until ${change.ignored.expires})` },
          ],
        }),
  };
}

const uriOf = (file: string): string => (isAbsolute(file) ? pathToFileURL(file).href : encodeURI(file));

/** A change in one sentence, for annotations. */
export function messageOf({ operations, where, old, new: now, why }: Change): string {
  const of = operations.length > 0 ? ` of ${operations.join(", ")}` : "";
  const values =
    old !== null && now !== null
      ? `: ${old} → ${now}`
      : old !== null
        ? `: ${old} is gone`
        : now !== null
          ? `: ${now}`
          : "";
  return `${where}${of}${values}. Why: ${why}.`;
}
