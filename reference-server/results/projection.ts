import { jsonpath, type JSONPathQuery } from "json-p3";
import { isObject } from "../../base/data.ts";
import { compile } from "./selection.ts";

/** Limits of a projection: ample for real use, too small for an attack. */
const projectionLimits = { expressions: 20, expressionCharacters: 512 };

/** One JSONPath expression (RFC 9535), and the key of its values in the answer. */
export interface Expression {
  text: string;
  key: string;
  query: JSONPathQuery;
}

/** The results of the expressions: the value of each evaluated one, null for one that exceeded a limit. */
export type Outcomes = Map<Expression, { value: unknown } | null>;

/** A valid `respond_with` (contract: Call). */
export type RespondWith =
  | { mode: "full" }
  | { mode: "summary" }
  | { mode: "fields"; text: string; expressions: readonly Expression[] };

/** A fault in `respond_with`, in the form of the 422's field-level details. */
interface ProjectionRefusal {
  refused: { type: string; loc: string[]; msg: string; input: string }[];
}

/**
 * Parses `respond_with`: `full` (also if absent), `summary`, or `fields:` with comma-separated JSONPath expressions
 * rooted at result.data. Commas inside brackets or quotes do not separate; empty expressions are skipped, but at least
 * one is required. Returns all faults together, before anything is executed.
 */
export function parseRespondWith(text: string | null | undefined): RespondWith | ProjectionRefusal {
  if (text === null || text === undefined || text === "full") return { mode: "full" };
  if (text === "summary") return { mode: "summary" };
  if (!text.startsWith("fields:")) {
    return refuse(
      [`must be full, summary, or fields: with JSONPath expressions such as fields:$.name`],
      text,
    );
  }
  const texts = [...new Set(splitExpressions(text.slice("fields:".length)))];
  if (texts.length === 0) {
    return refuse(
      ["names no field: at least one JSONPath expression must follow, such as fields:$.name"],
      text,
    );
  }
  if (texts.length > projectionLimits.expressions) {
    return refuse(
      [`has ${texts.length} expressions; at most ${projectionLimits.expressions} are allowed`],
      text,
    );
  }
  const faults: string[] = [];
  const parsed: { text: string; name: string | null; query: JSONPathQuery }[] = [];
  for (const expression of texts) {
    if (expression.length > projectionLimits.expressionCharacters) {
      faults.push(
        `has an expression of ${expression.length} characters; at most ${projectionLimits.expressionCharacters} are allowed`,
      );
      continue;
    }
    try {
      const query = compile(expression);
      parsed.push({ text: expression, name: lastMemberName(query), query });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const hint = expression.startsWith("$") ? "" : "; an expression begins with $, which is result.data";
      faults.push(`${JSON.stringify(expression)} is not a JSONPath expression (RFC 9535): ${why}${hint}`);
    }
  }
  if (faults.length > 0) return refuse(faults, text);
  const uses = Map.groupBy(parsed, ({ name }) => name);
  const expressions = parsed.map(({ text, name, query }) => ({
    text,
    key: name !== null && uses.get(name)?.length === 1 ? name : text,
    query,
  }));
  return { mode: "fields", text, expressions };
}

const refuse = (faults: string[], input: string): ProjectionRefusal => ({
  refused: faults.map((fault) => ({
    type: "respond_with",
    loc: ["body", "respond_with"],
    msg: `respond_with ${fault}`,
    input: input.length > 200 ? `${input.slice(0, 200)}…` : input,
  })),
});

/** Splits at commas outside brackets, parentheses and quotes, trims, and drops empty parts. */
export function splitExpressions(list: string): string[] {
  const expressions: string[] = [];
  let start = 0;
  let depth = 0;
  let quote: string | null = null;
  for (let at = 0; at < list.length; at += 1) {
    const character = list[at]!;
    if (quote !== null) {
      if (character === "\\") at += 1;
      else if (character === quote) quote = null;
    } else if (character === '"' || character === "'") quote = character;
    else if (character === "[" || character === "(") depth += 1;
    else if (character === "]" || character === ")") depth -= 1;
    else if (character === "," && depth <= 0) {
      expressions.push(list.slice(start, at));
      start = at + 1;
    }
  }
  expressions.push(list.slice(start));
  return expressions.map((expression) => expression.trim()).filter((expression) => expression !== "");
}

/** The last member name of a path, ignoring indexes and filters after it; null for the root or a choice of names. */
function lastMemberName(query: JSONPathQuery): string | null {
  for (const segment of query.segments.toReversed()) {
    const names = segment.selectors.filter((selector) => selector instanceof jsonpath.selectors.NameSelector);
    if (names.length === 0) continue;
    return segment.selectors.length === 1 ? names[0]!.name : null;
  }
  return null;
}

/** The summary of a content for `respond_with=summary`: its size, its number of rows, and their fields. */
export interface Summary {
  size_bytes: number;
  /** Only if the content is a list of rows. */
  row_count?: number;
  fields: string[];
}

/**
 * @param rowsPath the location of the rows: a dotted path, as in a tool's mapping. By default the rows are the content
 *   itself, or its only array.
 */
export function summarize(content: unknown, sizeBytes: number, rowsPath: string | undefined): Summary {
  const rows = rowsOf(content, rowsPath);
  const names = new Set<string>();
  const rowsSeen: unknown[] = rows?.slice(0, 100) ?? [content];
  for (const row of rowsSeen) {
    if (!isObject(row)) continue;
    for (const name of Object.keys(row)) if (names.size < 200) names.add(name);
  }
  return { size_bytes: sizeBytes, ...(rows && { row_count: rows.length }), fields: [...names] };
}

function rowsOf(content: unknown, rowsPath: string | undefined): unknown[] | null {
  if (rowsPath) {
    let value = content;
    for (const name of rowsPath.split(".")) value = isObject(value) ? value[name] : undefined;
    if (Array.isArray(value)) return value;
  }
  if (Array.isArray(content)) return content;
  if (!isObject(content)) return null;
  const arrays = Object.values(content).filter((value) => Array.isArray(value));
  return arrays.length === 1 ? arrays[0]! : null;
}
