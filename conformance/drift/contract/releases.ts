import path from "node:path";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { WrongUse } from "../../../base/exit.ts";
import { judgedQuestions } from "../../../base/judged.ts";
import { changeOf, type Change, type DriftReport } from "../change.ts";
import { placed } from "../compare.ts";
import { Document } from "../document.ts";
import { Comparison } from "../comparison.ts";
import { canonical, type Json } from "../../../base/data.ts";
import { parsedIn, readSource, type Source } from "../source.ts";

/** The parts of the project's generator that are used here. */
export interface Generator {
  generate: () => Promise<Map<string, string>>;
  staleFiles: (files: Map<string, string>) => Promise<string[]>;
}

/** Loaded on demand: the published package omits it together with its dependencies. */
const generator = new URL("../../../tools/generate.ts", import.meta.url);

/**
 * Compares a project's document with the one released under its version, if any; `npm run generate -- --release` pins a
 * release, which never changes.
 */
export function driftReleased(source: Source): Change[] {
  const comparison = new Comparison(source.document, source.document, { today: "" });
  const pinned = pinnedOf(source);
  comparePinned(comparison, [], pinned);
  for (const { version, root, name } of pinned) {
    const details = { old: `info.version ${version}`, new: String(new Document(name, root).version) };
    const where = `pinned document ${name}`;
    if (details.new !== version) comparison.add("pinned_document_changed", { where, ...details });
  }
  return placed(comparison.list, null, source);
}

/**
 * Regenerates the generated files and names those that differ from the spec or from the release.
 * @throws WrongUse outside of a checkout of this project
 */
export async function driftGenerated(): Promise<DriftReport> {
  if (!existsSync(generator)) {
    const why = "the installed package has no spec/";
    throw new WrongUse(`drift generated works in a checkout of this project; ${why}`);
  }
  const { staleFiles, generate } = (await import(generator.href)) as Generator;
  const fileOf = (name: string): string =>
    path.relative("", fileURLToPath(new URL(`../../../${name}`, import.meta.url)));
  const files = await generate();
  const stale = (await staleFiles(files)).map((name): Change => {
    const at = { file: fileOf(name), line: 1 };
    return changeOf("derived_file_stale", { where: at.file, operations: [], at });
  });
  const changes = [...stale, ...driftReleased(await readSource(fileOf("generated/openapi.json")))];
  const names = { old: "generated/", new: "spec/", old_version: null, new_version: null };
  const questions = [...files.keys()].map((what) => ({ what, lack: null }));
  const judged = judgedQuestions(questions, "file");
  return { command: "generated", ...names, changes, notes: [], judged };
}

/**
 * Compares the pinned documents of earlier releases with their current state, and the current document with the one
 * pinned under its version.
 * @param released the old document was released as it is, although nothing pins it
 */
export function comparePinned(comparison: Comparison, old: Pinned[], now: Pinned[], released = false): void {
  const after = new Map(now.map((release) => [release.version, release]));
  const pointer = "/info/version";
  const changed = (where: string, old: string, version: string): unknown =>
    comparison.add("pinned_document_changed", { where, old, new: `${version} with other content`, pointer });
  for (const was of old) {
    const is = after.get(was.version);
    const where = `pinned document ${(is ?? was).name}`;
    if (is === undefined) comparison.add("pinned_document_removed", { where, old: was.version, pointer });
    else if (canonical(was.root) !== canonical(is.root))
      changed(where, `${was.version} as released`, was.version);
  }
  const { version, root, name } = comparison.new;
  const releases = [...(released ? [comparison.old] : []), ...now, ...old];
  const sameVersion = releases.find((release) => release.version === version);
  if (sameVersion && version !== null && canonical(sameVersion.root) !== canonical(root))
    changed(`document ${name}`, `${version} as released (${sameVersion.name})`, version);
}

/** A document pinned under its version by a release, and its name in messages. */
type Pinned = ReturnType<typeof pinnedOf>[number];

/** The pinned documents in a source's tree: in the given folder, or in `released` next to the document. */
export function pinnedOf(source: Source, folder?: string) {
  const place = folder ?? path.posix.join(path.posix.dirname(source.file), "released");
  return source.tree.list(place).flatMap((file) => {
    const version = /^(.+)\.(?:json|ya?ml)$/.exec(file)?.[1];
    const parsed = version && parsedIn(source.tree, path.posix.join(place, file));
    return version && parsed ? { version, root: parsed.value as Json, name: parsed.name } : [];
  });
}
