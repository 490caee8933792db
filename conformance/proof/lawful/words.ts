import { readFileSync } from "node:fs";
import { kept } from "../../../base/data.ts";
import { clauses } from "../../../generated/clauses.ts";
import { answers, type AnswerField, type OperationId } from "../../../generated/contract.ts";

const lines = readFileSync(new URL("../../../spec/contract.md", import.meta.url), "utf8").split("\n");

/** What the contract says of a field. */
export interface Words {
  quote: string;
  /** Whether the contract names the field: then its meaning stays, whatever its form. */
  named: boolean;
}

/** The lines of the contract about answers whose fields it does not show, by operation. */
const unshown: Partial<Record<OperationId, string>> = {
  registerAnonymous: "- Anonymous register response:",
  startClaim: "- Claim-start response and the risk-block",
  verifyClaim: "- Claim-verify response:",
  getCredits: "- Credits balance response",
  getLedgerReadiness: "- Ledger readiness response:",
  listSettlements: "- Settlement history response:",
  getCreditsSpent: "- Credits-spent response",
  verifyToken: "- Token verification response:",
  exportLedger: "- Columns of the CSV exports:",
  exportUsage: "- Columns of the CSV exports:",
  listUsageFeed: "Response is a lightweight events feed",
};

/** The whole line of the contract that begins with some words. */
export function lineOf(beginning: string): string {
  const line = lines.find((line) => line.startsWith(beginning));
  if (line === undefined) throw new Error(`spec/contract.md has no line that begins with: ${beginning}`);
  return plain(line);
}

const pairsOfNames: readonly string[] = lines.flatMap((line) => /^\| (\w+ \/ \w+) \|/.exec(line)?.[1] ?? []);

/** The two names that a row of the contract gives one field; undefined for a field with a single name. */
export const namesOfOne = (name: string): string | undefined =>
  pairsOfNames.find((names) => names.split(" / ").includes(name));

/** The words about the content of an answer that the contract does not show; null where it shows the content. */
export const unshownWords = (operation: OperationId): string | null =>
  unshown[operation] === undefined ? null : lineOf(unshown[operation]);

/** The promises of a field in an operation's answers of one status. */
export const promisesOf = (operation: OperationId, status: number, path: string): readonly AnswerField[] =>
  (answers[operation][status] ?? []).filter((field) => field.path === path);

/**
 * The contract's words on a field: those of its clauses, else the line of its resource that names it, else the words on
 * the object around it. Null when there are none.
 */
export function wordsOn(operation: OperationId, status: number, path: string): Words | null {
  const own = promisesOf(operation, status, path)
    .flatMap(clausesOf)
    .flatMap(({ quote }) => quote);
  const name = path.split(".").findLast((step) => step !== "*")!;
  if (own.length > 0)
    return {
      quote: own.find((quote) => isRowOf(quote, name)) ?? own.find((quote) => names(quote, name)) ?? own[0]!,
      named: true,
    };
  if (status === 422) return { quote: lineOf("| Any operation with parameters | 422 |"), named: false };
  const object = path.replace(/\.?[^.]+$/, "");
  const sources = (answers[operation][status] ?? [])
    .filter((field) => field.path.replace(/\.?[^.]+$/, "") === object)
    .flatMap(clausesOf)
    .map(({ source }) => source);
  const line = sources.flatMap(sectionOf).find((section) => names(section, name));
  if (line !== undefined) return { quote: plain(line), named: true };
  const hidden = path.startsWith("data.") ? unshownWords(operation) : null;
  if (hidden !== null) return { quote: hidden, named: false };
  if (sources.length > 0) return { quote: `${sources[0]} (${name} is not named there)`, named: false };
  const around = object === "" ? null : wordsOn(operation, status, object);
  return (
    around && { quote: around.named ? `${around.quote} (${name} is not named)` : around.quote, named: false }
  );
}

const cited: ReadonlyMap<string, { quote: readonly string[]; source: string }> = new Map(
  clauses.map(({ id, quote, source }) => [id, { quote: [quote].flat(), source }]),
);

const clausesOf = ({ clauses: ids }: AnswerField): { quote: readonly string[]; source: string }[] =>
  ids.map((id) => cited.get(id)!);

const sections = new Map<string, readonly string[]>();

/** The lines under a heading. */
const sectionOf = (heading: string): readonly string[] => kept(sections, heading, () => readSection(heading));

function readSection(heading: string): readonly string[] {
  const from = lines.findIndex((line) => line.replace(/^#+ /, "") === heading && line.startsWith("#"));
  if (from < 0) return [];
  const end = lines.findIndex((line, index) => index > from && line.startsWith("#"));
  return lines.slice(from + 1, end < 0 ? undefined : end);
}

/** Whether a row of a table is about a field. */
const isRowOf = (row: string, name: string): boolean => {
  const [cell, ...rest] = plain(row).split(" | ");
  return rest.length > 0 && cell!.split(/[^\w.]+/).includes(name);
};

/** Whether a line names a field: between backticks, or in the first cell of a row. */
const names = (line: string, name: string): boolean =>
  line.includes(`\`${name}\``) ||
  (plain(line).split(" | ")[0] ?? "").split(/[^\w.]+/).some((word) => word.split(".").at(-1) === name);

const plain = (line: string): string => line.replace(/^[|\-\s]+|[|\s]+$/g, "");
