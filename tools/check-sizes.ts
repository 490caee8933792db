import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";

/**
 * The maximum lines of production TypeScript in each room. In a room that outgrows its budget, first look for code to
 * remove; to raise the number, say why in the commit.
 */
const budgets: Readonly<Record<string, number>> = {
  cli: 1_261,
  "conformance/certify": 2_000,
  "conformance/changes": 692,
  "conformance/drift": 4_496,
  "conformance/history": 1_856,
  "conformance/judge": 2_561,
  "conformance/proof": 6_434,
  "conformance/reconcile": 1_576,
  "conformance/report": 3_524,
  "conformance/run": 2_224,
  "conformance/server": 4_912,
  "conformance/suite": 22_117,
  "conformance/traffic": 3_083,
  load: 6_648,
  "reference-server": 15_807,
  "reference-server/hardening": 4_976,
  tools: 3_999,
};

const repository = path.resolve(import.meta.dirname, "..");
const isProduction = (file: string): boolean =>
  /\.(?:ts|js)$/.test(file) &&
  !/^generated\/|\.(?:test|proof|fixture)\.ts$|(?:^|\/)(?:fixtures?|example)\//.test(file);

/** Lines of production code by room: a file belongs to the longest name that leads to it. */
function linesByRoom(): Map<string, number> {
  const listed = execFileSync("git", ["ls-files"], { cwd: repository, encoding: "utf8" }).split("\n");
  const rooms = Object.keys(budgets).toSorted((one, other) => other.length - one.length);
  const lines = new Map<string, number>();
  for (const file of listed.filter(isProduction)) {
    const room = rooms.find((name) => file.startsWith(`${name}/`)) ?? path.dirname(file);
    const text = readFileSync(path.join(repository, file), "utf8");
    lines.set(room, (lines.get(room) ?? 0) + text.split("\n").length - 1);
  }
  return lines;
}

/** Rooms above their budget, and rooms without one. */
export const oversizedRooms = (lines = linesByRoom()): string[] =>
  [...lines].flatMap(([room, count]) => {
    const budget = budgets[room];
    if (budget === undefined) return [`${room} has ${count} lines and no budget in tools/check-sizes.ts`];
    return count <= budget ? [] : [`${room} has ${count} lines, ${count - budget} above its budget`];
  });

/** The rest of each budget, in one line. */
export function budgetsLeft(lines = linesByRoom()): string {
  const total = [...lines.values()].reduce((sum, count) => sum + count, 0);
  const left = Object.entries(budgets).map(([room, budget]) => `${room} ${budget - (lines.get(room) ?? 0)}`);
  return `${total} lines of production code; left of the budgets: ${left.join(", ")}`;
}
