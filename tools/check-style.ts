import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";
import { isPair, isScalar, LineCounter, parseDocument, visit } from "yaml";

const repository = path.resolve(import.meta.dirname, "..");

/** Who reads a text: users read pages, clauses and messages, contributors also notes (comments, internals). */
type Kind = "page" | "clause" | "message" | "note";

/** A text that a person reads, without code and quotes. */
interface Prose {
  line: number;
  kind: Kind;
  text: string;
}

/** A habit that docs/style.md names. */
interface Habit {
  /** As in the table of docs/style.md, which says what to write instead. */
  name: string;
  pattern: RegExp;
  /** Which texts must be free of it; all where absent. */
  kinds?: readonly Kind[];
}

/** A pattern whose spaces match line ends and indentation too. */
const words = (pattern: string, flags = "gi"): RegExp => new RegExp(pattern.replaceAll(" ", "\\s+"), flags);

const comparative =
  "more|less|longer|later|earlier|older|newer|larger|smaller|bigger|better|worse|higher|lower|further|other|such|different|one|use|need|way|doubt";

/** What may come before an answer that is a thing, not an act: `the answer`, `of answers`. */
const determiner = "an|the|its|their|each|every|any|no|one|this|whose|first|last|same|right|wrong|429|200";
const plural =
  "the|its|their|these|those|all|of|no|other|lost|unusual|such|without|by|from|many|few|two|three|broken|whose";

/** The twenty of docs/style.md. */
export const habits: readonly Habit[] = [
  { name: "mend", pattern: words(String.raw`\bmend(?:s|ed|ing|ings)?\b`) },
  {
    name: "red",
    pattern: words(
      String.raw`\b(?:is|are|was|were|be|turn|turns|turned|also|nothing|anything|everything|what is|more|from) red\b(?! if)|\bred (?:checks?|findings?|ones?|for this|or blocked|since)\b|\d red\b`,
    ),
  },
  { name: "hold up", pattern: words(String.raw`\b(?:hold|holds|held|holding) up\b`) },
  {
    name: "told",
    pattern: words(
      String.raw`\btold (?:apart|from|first|in|by|alone|only)\b|\b(?:is|are|was|were|be|been) told\b`,
    ),
  },
  {
    name: "stands",
    pattern: words(
      String.raw`\b(?:stands|stood)\b(?! (?:for|still|in for|out|by)\b)|\b(?:they|both|to|where|may|must|can|that|which) stand\b(?! (?:for|still|in for|out|by)\b)`,
    ),
  },
  { name: "whoever", pattern: words(String.raw`\bwho(?:so|m)?ever\b`) },
  {
    name: "all the same",
    pattern: words(String.raw`(?<!\b(?:is|are|was|were|be|been|not|have|of|at) )\ball the same\b`),
  },
  {
    name: "is no",
    pattern: words(
      String.raw`(?<!\b(?:there|here|where there) )\b(?:is|are) no (?!(?:${comparative})\b)[a-z_]+`,
    ),
  },
  {
    name: "you, in a title",
    pattern:
      /^#{1,6} You [a-z]+ .*$|^ *[-*|] +\[You [a-z]+ [^\]]*\]|^You (?:load|judge|implement|develop|reconcile|operate) .*$/gm,
  },
  {
    name: "what, as the subject",
    pattern: words(
      String.raw`(?<=^|[.:;!] )What (?:is|are|was|were|has|have|cannot|can|stands|comes|only|the \w+ \w+s|it \w+s|a \w+ \w+s)\b[^?.|]*\.(?= |$)`,
      "gm",
    ),
    kinds: ["page", "message"],
  },
  { name: "on trial", pattern: words(String.raw`\bon trial\b(?! accounts)`) },
  {
    name: "brings",
    pattern: words(
      String.raw`\b(?:brings|brought|bring) (?!about|back|up|down|together|it (?:back|up|down)|them (?:back|up|down|together))\b`,
      "g",
    ),
  },
  {
    name: "wants",
    pattern: words(
      String.raw`(?<!\b(?:client|caller|user|person|agent|reader|team|author|server|task|workers?|who|one|it|that) )\bwants (?:a|an|its|their|the|one|two|no|some)\b`,
    ),
  },
  { name: "not there", pattern: words(String.raw`\bnot there\b`) },
  {
    name: "error of the suite",
    pattern: words(String.raw`\berrors? of (?:the|this) (?:suite|harness|judge)\b`),
  },
  { name: "of yours", pattern: words(String.raw`\bof (?:yours|ours)\b`) },
  { name: "any more", pattern: words(String.raw`\bany ?more\b(?! (?:than|of|[a-z]+s)\b)`) },
  { name: "not said", pattern: words(String.raw`\b(?:is|are) not said\b`) },
  {
    name: "answer, as a noun",
    pattern: words(
      String.raw`\b(?:(?:${determiner}) answer|(?:${plural}) answers)\b(?! (?:to|with|the|every|each|an?) )`,
    ),
    kinds: ["page", "clause"],
  },
  {
    name: "judge",
    pattern: words(String.raw`(?<!of )\bjudg(?:e|es|ed|ing|ements?|ments?)\b`),
    kinds: ["page"],
  },
];

/** The habits in a file, as `file:line: habit: the words`. */
export function habitsIn(file: string, content: string): string[] {
  return proseOf(file, content).flatMap(({ line, kind, text }) =>
    habits
      .filter(({ kinds }) => kinds === undefined || kinds.includes(kind))
      .flatMap(({ name, pattern }) =>
        [...text.matchAll(pattern)].map(
          ({ 0: match, index }) =>
            `${file}:${line + text.slice(0, index).split("\n").length - 1}: "${match.replaceAll(/\s+/g, " ").trim()}" (${name})`,
        ),
      ),
  );
}

/** Texts by others, or of another time: the contract, what was released, and the examples of habits. */
const notOurs =
  /^generated\/|^spec\/(?:contract\.md$|openapi\/)|earlier\.test\.ts$|^docs\/style\.md$|(?:^|\/)check-style\.(?:test\.)?ts$/;

/** Every habit in some files, or in all of the repository. */
export function habitsOfFiles(files = filesOfRepository()): string[] {
  return files
    .filter((file) => /\.(?:md|ya?ml|ts|js|mjs)$/.test(file) && !notOurs.test(file))
    .flatMap((file) => habitsIn(file, readFileSync(path.join(repository, file), "utf8")));
}

const filesOfRepository = (): string[] =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: repository,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  }).split("\n");

/** What a person reads of a file. */
export function proseOf(file: string, content: string): Prose[] {
  if (file.endsWith(".md")) return [{ line: 1, kind: pageKind(file), text: withoutCode(content) }];
  if (/\.ya?ml$/.test(file)) return proseOfYaml(file, content);
  return proseOfCode(file, content);
}

/** Pages that explain the sources may speak as these do. */
const pageKind = (file: string): Kind =>
  /^docs\/(?:internals|decisions)\/|ARCHITECTURE|CONTRIBUTING|proof\.md$|\/README\.md$/.test(file)
    ? "note"
    : "page";

/** A text with its inline code, and the quotes of readings and dispositions, blanked out. Lines stay. */
const withoutCode = (text: string): string =>
  text
    .replaceAll(/^( *)```[a-z]+$[\s\S]*?^\1```$/gm, blank)
    .replaceAll(/(?<!`)`[^`\n]+(?:\n[^`\n]+)?`(?!`)/g, blank)
    .replaceAll(/\]\([^)\s]*\)/g, blank)
    .replaceAll(/^> .*$/gm, blank)
    .replaceAll(/\("[^"\n]*"\)/g, blank);

const blank = (text: string): string => text.replaceAll(/[^\n]/g, "_");

/** Members whose text is somebody else's: the contract's words, and code. */
const quoted = new Set(["quote", "permitted_by", "pattern", "run", "curl"]);

/** The comments and sentences of a YAML file. */
function proseOfYaml(file: string, content: string): Prose[] {
  const lines = new LineCounter();
  const kind = file.startsWith("spec/") ? "clause" : "message";
  const prose: Prose[] = content
    .split("\n")
    .flatMap((text, index) =>
      /^\s*#/.test(text) ? [{ line: index + 1, kind: "note" as const, text: withoutCode(text) }] : [],
    );
  visit(parseDocument(content, { lineCounter: lines }), {
    Pair(_, pair) {
      return isScalar(pair.key) && quoted.has(String(pair.key.value)) ? visit.SKIP : undefined;
    },
    Scalar(key, node, parents) {
      if (key === "key" || typeof node.value !== "string" || !/\s/.test(node.value)) return;
      if (
        parents.some(
          (parent) => isPair(parent) && isScalar(parent.key) && quoted.has(String(parent.key.value)),
        )
      )
        return;
      prose.push({ line: lines.linePos(node.range![0]).line, kind, text: withoutCode(node.value) });
    },
  });
  return prose;
}

/** The comments, and the literals of more than one word, of a source file. */
function proseOfCode(file: string, content: string): Prose[] {
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true);
  const lineAt = (position: number): number => source.getLineAndCharacterOfPosition(position).line + 1;
  const kind = /\.(?:test|proof|fixture)\.ts$/.test(file) ? "note" : "message";
  const prose: Prose[] = [];
  const commented = new Set<number>();
  const add = (node: ts.Node, text: string, of: Kind): number =>
    prose.push({ line: lineAt(node.getStart()), kind: of, text: withoutCode(text) });
  const read = (node: ts.Node): void => {
    const comments = [
      ...(ts.getLeadingCommentRanges(content, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(content, node.end) ?? []),
    ];
    for (const { pos, end } of comments) {
      if (commented.has(pos)) continue;
      commented.add(pos);
      const text = content.slice(pos, end).replaceAll(/\n\s*(?:\*|\/\/)/g, "\n");
      prose.push({ line: lineAt(pos), kind: "note", text: withoutCode(text) });
    }
    if (ts.isStringLiteralLike(node) && /\s/.test(node.text)) add(node, node.text, kind);
    if (ts.isTemplateExpression(node))
      add(node, [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("_"), kind);
    ts.forEachChild(node, read);
  };
  read(source);
  return prose;
}
