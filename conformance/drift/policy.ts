import { readFileSync } from "node:fs";
import { LineCounter, parseDocument } from "yaml";
import { WrongUse } from "../../cli/exit.ts";
import { changeClasses, type Change, type ChangeClass, type DriftReport } from "./change.ts";
import { isKind, type Kind } from "./kinds.ts";

/** A change that is known and accepted for a while. What is left out matches everything. */
export interface IgnoreEntry {
  kind?: Kind;
  operation?: string;
  /** As the report says it; `*` stands for anything. */
  where?: string;
  reason: string;
  /** The last day, UTC, on which the entry counts: YYYY-MM-DD. */
  expires: string;
  line: number;
}

/** A team's own judgement: other classes for some kinds, and what is ignored. */
export interface Policy {
  file: string;
  severity: Partial<Record<Kind, ChangeClass>>;
  ignore: IgnoreEntry[];
}

/**
 * Reads a policy.
 * @param now epoch milliseconds
 * @throws WrongUse that names file and line: of what is wrong, or of every ignore entry that has expired
 */
export function readPolicy(file: string, now: number): Policy {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new WrongUse(`--policy ${file} cannot be read`);
  }
  return parsePolicy(text, file, now);
}

/** As `readPolicy`, from the text. */
export function parsePolicy(text: string, file: string, now: number): Policy {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter });
  const [error] = document.errors;
  if (error) throw new WrongUse(`${file}:${error.linePos?.[0].line ?? 1}: ${error.message.split("\n")[0]}`);
  const lineOf = (path: (string | number)[]): number => {
    for (let depth = path.length; depth > 0; depth -= 1) {
      const node = document.getIn(path.slice(0, depth), true) as { range?: [number] } | undefined;
      if (node?.range) return counter.linePos(node.range[0]).line;
    }
    return 1;
  };
  const refuse = (path: (string | number)[], reason: string): never => {
    throw new WrongUse(`${file}:${lineOf(path)}: ${[path.join("."), reason].filter(Boolean).join(" ")}`);
  };
  const fieldsOf = (value: unknown, path: (string | number)[], known: string[]): Record<string, unknown> => {
    if (value === undefined || value === null) return {};
    if (typeof value !== "object" || Array.isArray(value))
      return refuse(path, "is a mapping of names to values");
    for (const name of Object.keys(value)) {
      if (!known.includes(name)) refuse([...path, name], `is not known here; known are ${known.join(", ")}`);
    }
    return value as Record<string, unknown>;
  };

  const root = fieldsOf(document.toJS() as unknown, [], ["severity", "ignore"]);
  const policy: Policy = { file, severity: {}, ignore: [] };
  const given = root["severity"];
  for (const [name, value] of Object.entries(
    fieldsOf(given, ["severity"], Object.keys(typeof given === "object" && given !== null ? given : {})),
  )) {
    if (!isKind(name)) return refuse(["severity", name], "is no kind of change; drift kinds lists them");
    const chosen = changeClasses.find((one) => one === value);
    policy.severity[name] = chosen ?? refuse(["severity", name], `is one of ${changeClasses.join(", ")}`);
  }
  const entries = root["ignore"] ?? [];
  if (!Array.isArray(entries)) return refuse(["ignore"], "is a list");
  for (const [index, entry] of (entries as unknown[]).entries()) {
    const path = ["ignore", index];
    const fields = fieldsOf(entry, path, ["kind", "operation", "where", "reason", "expires"]);
    const text = (name: string): string | undefined => {
      const value = fields[name];
      if (value === undefined) return undefined;
      return typeof value === "string" && value.trim() !== "" ? value : refuse([...path, name], "is a text");
    };
    const kind = text("kind");
    if (kind !== undefined && !isKind(kind))
      return refuse([...path, "kind"], "is no kind of change; drift kinds lists them");
    const [operation, where] = [text("operation"), text("where")];
    if (kind === undefined && operation === undefined && where === undefined) {
      refuse(path, "would ignore everything; say which kind, operation or where");
    }
    const expires =
      text("expires") ?? refuse(path, "has no expires; say until which day it counts, as 2027-01-31");
    if (!isDay(expires)) refuse([...path, "expires"], "is a day, as 2027-01-31");
    policy.ignore.push({
      ...(kind === undefined ? {} : { kind }),
      ...(operation === undefined ? {} : { operation }),
      ...(where === undefined ? {} : { where }),
      reason: text("reason") ?? refuse(path, "has no reason; say why the change is accepted"),
      expires,
      line: lineOf(path),
    });
  }
  refuseExpired(policy, now);
  return policy;
}

const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

function refuseExpired({ file, ignore }: Policy, now: number): void {
  const today = new Date(now).toISOString().slice(0, 10);
  const expired = ignore.filter((entry) => entry.expires < today);
  if (expired.length === 0) return;
  const named = expired.map(
    (entry) => `  ${file}:${entry.line}: ${titleOf(entry)}, expired ${entry.expires}: ${entry.reason}`,
  );
  throw new WrongUse(
    [`Ignore entries have expired; take each out, or give it a later day and say why:`, ...named].join("\n"),
  );
}

const titleOf = ({ kind, operation, where }: IgnoreEntry): string =>
  [kind, operation, where].filter((part) => part !== undefined).join(", ");

/** The report as the policy sees it: with its classes, what it ignores marked, and a note for each idle entry. */
export function judgedByPolicy(report: DriftReport, policy: Policy): DriftReport {
  const used = new Set<IgnoreEntry>();
  const changes = report.changes.map((change): Change => {
    const changeClass = policy.severity[change.kind] ?? change.class;
    const entry = policy.ignore.find((one) => matches(one, change));
    if (entry) used.add(entry);
    const overridden =
      changeClass === change.class ? change.why : `${policy.file} calls it ${changeClass}; ${change.why}`;
    return {
      ...change,
      class: changeClass,
      why: overridden,
      ignored: entry ? { reason: entry.reason, expires: entry.expires } : null,
    };
  });
  const idle = policy.ignore
    .filter((entry) => !used.has(entry))
    .map(
      (entry) => `${policy.file}:${entry.line} ignores nothing any more (${titleOf(entry)}); take it out.`,
    );
  return { ...report, changes, notes: [...report.notes, ...idle] };
}

function matches(entry: IgnoreEntry, change: Change): boolean {
  if (entry.kind !== undefined && entry.kind !== change.kind) return false;
  // A change that several operations share is ignored by an entry for one of them only where it is that one's alone.
  if (
    entry.operation !== undefined &&
    !(change.operations.length === 1 && change.operations[0] === entry.operation)
  ) {
    return false;
  }
  return entry.where === undefined || patternOf(entry.where).test(change.where);
}

const patternOf = (where: string): RegExp =>
  new RegExp(
    `^${where
      .split("*")
      .map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, "\\$&"))
      .join(".*")}$`,
    "s",
  );
