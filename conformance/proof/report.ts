import { paintFor } from "../../base/paint.ts";
import { excuseFor, reasonOf, reasonsOf, type Reasons } from "./dispositions.ts";
import type { GeneratedKill } from "./kill.ts";
import { marks, type Became, type Remark, type Scope, type Source } from "./source.ts";
import type { Fate } from "./store.ts";

/**
 * Prints what became of the subjects of a source.
 * @returns whether something is wrong: a mutant survives that an earlier run killed, or that has no recorded reason; of
 * the code, too many survive; a check is at fault
 */
export function report<Result>(source: Source<Result>, results: readonly Result[], scope: Scope): boolean {
  const became = results.map(source.becameOf);
  const reasons = reasonsOf(source.name);
  const { minKilled } = source;
  const open = became.filter((mutant) => isOpen(mutant, reasons, minKilled === undefined));
  const remarks: Remark[] = [
    ...scope.unfinished.map((what): Remark => ["✗ not judged", what]),
    ...became.flatMap(remarksOn),
    ...(source.remarksOf?.(results, scope) ?? []),
    ...scope.lost.map((id): Remark => ["✗ was killed before", id]),
  ];
  printRemarks([...remarks, ...open.map((mutant) => survivor(mutant, reasons))]);
  if (open.some(({ id }) => excuseFor(id, reasons.dispositions) === null) && source.name !== "hand")
    console.log(
      "    a survivor needs a check that fails on it, or a reason in dispositions.yaml, which --publish --excuse records",
    );
  printFirsts(became);
  const figures = figuresOf(became, reasons);
  for (const line of source.figuresOf?.(results) ?? [`generated mutants: ${inWords(figures)}`])
    console.log(line);
  // The rate of a part is not meaningful.
  const areTooMany =
    minKilled === undefined ? open.length > 0 : scope.complete && shareKilled(figures) < minKilled;
  return areTooMany || areWrong(remarks);
}

/** What became of a generated mutant. */
export const fateOf = ({ killed_by: killers, met }: GeneratedKill): Fate =>
  killers.length > 0 ? "killed" : met > 0 ? "survived" : "unmet";

/** Prints remarks by their marks. */
export function printRemarks(remarks: readonly Remark[]): void {
  const paint = paintFor(process.stdout);
  const colour = (mark: string) => (mark.startsWith("✗") ? "red" : mark.startsWith("!") ? "yellow" : "reset");
  for (const mark of marks)
    for (const [of, text] of remarks) if (of === mark) console.log(`${paint(colour(mark), mark)}  ${text}`);
}

export const areWrong = (remarks: readonly Remark[]): boolean =>
  remarks.some(([mark]) => mark.startsWith("✗"));

/** Whether a mutant survives without a recorded reason; one that nothing meets is only open where each needs a reason. */
const isOpen = ({ id, fate }: Became, reasons: Reasons, isEach: boolean): boolean =>
  (fate === "survived" || (fate === "unmet" && isEach)) && reasonOf(id, reasons) === null;

function survivor({ id, blocked = [] }: Became, { dispositions }: Reasons): Remark {
  const because = blocked.length > 0 ? `  (not judged: ${blocked.slice(0, 3).join(", ")})` : "";
  const excuse = excuseFor(id, dispositions);
  const hint = excuse && `\n    if it is so that ${excuse.because}, add --publish --excuse to record it`;
  return ["✗ survived", `${id}${because}${hint ?? ""}`];
}

/** The checks that are at fault about a mutant. */
function remarksOn({ id, unsound = [], blind = [], first }: Became): Remark[] {
  return [
    ...(unsound.length > 0
      ? [["✗ does not pass on the unaltered server", `${id}: ${unsound.join(", ")}`] as const]
      : []),
    ...(blind.length > 0 ? [["✗ passes blindly", `${id}: ${blind.join(", ")}`] as const] : []),
    ...(first === "neither" ? [["! reported elsewhere", id] as const] : []),
  ];
}

function printFirsts(became: readonly Became[]): void {
  const firsts = Map.groupBy(became, ({ first }) => first);
  const [clause, operation, neither] = (["clause", "operation", "neither"] as const).map(
    (what) => firsts.get(what)?.length ?? 0,
  );
  if (firsts.size > Number(firsts.has(undefined)))
    console.log(`first findings: ${clause} cite the clause, ${operation} the operation, ${neither} neither`);
}

/** The number killed, and the number that live, by kind of reason. */
function figuresOf(became: readonly Became[], reasons: Reasons): Record<string, number> {
  const ends = became.map(({ id, fate }) => {
    if (fate === "killed") return fate;
    return reasonOf(id, reasons)?.is ?? (fate === "survived" ? "unexplained" : "unreached");
  });
  return Object.fromEntries([...Map.groupBy(ends, (end) => end)].map(([end, all]) => [end, all.length]));
}

const inWords = (figures: Record<string, number>): string =>
  Object.entries(figures)
    .map(([what, count]) => `${count} ${what}`)
    .join(", ") || "none to run";

/**
 * The share killed among the mutants that break the contract: a survivor counts when its reason is a gap, or when it
 * has none.
 */
const shareKilled = ({ killed = 0, hole = 0, unexplained = 0 }: Record<string, number>): number =>
  killed / Math.max(1, killed + hole + unexplained);
