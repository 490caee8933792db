import { readFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg } from "node:os";
import { format } from "prettier";
import { writeFiles } from "../../../base/write.ts";
import type { Figure } from "./figure.ts";
import { asTable } from "./report.ts";

/** The figures of one bench, and how they were measured. */
export interface Sitting {
  started_at: string;
  node: string;
  cpu: string;
  cores: number;
  /** Processes that wanted a core, as a mean over the minute before the bench and the minute before its end. */
  load: readonly [before: number, after: number];
  rounds: number;
  figures: readonly Figure[];
}

/** Measures a bench, and records the machine. */
export async function sitting(rounds: number, measure: () => Promise<Figure[]>): Promise<Sitting> {
  const startedAt = new Date();
  const before = loadavg()[0]!;
  const figures = await measure();
  return {
    started_at: startedAt.toISOString(),
    node: process.version,
    cpu: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    load: [before, loadavg()[0]!],
    rounds,
    figures,
  };
}

/** The newest sitting of each bench, in the order of the benches. */
export type Sittings = Readonly<Record<string, Sitting>>;

const keptFile = "tools/hardening/bench/figures.json";
const pageFile = "tools/hardening/bench/README.md";
const [begin, end] = ["<!-- figures -->", "<!-- end of the figures -->"];

/** Keeps new figures in tools/hardening/bench/figures.json with those of other benches, and shows all of them in tools/hardening/bench/README.md. */
export async function keep(measured: Sittings, order: readonly string[]): Promise<void> {
  const kept = JSON.parse(await readFile(keptFile, "utf8")) as Sittings;
  const all = { ...kept, ...measured };
  const sittings = Object.fromEntries(order.flatMap((name) => (name in all ? [[name, all[name]!]] : [])));
  const page = await format(shownIn(await readFile(pageFile, "utf8"), sittings), { parser: "markdown" });
  await writeFiles([
    [keptFile, () => `${JSON.stringify(sittings, null, 2)}\n`],
    [pageFile, () => page],
  ]);
}

/** @throws Error if the page has no place for the figures */
export function shownIn(page: string, sittings: Sittings): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`${pageFile} has no place for the figures`);
  const figures = asTable(Object.values(sittings).flatMap((each) => each.figures));
  const measured = Object.entries(sittings).map(([name, each]) => `- \`${name}\`: ${circumstances(each)}`);
  const shown = [begin, "", figures, "", ...measured, "", ""].join("\n");
  return page.slice(0, from) + shown + page.slice(to);
}

const circumstances = ({ started_at, node, cpu, cores, load, rounds }: Sitting): string =>
  `${started_at.slice(0, 16).replace("T", " ")} UTC, ${rounds} rounds, Node ${node.slice(1)}, ${cores} cores (${cpu}), ` +
  `load ${load.map((each) => each.toFixed(1)).join(" to ")}`;
