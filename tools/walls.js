import path from "node:path";

const repository = path.resolve(import.meta.dirname, "..");

const engine = [
  "generated",
  "base/address.ts",
  "base/pinned.ts",
  "base/data.ts",
  "base/escaped.ts",
  "base/version-order.ts",
  "base/plain.ts",
  "base/exit.ts",
  "base/read.ts",
  "base/seeded.ts",
  "base/written.ts",
  "base/yaml",
  "conformance/judge",
];
const judges = [...engine, "conformance/books"];
const suite = [...judges, "conformance/limits", "conformance/server", "conformance/run", "conformance/suite"];
const commands = [...suite, "conformance/report", "base"];

/** What every folder of the server may import: the contract, the interfaces of the parts, the rows and the ids. */
const vocabulary = [
  "generated",
  "base/data.ts",
  "base/escaped.ts",
  "base/yaml",
  "base/pinned.ts",
  ...[
    "parts",
    "records",
    "config",
    "ids",
    "nesting",
    "clipped",
    "kept-secret",
    "node-http",
    "system-clock",
  ].map((name) => `reference-server/${name}.ts`),
];

/** The folders of the server, each with the folders that it builds on. */
const rooms = [
  ["billing", []],
  ["catalog", ["billing"]],
  ["providers", ["catalog"]],
  ["results", ["catalog"]],
  ["storage", ["billing"]],
  ["accounts", ["billing", "storage"]],
  ["http", ["storage"]],
  ["audit", ["billing", "http", "storage/reader.ts", "storage/scalars.ts"]],
  ["operations", ["accounts", "audit", "billing", "catalog", "http", "results", "storage"]],
  ["pages", ["accounts", "http"]],
  ["operator", ["accounts", "billing", "operations", "parts-default.ts", "settings.ts"], ["base"]],
  ["chaos", ["http", "server.ts"]],
];

/**
 * The allowed imports of files from outside their own folder, and what is forbidden inside it. The first matching row
 * applies; a folder without a row is unrestricted.
 *
 * @type {readonly (readonly [files: RegExp, allowed: readonly string[], forbidden?: readonly string[]])[]}
 */
export const walls = [
  [/^reference-server\/.*\.(test|proof|fixture)\.ts$/, ["generated", "base", "reference-server"]],
  [/\.(test|proof|fixture)\.ts$/, [""]],
  [
    /^conformance\/suite\/.*(mutants|variations|changes)\.ts$/,
    [...suite, "conformance/changes", "conformance/proof", "reference-server"],
  ],
  [/^conformance\/judge\//, engine],
  [/^conformance\/books\//, engine],
  [/^conformance\/server\//, judges],
  [/^conformance\/limits\//, engine],
  [
    /^conformance\/run\/(init\/|(?:earlier-report|flags|judged|library|main|plan|publish|vitest)[.])/,
    [...commands, "conformance/run"],
  ],
  [
    /^conformance\/run\/demo\//,
    [...judges, "base/temporary-folder.ts", "conformance/server", "reference-server"],
  ],
  [/^conformance\/demo\/server[.]/, ["base/pinned.ts", "generated"], ["conformance/demo/main.ts"]],
  [/^conformance\/demo\//, commands],
  [/^conformance\/run\//, [...judges, "conformance/server"]],
  [/^conformance\/suite\//, suite],
  [/^conformance\/report\/(compare-main|explain)[.]/, commands],
  [
    /^conformance\/report\//,
    [
      ...engine,
      "base/judged.ts",
      "base/junit.ts",
      "base/paint.ts",
      "conformance/server",
      "conformance/suite",
    ],
  ],
  [
    /^conformance\/certify\//,
    [
      ...commands,
      "conformance/changes",
      "conformance/proof/lawful",
      "conformance/traffic",
      "reference-server",
    ],
  ],
  [/^conformance\/reconcile\//, [...commands, "conformance/traffic"]],
  [/^conformance\/traffic\//, [...commands, "conformance/drift"], ["conformance/drift/contract"]],
  [/^conformance\/drift\/(?:contract\/|main[.])/, [...commands, "conformance/traffic"]],
  // The general half compares documents of any API.
  [
    /^conformance\/drift\//,
    [
      "base/address.ts",
      "base/data.ts",
      "base/escaped.ts",
      "base/exit.ts",
      "base/judged.ts",
      "base/junit.ts",
      "base/plain.ts",
      "base/read.ts",
      "base/version-order.ts",
      "base/yaml",
    ],
    ["conformance/drift/contract"],
  ],
  ...rooms.map(([room, others, further = []]) => [
    new RegExp(`^reference-server/${room}/`),
    [...vocabulary, ...further, ...others.map((other) => `reference-server/${other}`)],
  ]),
  [/^reference-server\//, ["generated", "base", "reference-server"]],
  // What knows no contract is exported on its own.
  [/^load\/engine\//, ["base/exit.ts"]],
  [/^base\//, []],
];

/** Refuses forbidden imports, and lists what the importing folder may use. */
export const wallsRule = {
  meta: { type: "problem", schema: [] },
  create(context) {
    const file = path.relative(repository, context.filename);
    const wall = walls.find(([files]) => files.test(file));
    if (wall === undefined) return {};
    const own = file
      .split("/")
      .slice(0, /^(conformance|reference-server|load\/engine)\//.test(file) ? 2 : 1)
      .join("/");
    const allowed = [own, ...wall[1]];
    const judge = (node) => {
      const target = node.source?.value;
      if (typeof target !== "string" || !target.startsWith(".")) return;
      const resolved = path.relative(repository, path.resolve(path.dirname(context.filename), target));
      const isIn = (place) => place === "" || resolved === place || resolved.startsWith(`${place}/`);
      if (allowed.some(isIn) && !wall[2]?.some(isIn)) return;
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
