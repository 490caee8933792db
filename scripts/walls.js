import path from "node:path";

const repository = path.resolve(import.meta.dirname, "..");

const engine = ["generated", "contract", "cli/exit.ts", "yaml", "conformance/judge"];
const suite = [...engine, "conformance/subject", "conformance/runner", "conformance/suite"];
const commands = [...suite, "conformance/report", "cli"];

/** What every room of the server may import: the contract, the parts that a server is made of, its rows and its ids. */
const vocabulary = [
  "generated",
  "yaml",
  "contract",
  ...["parts", "records", "config", "ids", "nesting", "clipped", "kept-secret", "node-http"].map(
    (name) => `reference-server/${name}.ts`,
  ),
];

/** The rooms of the server, each with the rooms that it builds on. */
const rooms = [
  ["billing", []],
  ["catalog", ["billing"]],
  ["providers", ["catalog"]],
  ["results", ["catalog"]],
  ["storage", ["billing"]],
  ["accounts", ["billing", "storage"]],
  ["http", ["storage"]],
  ["audit", ["billing", "http"]],
  ["operations", ["accounts", "audit", "billing", "catalog", "http", "results", "storage"]],
  ["pages", ["accounts", "http"]],
  ["operator", ["accounts", "billing", "operations", "parts-default.ts", "settings.ts"], ["cli"]],
  ["chaos", ["http", "server.ts"]],
];

/**
 * What the files of a folder may import beside their own folder. The first row that matches a file counts; a folder
 * without a row imports what it likes.
 *
 * @type {readonly (readonly [files: RegExp, allowed: readonly string[]])[]}
 */
export const walls = [
  [
    /^reference-server\/.*\.(test|fixture)\.ts$/,
    ["generated", "cli", "contract", "yaml", "reference-server"],
  ],
  [/\.(test|fixture)\.ts$/, [""]],
  [
    /^conformance\/suite\/.*(mutants|variations|changes)\.ts$/,
    [...suite, "conformance/proof", "reference-server"],
  ],
  [/^conformance\/judge\//, engine],
  [/^conformance\/subject\//, engine],
  [/^conformance\/runner\//, [...engine, "conformance/subject"]],
  [/^conformance\/suite\//, suite],
  [/^conformance\/report\//, [...engine, "conformance/subject", "conformance/suite"]],
  [/^conformance\/init\//, commands],
  [/^conformance\/drift\//, [...commands, "conformance/traffic"]],
  [/^conformance\/demo\//, [...engine, "conformance/subject", "reference-server"]],
  ...rooms.map(([room, others, further = []]) => [
    new RegExp(`^reference-server/${room}/`),
    [...vocabulary, ...further, ...others.map((other) => `reference-server/${other}`)],
  ]),
  [/^reference-server\//, ["generated", "cli", "contract", "yaml", "reference-server"]],
  [/^cli\/(?!program)/, []],
];

/** Refuses an import that a wall forbids, and says what the importing folder may use. */
export const wallsRule = {
  meta: { type: "problem", schema: [] },
  create(context) {
    const file = path.relative(repository, context.filename);
    const wall = walls.find(([files]) => files.test(file));
    if (wall === undefined) return {};
    const own = file
      .split("/")
      .slice(0, /^(conformance|reference-server)\//.test(file) ? 2 : 1)
      .join("/");
    const allowed = [own, ...wall[1]];
    const judge = (node) => {
      const target = node.source?.value;
      if (typeof target !== "string" || !target.startsWith(".")) return;
      const resolved = path.relative(repository, path.resolve(path.dirname(context.filename), target));
      if (allowed.some((one) => one === "" || resolved === one || resolved.startsWith(`${one}/`))) return;
      context.report({ node, message: `${own} may import from ${wall[1].join(", ")}, not from ${resolved}` });
    };
    return {
      ImportDeclaration: judge,
      ImportExpression: judge,
      ExportNamedDeclaration: judge,
      ExportAllDeclaration: judge,
    };
  },
};
