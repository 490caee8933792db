import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { WrongUse } from "../../../cli/exit.ts";
import { changeOf, type Change, type DriftReport } from "../change.ts";
import { placed } from "../compare.ts";
import { Document } from "../document.ts";
import { Findings } from "../findings.ts";
import { readSource, type Source } from "../source.ts";
import { comparePinned, pinnedOf } from "./pinned.ts";

/** The parts of the project's generator that are used here. */
export interface Generator {
  generate: () => Promise<Map<string, string>>;
  staleFiles: (files: Map<string, string>) => Promise<string[]>;
}

/**
 * The generator is in tools/, which the published package omits together with its dependencies, so it is loaded on
 * demand.
 */
const generator = new URL("../../../tools/generate.ts", import.meta.url);

/**
 * Compares a project's document with the one released under its version, if any; `npm run generate -- --release` pins a
 * release, which never changes.
 */
export function driftReleased(source: Source): Change[] {
  const findings = new Findings(source.document, source.document, { today: "" });
  const pinned = pinnedOf(source);
  comparePinned(findings, [], pinned, false);
  for (const { version, document, name } of pinned) {
    const own = new Document(name, document).version;
    if (own === version) continue;
    const found = { old: `info.version ${version}`, new: String(own) };
    findings.add("pinned_document_changed", { where: `pinned document ${name}`, ...found });
  }
  return placed(findings.list, null, source);
}

/**
 * Regenerates the generated files and names those that differ from the spec or from the release.
 * @throws WrongUse outside of a checkout of this project
 */
export async function driftGenerated(): Promise<DriftReport> {
  if (!existsSync(generator)) {
    throw new WrongUse(
      "drift generated works in a checkout of this project; the installed package has no spec/",
    );
  }
  const { staleFiles, generate } = (await import(generator.href)) as Generator;
  const repository = fileURLToPath(new URL("../../../", import.meta.url));
  const stale = (await staleFiles(await generate())).map((name): Change => {
    const file = path.relative("", path.join(repository, name));
    return changeOf("derived_file_stale", { where: file, operations: [], at: { file, line: 1 } });
  });
  const document = path.relative("", path.join(repository, "generated/openapi.json"));
  const changes = [...stale, ...driftReleased(await readSource(document))];
  const names = { old: "generated/", new: "spec/", old_version: null, new_version: null };
  return { command: "generated", ...names, changes, notes: [] };
}
