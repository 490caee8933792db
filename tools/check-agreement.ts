import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { problemAt } from "../base/yaml/schema.ts";
import type { OpenApiDocument } from "./bundle.ts";
import type { Written } from "./clauses/read.ts";
import { objectOf } from "./contract/schema.ts";
import { vocabulariesOf, type Vocabulary } from "./contract/vocabularies.ts";

const repository = path.resolve(import.meta.dirname, "..");

/** The schemas with a count for each charge outcome, and the count's name. */
const countsOf: Readonly<Record<string, (outcome: string) => string>> = {
  ChargeOutcomeCounts: (outcome) => outcome,
  UsageBucket: (outcome) => `${outcome}_count`,
};

const versions = /\b\d{4}-\d{2}-\d{2}\.\d+\b/g;

/** Where the texts and schemas of spec/ disagree with its facts: the version, and what a vocabulary entails. */
export function disagreements(
  spec: OpenApiDocument,
  { areas, contract }: Pick<Written, "areas" | "contract">,
): string[] {
  const version = String(spec.info["version"]);
  const says = (text: string): string[] =>
    [...new Set(text.match(versions) ?? [])].flatMap((text) =>
      text === version ? [] : [`names version ${text}; spec/openapi/root.yaml gives ${version}`],
    );
  const vocabularies = vocabulariesOf(spec);
  const outcomes = vocabularies.find(({ name }) => name === "ChargeOutcome")!.values;
  return [
    ...says(contract).map((problem) => `spec/contract.md ${problem}`),
    ...areas.flatMap((file) =>
      file.value.clauses.flatMap(({ text, until }, index) =>
        until === undefined
          ? says(text).map((problem) => problemAt(file, ["clauses", index, "text"], problem))
          : [],
      ),
    ),
    ...vocabularies.flatMap(({ name, values, meaning }) =>
      values
        .filter((word) => meaning !== undefined && !(word in meaning))
        .map((word) => `spec/openapi/schemas/${name}.yaml: x-meaning lacks ${word}`),
    ),
    ...Object.entries(countsOf).flatMap(([schema, nameOf]) => {
      const { properties } = objectOf(objectOf(spec.components["schemas"])[schema]);
      return outcomes
        .map(nameOf)
        .filter((name) => !(name in objectOf(properties)))
        .map((name) => `spec/openapi/schemas/${schema}.yaml lacks ${name}: ChargeOutcome has the word`);
    }),
  ];
}

/** A vocabulary with words that the last release does not have. */
interface Grown extends Vocabulary {
  added: string[];
}

function grownSince(released: OpenApiDocument, spec: OpenApiDocument): Grown[] {
  const before = new Map(vocabulariesOf(released).map(({ name, values }) => [name, values]));
  return vocabulariesOf(spec).flatMap((vocabulary) => {
    const old = before.get(vocabulary.name) ?? vocabulary.values;
    const added = vocabulary.values.filter((word) => !old.includes(word));
    return added.length > 0 ? [{ ...vocabulary, added }] : [];
  });
}

/** Files that decide nothing about a new word: derived, published or purposely broken files, and tests. */
const undecided = /^generated\/|\/migrations\/|(mutants|variations|\.test|\.proof|\.fixture)\.ts$/;

/**
 * The places of the code that tell apart the words of a vocabulary that has grown since the last release. A person must
 * look at each: no tool can know what a new word means there.
 * @returns readable lines; empty if no vocabulary has grown
 */
export function placesToDecide(released: OpenApiDocument, spec: OpenApiDocument): string[] {
  const grown = grownSince(released, spec);
  if (grown.length === 0) return [];
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "*.ts"], {
    cwd: repository,
    encoding: "utf8",
  });
  const files = listed.split("\n").filter((file) => file !== "" && !undecided.test(file));
  return grown.flatMap(({ name, values, added }) => {
    const places = files.flatMap((file) =>
      linesThatDistinguish(readFileSync(path.join(repository, file), "utf8"), new Set(values)).map(
        ({ line, text }) => `  ${file}:${line}: ${text}`,
      ),
    );
    return [`${name} has the new word ${added.join(", ")}. Does each of these places still hold?`, ...places];
  });
}

/** The lines of a source that compare a value with some of the words, or list several of them. */
export function linesThatDistinguish(
  source: string,
  words: ReadonlySet<string>,
): { line: number; text: string }[] {
  // To parse a source costs a hundred times as much as to search it.
  if (![...words].some((word) => source.includes(word))) return [];
  const parsed = ts.createSourceFile("source.ts", source, ts.ScriptTarget.Latest, true);
  const lines = new Set<number>();
  const isWord = (node: ts.Node): boolean => ts.isStringLiteral(node) && words.has(node.text);
  const named = ({ name }: ts.ObjectLiteralElementLike): boolean =>
    name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteral(name)) && words.has(name.text);
  const distinguishes = (node: ts.Node): boolean => {
    if (ts.isBinaryExpression(node))
      return /^[!=]==$/.test(node.operatorToken.getText()) && (isWord(node.left) || isWord(node.right));
    if (ts.isCaseClause(node)) return isWord(node.expression);
    if (ts.isArrayLiteralExpression(node)) return node.elements.filter(isWord).length > 1;
    return ts.isObjectLiteralExpression(node) && node.properties.filter(named).length > 1;
  };
  const visit = (node: ts.Node): void => {
    if (distinguishes(node)) lines.add(parsed.getLineAndCharacterOfPosition(node.getStart()).line);
    ts.forEachChild(node, visit);
  };
  visit(parsed);
  const texts = source.split("\n");
  return [...lines].map((line) => ({ line: line + 1, text: texts[line]!.trim() }));
}
