import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** A place in the server's sources, with one way to break it. */
export interface Site {
  /** File, way and source text, numbered when they repeat: the key of its disposition. */
  id: string;
  file: string;
  way: string;
}

/** An edit of a source: the original text and the mutant's. */
interface Edit {
  node: ts.Node;
  way: string;
  instead: string;
  /** A statement is removed, an expression replaced. */
  statement?: boolean;
}

/** The folder of the sources. */
export const root = new URL("../../../reference-server/", import.meta.url);

const rooms = ["operations", "billing", "audit", "accounts", "results", "http", "catalog"];

/** The sources to break: the contract's implementation, without tests and samples. */
export const files = rooms
  .flatMap((room) => globSync(`${room}/*.ts`, { cwd: fileURLToPath(root) }))
  .filter((file) => !/\.(test|proof|fixture)\.ts$|\/sample/.test(file))
  .sort();

/** A source with all its mutants, each guarded: `mutated(N)` says whether the N-th is active. */
export interface Instrumented {
  code: string;
  sites: readonly Site[];
}

/** @param first the number of the first site, so that numbers are unique across files */
export function instrumented(file: string, first: number): Instrumented {
  const text = readFileSync(new URL(file, root), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const edits: Edit[] = [];
  collect(source, edits, false);
  const seen = new Map<string, number>();
  const numbers = new Map<ts.Node, { edit: Edit; number: number }[]>();
  const sites = edits.map((edit, index): Site => {
    const words = edit.node.getText(source).replace(/\s+/g, " ").slice(0, 70);
    const name = `${file} ${edit.way}: ${words}`;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    numbers.set(edit.node, [...(numbers.get(edit.node) ?? []), { edit, number: first + index }]);
    return { id: times > 1 ? `${name} #${times}` : name, file, way: edit.way };
  });
  return { code: written(source, text, numbers), sites };
}

/** The source with each edit next to the text that it replaces. */
function written(
  source: ts.SourceFile,
  text: string,
  numbers: ReadonlyMap<ts.Node, { edit: Edit; number: number }[]>,
): string {
  const emit = (node: ts.Node): string => {
    let out = "";
    let at = node.getStart(source);
    ts.forEachChild(node, (child) => {
      // A node of no width, or one written with its sibling, has no edits inside.
      if (child.getStart(source) < at) return;
      out += text.slice(at, child.getStart(source)) + emit(child);
      at = child.getEnd();
    });
    out += text.slice(at, node.getEnd());
    for (const { edit, number } of numbers.get(node) ?? []) {
      out = edit.statement
        ? `{ if (!mutated(${number})) { ${out} } }`
        : `(mutated(${number}) ? (${edit.instead}) : (${out}))`;
    }
    return out;
  };
  return text.slice(0, source.getStart(source)) + emit(source) + text.slice(source.getEnd());
}

const swapped: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.LessThanToken]: "<=",
  [ts.SyntaxKind.LessThanEqualsToken]: "<",
  [ts.SyntaxKind.GreaterThanToken]: ">=",
  [ts.SyntaxKind.GreaterThanEqualsToken]: ">",
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: "!==",
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: "===",
  [ts.SyntaxKind.PlusToken]: "-",
  [ts.SyntaxKind.MinusToken]: "+",
  [ts.SyntaxKind.AsteriskToken]: "/",
  [ts.SyntaxKind.SlashToken]: "*",
  [ts.SyntaxKind.AmpersandAmpersandToken]: "||",
  [ts.SyntaxKind.BarBarToken]: "&&",
};

/** The edits of all code inside functions: code that runs at load time cannot be switched. */
function collect(node: ts.Node, edits: Edit[], inFunction: boolean): void {
  if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
  if (inFunction) edits.push(...editsAt(node));
  const inside = inFunction || ts.isFunctionLike(node);
  ts.forEachChild(node, (child) => collect(child, edits, inside));
}

function editsAt(node: ts.Node): Edit[] {
  const source = node.getSourceFile();
  const textOf = (part: ts.Node): string => part.getText(source);
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) {
    return [{ node: node.expression, way: "negated", instead: `!(${textOf(node.expression)})` }];
  }
  if (ts.isConditionalExpression(node)) {
    return [{ node: node.condition, way: "negated", instead: `!(${textOf(node.condition)})` }];
  }
  if (ts.isBinaryExpression(node)) return editsOfBinary(node, textOf);
  if (ts.isExpressionStatement(node) && isPlainCall(node.expression)) {
    return [{ node, way: "left out", instead: "", statement: true }];
  }
  if (ts.isReturnStatement(node) && node.expression && ts.isArrayLiteralExpression(node.expression)) {
    return node.expression.elements.length > 0
      ? [{ node: node.expression, way: "emptied", instead: "[]" }]
      : [];
  }
  return editsOfLiteral(node);
}

function editsOfBinary(node: ts.BinaryExpression, textOf: (part: ts.Node) => string): Edit[] {
  const { left, right, operatorToken } = node;
  if (operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) {
    return [{ node, way: "without its default", instead: textOf(left) }];
  }
  const isText = [left, right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side));
  const operator =
    isText && operatorToken.kind === ts.SyntaxKind.PlusToken ? undefined : swapped[operatorToken.kind];
  if (operator === undefined) return [];
  return [{ node, way: `with ${operator}`, instead: `(${textOf(left)}) ${operator} (${textOf(right)})` }];
}

/** A call made only for its effect; calls of `super` and calls that declare something are kept. */
function isPlainCall(expression: ts.Expression): boolean {
  const call = ts.isAwaitExpression(expression) ? expression.expression : expression;
  return ts.isCallExpression(call) && call.expression.kind !== ts.SyntaxKind.SuperKeyword;
}

function editsOfLiteral(node: ts.Node): Edit[] {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent) && parent.name === node) return [];
  if (
    ts.isElementAccessExpression(parent) ||
    ts.isBindingElement(parent) ||
    ts.isComputedPropertyName(parent)
  )
    return [];
  if (ts.isStringLiteral(node) && node.text.length > 0) return [{ node, way: "emptied", instead: '""' }];
  if (ts.isNumericLiteral(node)) return [{ node, way: "one more", instead: `${node.text} + 1` }];
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [{ node, way: "false", instead: "false" }];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [{ node, way: "true", instead: "true" }];
  return [];
}

/** Every source with its mutants. */
export function instrumentedAll(): ReadonlyMap<string, Instrumented> {
  const all = new Map<string, Instrumented>();
  let first = 0;
  for (const file of files) {
    const result = instrumented(file, first);
    all.set(file, result);
    first += result.sites.length;
  }
  return all;
}
