import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withTemporaryFolder } from "../../../cli/temporary-folder.ts";
import { stringify } from "yaml";
import { changed, clique, publicApi } from "./drift-documents.ts";
import type { Bench, Figure } from "./figure.ts";

const seed = 20_261_122;

interface Taken {
  cpuMs: number;
  megabytes: number;
  changes: number;
}

/** The cost of a comparison in its own process, as CPU time, since other work disturbs the clock. */
async function compared(
  folder: string,
  name: string,
  old: unknown,
  now: unknown,
  asYaml = false,
): Promise<Taken & { bytes: number }> {
  const files = ["old", "new"].map((side) => join(folder, `${name}-${side}.${asYaml ? "yaml" : "json"}`));
  const texts = [old, now].map((document) =>
    asYaml ? stringify(document, { aliasDuplicateObjects: false }) : JSON.stringify(document, null, 2),
  );
  for (const [index, file] of files.entries()) await writeFile(file, texts[index]!);
  const child = fork(new URL("drift-run.ts", import.meta.url), files);
  const [taken] = (await once(child, "message")) as [Taken];
  return { ...taken, bytes: Buffer.byteLength(texts[1]!) };
}

/** The cost of a comparison, as its two figures. */
function figuresOf(
  name: string,
  says: string,
  most: { cpuMs: number; megabytes: number },
  { cpuMs, megabytes, bytes, changes }: Taken & { bytes: number },
): Figure[] {
  const measured = { bytes, changes };
  const target = (value: number) => ({ kind: "most" as const, value });
  return [
    { name, says, value: cpuMs, unit: "ms", target: target(most.cpuMs), measured },
    {
      name: `${name}, memory`,
      says: "the most that the process held",
      value: megabytes,
      unit: "MB",
      target: target(most.megabytes),
      measured,
    },
  ];
}

/**
 * Compares large documents: one the size of a public API, one with many changes, one whose schemas all refer to each
 * other.
 */
export const driftBench: Bench = {
  name: "drift",
  run({ say }) {
    return withTemporaryFolder(async (folder) => {
      say("drift between two large documents");
      const large = publicApi(seed, 1200);
      const half = publicApi(seed, 600);
      const yaml = publicApi(seed + 1, 1500);
      const many = await compared(folder, "many", large, changed(large, seed, 500));
      const fewer = await compared(folder, "half", half, changed(half, seed, 250));
      return [
        ...figuresOf(
          "drift, 500 changes",
          "CPU time for a 5 MB JSON document and a copy with 500 changes",
          { cpuMs: 6000, megabytes: 700 },
          many,
        ),
        {
          name: "drift, twice the size",
          says: "of the CPU time of half the document with half the changes",
          value: many.cpuMs / fewer.cpuMs,
          unit: "ratio",
          target: { kind: "most", value: 3 },
          measured: { whole_ms: many.cpuMs, half_ms: fewer.cpuMs },
        },
        ...figuresOf(
          "drift, 4 MB of YAML",
          "CPU time for a public API's size and shape, and a copy with 50 changes",
          { cpuMs: 14_000, megabytes: 1300 },
          await compared(folder, "yaml", yaml, changed(yaml, seed, 50), true),
        ),
        ...figuresOf(
          "drift, 200 schemas",
          "CPU time for schemas that all refer to each other, and in another order",
          { cpuMs: 10_000, megabytes: 1000 },
          await compared(folder, "clique", clique(200, 0), clique(200, 1)),
        ),
      ];
    });
  },
};
