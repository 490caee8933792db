import { existsSync, readFileSync } from "node:fs";
import { WrongUse } from "../../cli/exit.ts";
import { problemAt, yamlReader } from "../../cli/yaml/schema.ts";
import { changeClasses, kinds } from "./change.ts";
import type { Change, ChangeClass, DriftReport, Kind } from "./change.ts";
import { wildcard } from "./filter.ts";
import schema from "./policy.schema.json" with { type: "json" };

/** A change that is known and temporarily accepted. An omitted field matches everything. */
interface IgnoreEntry {
  kind?: Kind;
  operation?: string;
  /** As printed in the report; `*` matches anything. */
  where?: string;
  reason: string;
  /** The last day, UTC, on which the entry is valid: YYYY-MM-DD. */
  expires: string;
}

/** A team's own policy, as written: other classes for some kinds, and what to ignore. */
type Written = { severity?: Partial<Record<Kind, ChangeClass>> | null; ignore?: IgnoreEntry[] | null } | null;

/** The JSON Schema of a policy; generated/schemas/drift-policy.json holds it for editors. */
export const policySchema = structuredClone(schema);
const { severity: classes, ignore: ignored } = policySchema.properties;
classes.properties = Object.fromEntries(Object.keys(kinds).map((name) => [name, { enum: changeClasses }]));
ignored.items.properties.kind.enum = Object.keys(kinds);

const readWritten = yamlReader<Written>(policySchema);

/**
 * Reads a policy.
 * @param today UTC, YYYY-MM-DD
 * @throws WrongUse naming file and line of an error, or of every expired ignore entry
 */
export function readPolicy(file: string, today: string) {
  if (!existsSync(file)) throw new WrongUse(`--policy ${file} cannot be read: there is no such file`);
  const written = readWritten(file, readFileSync(file, "utf8"));
  const { severity, ignore } = written.value ?? {};
  const entries = (ignore ?? []).map((entry, index) => {
    if (new Date(`${entry.expires}T00:00:00Z`).toJSON()?.slice(0, 10) !== entry.expires)
      throw new WrongUse(problemAt(written, ["ignore", index, "expires"], "must be a day, as 2027-01-31"));
    return { ...entry, line: written.lineOf(["ignore", index]) };
  });
  const expired = entries.filter((entry) => entry.expires < today);
  if (expired.length === 0) return { file, severity: severity ?? {}, ignore: entries };
  const named = expired.map(
    (entry) => `  ${file}:${entry.line}: ${titleOf(entry)}, expired ${entry.expires}: ${entry.reason}`,
  );
  const advice = "Ignore entries have expired; remove each, or give it a later day and say why:";
  throw new WrongUse([advice, ...named].join("\n"));
}

const titleOf = ({ kind, operation, where }: IgnoreEntry): string =>
  [kind, operation, where].filter((part) => part !== undefined).join(", ");

/** Applies the policy to the report: changes classes, marks what is ignored, and notes each unused entry. */
export function judgedByPolicy(report: DriftReport, policy: ReturnType<typeof readPolicy>): DriftReport {
  const { file, severity, ignore } = policy;
  const idle = new Set(ignore);
  const changes = report.changes.map((change): Change => {
    const called = severity[change.kind] ?? change.class;
    const why = called === change.class ? change.why : `${file} calls it ${called}; ${change.why}`;
    const entry = ignore.find((one) => matches(one, change));
    if (entry !== undefined) idle.delete(entry);
    const ignored = entry === undefined ? null : { reason: entry.reason, expires: entry.expires };
    return { ...change, class: called, why, ignored };
  });
  const notes = [...idle].map(
    (entry) => `${file}:${entry.line} no longer ignores anything (${titleOf(entry)}); remove it.`,
  );
  return { ...report, changes, notes: [...report.notes, ...notes] };
}

/** An entry for an operation ignores a change only if that is the only operation it concerns. */
const matches = ({ kind, operation, where }: IgnoreEntry, change: Change): boolean =>
  (kind === undefined || kind === change.kind) &&
  (operation === undefined || (change.operations.length === 1 && change.operations[0] === operation)) &&
  (where === undefined || wildcard(where).test(change.where));
