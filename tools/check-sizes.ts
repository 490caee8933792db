import { globSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Lines of production code by room. */
export type Sizes = Readonly<Record<string, number>>;

/** The sizes at a release. */
interface Release {
  release: string;
  lines: Sizes;
}

const repository = path.resolve(import.meta.dirname, "..");
const record = path.join(import.meta.dirname, "released-sizes.json");

/**
 * The size of each room, and how it has changed since a release. It is shown, and fails nothing: a function is written
 * for its reader, even where that takes three lines more.
 */
export function sizesNote(now: Sizes = linesByRoom(), { release, lines }: Release = readRecord()): string[] {
  const total = changeOf(sumOf(now), sumOf(lines));
  const rooms = [...new Set([...Object.keys(now), ...Object.keys(lines)])].toSorted();
  const width = Math.max(...rooms.map((room) => room.length));
  return [
    `Lines of production code by room, with the change since ${release}: ${total}`,
    ...rooms.map((room) => `  ${room.padEnd(width)}  ${changeOf(now[room], lines[room])}`),
  ];
}

/** Records today's sizes as those of a release. @returns the file */
export function recordSizes(release: string): string {
  const text: Release = { release, lines: linesByRoom() };
  writeFileSync(record, `${JSON.stringify(text, null, 2)}\n`);
  return path.relative(repository, record);
}

/** The room of a file: its folder at the top level, or within `conformance/`. */
export function roomOf(file: string): string {
  const folders = path.dirname(file).split("/");
  return folders.slice(0, folders[0] === "conformance" ? 2 : 1).join("/");
}

/** Folders without production code; `data` and `reports` are what servers and runs leave behind. */
const otherFolders = [
  "node_modules",
  "dist",
  "generated",
  "data",
  "reports",
  "fixture",
  "fixtures",
  "example",
];

/** Counts the files of the work tree, also those that are not committed yet. */
function linesByRoom(): Sizes {
  const files = globSync("**/*.{ts,js}", {
    cwd: repository,
    exclude: (file) => otherFolders.includes(path.basename(file)),
  });
  const lines: Record<string, number> = {};
  for (const file of files.filter((name) => !/\.(?:test|proof|fixture)\.ts$/.test(name))) {
    const text = readFileSync(path.join(repository, file), "utf8");
    lines[roomOf(file)] = (lines[roomOf(file)] ?? 0) + text.split("\n").length - 1;
  }
  return lines;
}

const readRecord = (): Release => JSON.parse(readFileSync(record, "utf8")) as Release;

const sumOf = (sizes: Sizes): number => Object.values(sizes).reduce((sum, count) => sum + count, 0);

const inThousands = new Intl.NumberFormat("en");
const signed = new Intl.NumberFormat("en", { signDisplay: "exceptZero" });

function changeOf(now: number | undefined, before: number | undefined): string {
  if (now === undefined) return `gone (${signed.format(-before!)})`;
  const count = inThousands.format(now);
  return before === undefined ? `${count} (new)` : `${count} (${signed.format(now - before)})`;
}
