import { existsSync } from "node:fs";
import { WrongUse } from "../../base/exit.ts";
import { fileText } from "../../base/read.ts";
import { problemAt, yamlReader } from "../../base/yaml/schema.ts";
import { changeClasses, kinds } from "./change.ts";
import type { Change, ChangeClass, DriftReport, Kind } from "./change.ts";
import { wildcard } from "./filter.ts";
import schema from "./policy.schema.json" with { type: "json" };

/** A change that is known and temporarily accepted. An omitted field matches everything. */
interface IgnoreEntry {
  kind?: Kind;
  /** Method and path, or an operationId that only one operation has. */
  operation?: string;
  /** As printed in the report; `*` matches anything. */
  where?: string;
  /** Of the one change that is accepted, wherever it is found; such an entry needs no day. */
  fingerprint?: string;
  reason: string;
  /** The last day, UTC, on which the entry is valid: YYYY-MM-DD. */
  expires?: string;
}

/** A team's own policy, as written: other classes for some kinds, and what to ignore. */
type Written = { severity?: Partial<Record<Kind, ChangeClass>> | null; ignore?: IgnoreEntry[] | null } | null;

/** The JSON Schema of a policy; generated/schemas/drift-policy.json holds it for editors. */
export const policySchema = structuredClone(schema);
const { severity: classes, ignore: ignored } = policySchema.properties;
classes.properties = Object.fromEntries(Object.keys(kinds).map((name) => [name, { enum: changeClasses }]));
ignored.items.properties.kind.enum = Object.keys(kinds);

/** What is read of a policy. */
const mostBytes = 2 ** 20;

const readWritten = yamlReader<Written>(policySchema);

/**
 * Reads a policy.
 * @param today UTC, YYYY-MM-DD
 * @returns a function that applies it to a report: changes classes, marks what is ignored, and notes each unused entry
 * @throws WrongUse naming file and line of an error, or of every expired ignore entry
 */
export function policyIn(file: string, today: string): (report: DriftReport) => DriftReport {
  if (!existsSync(file)) throw new WrongUse(`--policy ${file} cannot be read: there is no such file`);
  const written = readWritten(file, fileText(file, mostBytes));
  const { severity, ignore } = written.value ?? {};
  const entries = (ignore ?? []).map((entry, index) => {
    const { expires } = entry;
    if (expires !== undefined && new Date(`${expires}T00:00:00Z`).toJSON()?.slice(0, 10) !== expires)
      throw new WrongUse(problemAt(written, ["ignore", index, "expires"], "must be a day, as 2027-01-31"));
    return { ...entry, line: written.lineOf(["ignore", index]) };
  });
  const expired = entries.filter(({ expires }) => expires !== undefined && expires < today);
  if (expired.length === 0) return (report) => judged(report, file, severity ?? {}, entries);
  const named = expired.map(
    (entry) => `  ${file}:${entry.line}: ${titleOf(entry)}, expired ${entry.expires}: ${entry.reason}`,
  );
  const advice = "Ignore entries have expired; remove each, or give it a later day and say why:";
  throw new WrongUse([advice, ...named].join("\n"));
}

const titleOf = ({ kind, operation, where, fingerprint }: IgnoreEntry): string =>
  [kind, operation, where, fingerprint].filter((part) => part !== undefined).join(", ");

function judged(
  report: DriftReport,
  file: string,
  severity: Partial<Record<Kind, ChangeClass>>,
  ignore: readonly (IgnoreEntry & { line: number })[],
): DriftReport {
  const idle = new Set(ignore);
  const changes = report.changes.map((change): Change => {
    const called = severity[change.kind] ?? change.class;
    const why = called === change.class ? change.why : `${file} calls it ${called}; ${change.why}`;
    const entry = ignore.find((entry) => matches(entry, change, report));
    if (entry !== undefined) idle.delete(entry);
    const ignored = entry === undefined ? null : { reason: entry.reason, expires: entry.expires ?? null };
    return { ...change, class: called, why, ignored };
  });
  const notes = [...idle].map((entry) => {
    const isLabel = entry.operation !== undefined && !entry.operation.includes(" ");
    const hint = isLabel ? ", or name the operation by method and path if others share its operationId" : "";
    return `${file}:${entry.line} ignores nothing (${titleOf(entry)}); remove it${hint}.`;
  });
  return { ...report, changes, notes: [...report.notes, ...notes] };
}

/** An entry for an operation ignores a change only if that is the only operation it concerns. */
function matches(entry: IgnoreEntry, change: Change, { operation_ids: ids = {} }: DriftReport): boolean {
  const { kind, operation, where, fingerprint } = entry;
  const [title = "", ...others] = change.operations;
  const isNamed =
    others.length === 0 && (operation === title || ids[title]?.includes(operation ?? "") === true);
  return (
    (kind === undefined || kind === change.kind) &&
    (operation === undefined || isNamed) &&
    (where === undefined || wildcard(where).test(change.where)) &&
    (fingerprint === undefined || fingerprint === change.fingerprint)
  );
}
