/**
 * Holds spec/clauses/ against the contract: every entry is well formed, every id is unique, and every line of
 * spec/contract.md rests under a clause or says in not-clauses.yaml why it needs none.
 */
import { readdir, readFile } from "node:fs/promises";
import { parse } from "yaml";

const repository = new URL("../", import.meta.url);
const clausesFolder = new URL("spec/clauses/", repository);
const notClausesFile = "not-clauses.yaml";

/** How a clause can be seen: by any request, with fixtures of the profile, or not at all. */
export type Seen = "blackbox" | { needs: string[] } | { not_observable: string };

/** One obligation of the contract. `lines` are lines of spec/contract.md, single or as "a-b". */
export type Clause = {
  id: string;
  level: "must" | "should";
  party?: "client";
  text: string;
  source: string;
  lines: (number | string)[];
  operation?: string | string[];
  resource?: string;
  seen: Seen;
};

/** One area: a file of spec/clauses/. */
export type ClauseFile = { area: string; prefix: string; title: string; clauses: Clause[] };

/** Contract lines that carry no obligation (`why`) or that leave something open (`open`). */
export type NotClause = { lines: (number | string)[]; why?: string; open?: string };

/** What is checked, as parsed and not yet trusted. `operationIds` is empty while the spec has no paths. */
export type ClauseInput = {
  files: { name: string; content: unknown }[];
  notClauses: unknown;
  contract: string;
  operationIds: ReadonlySet<string>;
};

const toolRoles = [
  "charged",
  "charged_decimal",
  "included",
  "policy_exempt",
  "provider_error",
  "provider_http_error",
  "provider_rate_limited",
  "provider_auth",
  "empty_result",
  "partial_success",
  "timeout",
  "no_response",
  "execution_failed",
  "unavailable",
  "region_restricted",
  "oauth_required",
  "large_result",
  "required_parameter",
  "one_of",
  "enum",
  "zero_parameter",
  "expensive",
  "slow",
];

/** Names of the profile that a clause may need; `time` stands for waiting days. */
const knownNeeds: ReadonlySet<string> = new Set([
  ...toolRoles.map((role) => `tool.${role}`),
  "capability.query",
  "capability.detail",
  "capability.legacy",
  "other_account",
  "second_key",
  "exhausted",
  "expired_trial",
  "revoked",
  "jwt",
  "expired_jwt",
  "delegation",
  "mailbox",
  "formal_email",
  "blocked_domain",
  "object_storage",
  "time",
]);

const clauseKeys = new Set([
  "id",
  "level",
  "party",
  "text",
  "source",
  "lines",
  "operation",
  "resource",
  "seen",
]);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isFilled = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";

/** The line numbers that a `lines` list names, or undefined where it is malformed or leaves the contract. */
function expandLines(lines: unknown, lineCount: number): number[] | undefined {
  if (!Array.isArray(lines) || lines.length === 0) return undefined;
  const numbers: number[] = [];
  for (const entry of lines as unknown[]) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(String(entry));
    if (!match) return undefined;
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    if (first < 1 || last < first || last > lineCount) return undefined;
    for (let line = first; line <= last; line += 1) numbers.push(line);
  }
  return numbers;
}

/** Lines that must be accounted for: all but blank lines, headings, and headers and separators of tables. */
export function obligingLines(contract: string): { number: number; text: string }[] {
  const isSeparator = (line: string | undefined): boolean => /^\|[\s|:-]+\|$/.test(line ?? "");
  const lines = contract.split("\n");
  return lines.flatMap((text, index) => {
    const skipped =
      text.trim() === "" || text.startsWith("#") || isSeparator(text) || isSeparator(lines[index + 1]);
    return skipped ? [] : [{ number: index + 1, text }];
  });
}

function seenProblems(seen: unknown, client: boolean): string[] {
  if (seen === "blackbox") return [];
  if (!isRecord(seen) || Object.keys(seen).length !== 1)
    return ["`seen` must be `blackbox`, `{ needs: [...] }` or `{ not_observable: reason }`"];
  if ("not_observable" in seen)
    return isFilled(seen.not_observable) ? [] : ["`not_observable` must give the reason as text"];
  const { needs } = seen;
  if (!Array.isArray(needs) || needs.length === 0) return ["`needs` must list at least one name"];
  const unknown = (needs as unknown[]).filter((need) => !knownNeeds.has(String(need)));
  return [
    ...unknown.map((need) => `unknown need ${JSON.stringify(need)}: use a name of the profile`),
    ...(client ? ["a client's clause is seen in its traffic: it cannot need a fixture of the server"] : []),
  ];
}

function placeProblems(clause: Record<string, unknown>, operationIds: ReadonlySet<string>): string[] {
  const { operation, resource } = clause;
  if ((operation === undefined) === (resource === undefined))
    return ["exactly one of `operation` and `resource` must stand"];
  if (resource !== undefined) return isFilled(resource) ? [] : ["`resource` must name a schema"];
  const names: unknown[] = Array.isArray(operation) ? operation : [operation];
  if (names.length === 0) return ["`operation` must name at least one operation"];
  return names.flatMap((name) => {
    if (!isFilled(name)) return ["`operation` must hold operation ids, or `all`"];
    const known = name === "all" || operationIds.size === 0 || operationIds.has(name);
    return known ? [] : [`unknown operation ${name}: use an operationId of spec/openapi/paths, or \`all\``];
  });
}

function clauseProblems(clause: Record<string, unknown>, prefix: string, input: ClauseInput): string[] {
  const problems: string[] = [];
  const { id, level, party } = clause;
  const obliging = new Set(obligingLines(input.contract).map(({ number }) => number));
  if (typeof id !== "string" || !/^[A-Z]{4}-\d{2,3}$/.test(id))
    problems.push("`id` must be four capitals, a dash and a number of two or three digits");
  else if (!id.startsWith(`${prefix}-`)) problems.push(`the id must begin with the area's prefix ${prefix}-`);
  if (level !== "must" && level !== "should") problems.push("`level` must be `must` or `should`");
  if (party !== undefined && party !== "client") problems.push("`party` may only be `client`");
  if (!isFilled(clause.text)) problems.push("`text` must be a sentence");
  else if (!clause.text.endsWith(".")) problems.push("`text` must end with a full stop");
  if (!isFilled(clause.source)) problems.push("`source` must say where in the contract it stands");
  if (expandLines(clause.lines, input.contract.split("\n").length) === undefined)
    problems.push('`lines` must list lines of spec/contract.md, as numbers or "a-b"');
  else
    for (const line of clause.lines as unknown[])
      if (typeof line === "number" && !obliging.has(line))
        problems.push(`line ${line} of spec/contract.md is blank, a heading or a table's header`);
  for (const key of Object.keys(clause).filter((name) => !clauseKeys.has(name)))
    problems.push(`unknown key \`${key}\``);
  return [
    ...problems,
    ...placeProblems(clause, input.operationIds),
    ...seenProblems(clause.seen, party === "client"),
  ];
}

function fileProblems(name: string, content: unknown, input: ClauseInput): string[] {
  if (!isRecord(content) || !Array.isArray(content.clauses))
    return [`${name}: must hold area, prefix, title and a list of clauses`];
  const { area, prefix, title } = content;
  const problems: string[] = [];
  if (`${String(area)}.yaml` !== name)
    problems.push(`${name}: \`area\` must be the file's name without .yaml`);
  if (!isFilled(title)) problems.push(`${name}: \`title\` must be text`);
  if (typeof prefix !== "string" || !/^[A-Z]{4}$/.test(prefix))
    return [...problems, `${name}: \`prefix\` must be four capitals`];
  (content.clauses as unknown[]).forEach((clause, index) => {
    if (!isRecord(clause)) {
      problems.push(`${name}, entry ${index + 1}: must be a mapping`);
      return;
    }
    const where = `${name}, ${isFilled(clause.id) ? clause.id : `entry ${index + 1}`}`;
    problems.push(...clauseProblems(clause, prefix, input).map((problem) => `${where}: ${problem}`));
  });
  return problems;
}

function duplicateProblems(input: ClauseInput): string[] {
  const idPlaces = new Map<string, string>();
  const prefixPlaces = new Map<string, string>();
  const problems: string[] = [];
  for (const { name, content } of input.files) {
    if (!isRecord(content) || !Array.isArray(content.clauses)) continue;
    const prefix = String(content.prefix);
    const owner = prefixPlaces.get(prefix);
    if (owner !== undefined) problems.push(`${name}: prefix ${prefix} belongs to ${owner}`);
    prefixPlaces.set(prefix, name);
    for (const clause of content.clauses as unknown[]) {
      if (!isRecord(clause) || !isFilled(clause.id)) continue;
      const first = idPlaces.get(clause.id);
      if (first !== undefined) problems.push(`${name}, ${clause.id}: duplicate id, first given in ${first}`);
      else idPlaces.set(clause.id, name);
    }
  }
  return problems;
}

function accountProblems(input: ClauseInput): string[] {
  const lineCount = input.contract.split("\n").length;
  const accounted = new Set<number>();
  const problems: string[] = [];
  const account = (lines: unknown): void => {
    for (const line of expandLines(lines, lineCount) ?? []) accounted.add(line);
  };
  for (const { content } of input.files)
    if (isRecord(content) && Array.isArray(content.clauses))
      for (const clause of content.clauses as unknown[]) if (isRecord(clause)) account(clause.lines);
  if (!Array.isArray(input.notClauses)) problems.push(`${notClausesFile}: must be a list`);
  else
    (input.notClauses as unknown[]).forEach((entry, index) => {
      const valid =
        isRecord(entry) &&
        isFilled(entry.why) !== isFilled(entry.open) &&
        expandLines(entry.lines, lineCount) !== undefined;
      if (valid) account(entry.lines);
      else
        problems.push(
          `${notClausesFile}, entry ${index + 1}: must hold \`lines\` and either \`why\` or \`open\``,
        );
    });
  for (const { number, text } of obligingLines(input.contract))
    if (!accounted.has(number))
      problems.push(
        `spec/contract.md:${number} has no clause and stands in no entry of ${notClausesFile}: ${text.slice(0, 70)}`,
      );
  return problems;
}

/** Every problem of the given clauses as one sentence with file and id; empty when all is well. Reads no file. */
export function problemsOf(input: ClauseInput): string[] {
  return [
    ...input.files.flatMap(({ name, content }) => fileProblems(name, content, input)),
    ...duplicateProblems(input),
    ...accountProblems(input),
  ];
}

/**
 * One sentence for each clause that can be seen and whose id is not among `cited`: by checks and rules for the server,
 * by the rules over recorded traffic for the client. Reads no file.
 */
export function uncitedOf(files: ClauseFile[], cited: ReadonlySet<string>): string[] {
  return files.flatMap((file) =>
    file.clauses
      .filter(({ id, seen }) => {
        const observable = !(typeof seen === "object" && "not_observable" in seen);
        return observable && !cited.has(id);
      })
      .map(({ id, text }) => `${file.area}.yaml, ${id}: nothing cites this clause: ${text}`),
  );
}

async function readParsed(folder: URL): Promise<{ name: string; content: unknown }[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".yaml")).sort();
  return Promise.all(
    names.map(async (name) => ({
      name,
      content: parse(await readFile(new URL(name, folder), "utf8")) as unknown,
    })),
  );
}

/** The areas of a folder (with a trailing slash), by file name; trusts their form, which `checkClauses` judges. */
export async function readClauseFiles(folder: URL = clausesFolder): Promise<ClauseFile[]> {
  const parsed = await readParsed(folder);
  return parsed.filter(({ name }) => name !== notClausesFile).map(({ content }) => content as ClauseFile);
}

async function readOperationIds(): Promise<Set<string>> {
  const paths = new URL("spec/openapi/paths/", repository);
  const names = await readdir(paths).catch(() => []);
  const texts = await Promise.all(
    names.filter((name) => name.endsWith(".yaml")).map((name) => readFile(new URL(name, paths), "utf8")),
  );
  return new Set(
    texts.flatMap((text) => [...text.matchAll(/^\s*operationId:\s*"?(\w+)/gm)].map(([, id]) => id ?? "")),
  );
}

/** Problems of spec/clauses/ as sentences; empty when all is well. */
export async function checkClauses(): Promise<string[]> {
  const parsed = await readParsed(clausesFolder);
  return problemsOf({
    files: parsed.filter(({ name }) => name !== notClausesFile),
    notClauses: parsed.find(({ name }) => name === notClausesFile)?.content,
    contract: await readFile(new URL("spec/contract.md", repository), "utf8"),
    operationIds: await readOperationIds(),
  });
}

/** Clauses of spec/clauses/ that can be seen from outside and that no id of `cited` names, as sentences. */
export async function uncitedClauses(cited: ReadonlySet<string>): Promise<string[]> {
  return uncitedOf(await readClauseFiles(), cited);
}
