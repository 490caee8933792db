import { importsByFile } from "./check-circles.ts";
import { roomOf } from "./check-sizes.ts";

/** The rooms from the roof down: each imports from rooms below it. `spec` and `generated` are below all. */
const floors = [
  "cli",
  "tools",
  "conformance/demo",
  "conformance/reconcile",
  "conformance/certify",
  "load",
  "conformance/proof",
  "conformance/traffic",
  "conformance/drift",
  "conformance/suite",
  "conformance/run",
  "conformance/limits",
  "conformance/report",
  "conformance/changes",
  "conformance/server",
  "conformance/books",
  "conformance/judge",
  "reference-server",
  "base",
];

/** The arrows that run up; docs/ARCHITECTURE.md has the reason for each. */
const accepted = [
  "conformance/run -> conformance/suite",
  "conformance/drift -> conformance/traffic",
  "conformance/proof -> load",
];

/** Rooms that import from a room above them, a line each. */
export function upwardArrows(
  imports: ReadonlyMap<string, readonly string[]> = importsByFile(),
  from: readonly string[] = floors,
): string[] {
  const arrows = new Map<string, string>();
  for (const [file, imported] of imports)
    for (const target of imported) {
      const [room, other] = [roomOf(file), roomOf(target)];
      const isUp =
        from.includes(room) && from.indexOf(other) >= 0 && from.indexOf(other) < from.indexOf(room);
      if (isUp) arrows.set(`${room} -> ${other}`, `${file} imports ${target}`);
    }
  const fresh = [...arrows].filter(([arrow]) => !accepted.includes(arrow));
  return fresh.map(
    ([arrow, example]) =>
      `${arrow} runs up: ${example}. Move what they share down, or give the reason in docs/ARCHITECTURE.md and tools/check-arrows.ts.`,
  );
}

/** Rooms that have no floor yet. */
export const roomsWithoutFloor = (files: readonly string[] = [...importsByFile().keys()]): string[] =>
  [...new Set(files.filter((file) => file.includes("/")).map(roomOf))]
    .filter((room) => !floors.includes(room) && !["spec", "generated", "conformance"].includes(room))
    .map((room) => `${room} is a room without a floor: put it in tools/check-arrows.ts.`);
