import { readdirSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import path from "node:path";
import ts from "typescript";
import { repository } from "./pages.ts";

/** Where something is declared, and its text there. */
export interface Source {
  /** The file in the repository, and the line on which the text begins. */
  file: string;
  line: number;
  text: string;
}

interface File {
  name: string;
  text: string;
  /** The text as it runs: the types are blanks, so every place is the same as in `text`. */
  stripped: string;
}

/** The folders that checks, rules and wrong clients are written in. */
const folders = ["conformance/suite", "conformance/judge", "conformance/traffic/clients"];

const files: readonly File[] = folders.flatMap((folder) =>
  readdirSync(path.join(repository, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => {
      const text = readFileSync(path.join(repository, folder, name), "utf8");
      return { name: `${folder}/${name}`, text, stripped: stripTypeScriptTypes(text) };
    }),
);

const trees = new Map<File, ts.SourceFile>();

function treeOf(file: File): ts.SourceFile {
  let tree = trees.get(file);
  if (tree === undefined) {
    tree = ts.createSourceFile(file.name, file.text, ts.ScriptTarget.Latest, true);
    trees.set(file, tree);
  }
  return tree;
}

/** The functions that declare checks and rules. */
const declaring = /^(check|rule|crossing)$/;

const known = new Map<string, Source>();

/** The declaration of a check, a rule or a class by one of its functions. @throws Error if no file holds it */
export function sourceOf(judging: object): Source {
  const text = Function.prototype.toString.call(judging);
  const found = known.get(text);
  if (found !== undefined) return found;
  const file = files.find(({ stripped }) => stripped.includes(text));
  if (file === undefined) throw new Error(`no file of the suite holds ${text.slice(0, 80)}`);
  const at = file.stripped.indexOf(text);
  const source = declarationAt(file, at, at + text.length);
  known.set(text, source);
  return source;
}

/** The call of `check`, `rule` or `crossing` around a place, or else the statement. */
function declarationAt(file: File, from: number, to: number): Source {
  const parsed = treeOf(file);
  let statement: ts.Node = parsed;
  let call: ts.Node | undefined;
  const visit = (node: ts.Node): void => {
    if (node.getStart() > from || node.end < to) return;
    if (ts.isStatement(node) || ts.isPropertyAssignment(node)) statement = node;
    if (ts.isCallExpression(node) && declaring.test(node.expression.getText())) call = node;
    node.forEachChild(visit);
  };
  parsed.forEachChild(visit);
  const chosen = call ?? statement;
  const { line, character } = parsed.getLineAndCharacterOfPosition(chosen.getStart());
  return { file: file.name, line: line + 1, text: outdented(chosen.getText(), character) };
}

const outdented = (text: string, by: number): string => text.replaceAll(`\n${" ".repeat(by)}`, "\n");
