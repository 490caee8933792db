import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import ts from "typescript";
import { operationsOf } from "./contract/operations.ts";
import { objectOf, strings } from "./contract/schema.ts";
import { listName, membersName, vocabulariesOf } from "./contract/vocabularies.ts";
import type { OpenApiDocument } from "./bundle.ts";

const repository = path.resolve(import.meta.dirname, "..");

/** A second copy of a fact of the contract. */
export interface Copy {
  file: string;
  line: number;
  /** The copied fact, and where to read it instead. */
  message: string;
}

/** A vocabulary, with its name in generated/contract.ts. */
interface WordList {
  name: string;
  words: ReadonlySet<string>;
  /** This many of its words in one list are a copy; fewer are a selection. */
  enough: number;
}

/** The facts to look for. */
export interface Facts {
  version: string;
  lists: readonly WordList[];
  paths: ReadonlySet<string>;
  quotas: ReadonlyMap<string, number>;
}

const wordList = (name: string, words: readonly string[]): WordList => ({
  name,
  words: new Set(words),
  enough: words.length <= 4 ? words.length : Math.ceil(words.length / 2),
});

/** The facts of a bundle that code must not repeat. */
export function factsOf(spec: OpenApiDocument): Facts {
  const operations = operationsOf(spec);
  const limited = operations.flatMap(({ id, operation }) => {
    const { requests } = objectOf(operation["x-rate-limit"]);
    return typeof requests === "number" ? [[id, requests] as const] : [];
  });
  const lists = vocabulariesOf(spec).flatMap(({ name, values, members }) => [
    wordList(listName(name), values),
    ...Object.values(members?.lists ?? {}).map((list) =>
      wordList(membersName(name, members!.of), strings(list)),
    ),
  ]);
  return {
    version: String(spec.info["version"]),
    lists: [
      ...lists.filter(({ words }) => words.size >= 3),
      wordList(
        "operationIds",
        operations.map(({ id }) => id),
      ),
      // A few of them are the steps of a scenario.
      {
        ...wordList(
          "limitedOperations",
          limited.map(([id]) => id),
        ),
        enough: limited.length,
      },
    ],
    paths: new Set(operations.map((operation) => operation.path)),
    quotas: new Map(limited),
  };
}

/** The copies of facts in one file. */
export function copiesIn(file: string, text: string, facts: Facts): Copy[] {
  const inLines = text.split("\n").flatMap((content, index) => {
    const message = copyInLine(content, facts);
    return message === null ? [] : [{ file, line: index + 1, message }];
  });
  return file.endsWith(".ts") ? [...inLines, ...copiesInCode(file, text, facts)] : inLines;
}

function copyInLine(line: string, { version, quotas }: Facts): string | null {
  if (line.includes(version)) return "the contract's version; read contractVersion of generated/contract.ts";
  const stated = [...quotas].filter(([id, requests]) => new RegExp(`\\b${id}: ${requests}\\b`).test(line));
  return stated.length >= 3 ? quotaMessage : null;
}

const quotaMessage = "the default quotas; read operations.<id>.rateLimit of generated/contract.ts";

function copiesInCode(file: string, text: string, facts: Facts): Copy[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const copies: Copy[] = [];
  const visit = (node: ts.Node): void => {
    const message = copyAt(node, facts);
    if (message === null) ts.forEachChild(node, visit);
    else
      copies.push({
        file,
        line: source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1,
        message,
      });
  };
  visit(source);
  return copies;
}

/** This many paths in one literal are a table; fewer are the steps of a scenario, common in tests. */
const pathsOfTable = 12;

/** The facts that a node copies; null if there are none. */
function copyAt(node: ts.Node, { lists, paths }: Facts): string | null {
  if (ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node)) {
    const found = new Set(stringsBelow(node).filter((text) => paths.has(text)));
    if (found.size >= pathsOfTable)
      return "a table of paths; read operations.<id>.path of generated/contract.ts";
  }
  const words = [...new Set(wordsOf(node))];
  for (const list of lists) {
    const copied = words.filter((word) => list.words.has(word));
    if (copied.length >= list.enough)
      return `${copied.join(", ")}; read ${list.name} of generated/contract.ts`;
  }
  return null;
}

/** The strings directly in a list or in a union of literal types. */
function wordsOf(node: ts.Node): string[] {
  if (ts.isArrayLiteralExpression(node))
    return node.elements.flatMap((expression) => (ts.isStringLiteral(expression) ? [expression.text] : []));
  if (!ts.isUnionTypeNode(node)) return [];
  return node.types.flatMap((member) =>
    ts.isLiteralTypeNode(member) && ts.isStringLiteral(member.literal) ? [member.literal.text] : [],
  );
}

/** The strings in a literal of lists and objects, at any depth; functions are skipped. */
function stringsBelow(node: ts.Node): string[] {
  if (ts.isStringLiteral(node)) return [node.text];
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(stringsBelow);
  if (!ts.isObjectLiteralExpression(node)) return [];
  return node.properties.flatMap((property) =>
    ts.isPropertyAssignment(property) ? stringsBelow(property.initializer) : [],
  );
}

const judged = /\.(ts|md|ya?ml|json|service|conf|env|sh)$/;
/**
 * Files in which facts are written or derived, migrations, which must not change once published, and what an earlier
 * release wrote.
 */
const left =
  /^(spec|generated|docs|reference-server\/storage\/migrations)\/|^CHANGELOG\.md$|^package-lock\.json$|-\d\.\d\.\d\.fixture\.json$/;

/** Looks for second copies of the contract's facts in the files of the repository. */
export async function checkCopies(spec: OpenApiDocument): Promise<string[]> {
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: repository,
    encoding: "utf8",
  });
  const files = listed.split("\n").filter((file) => judged.test(file) && !left.test(file));
  const facts = factsOf(spec);
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(path.join(repository, file), "utf8").catch(() => "");
      return copiesIn(file, text, facts);
    }),
  );
  return found.flat().map(({ file, line, message }) => `${file}:${line}: a second copy of ${message}`);
}
