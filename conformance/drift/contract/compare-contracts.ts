import path from "node:path";
import { WrongUse } from "../../../cli/exit.ts";
import { affectedBy, type Crossed } from "../affected.ts";
import type { Change, DriftReport } from "../change.ts";
import { compareDocuments, placed, sorted } from "../compare.ts";
import { filtered, titlesOf, type Filter } from "../filter.ts";
import type { Settings } from "../finding.ts";
import type { Source } from "../source.ts";
import { compareVersions } from "../versions.ts";
import { compareClauses, readClauses } from "./clauses.ts";
import { compareConstants, compareFacts, vocabulariesOf } from "./compare-facts.ts";
import { comparePinned, pinnedOf } from "./pinned.ts";
import { readdirSync, statSync } from "node:fs";
import { recordedIn } from "../../traffic/har.ts";

/** What a comparison of two contracts needs besides their documents. */
export interface CompareOptions {
  /** The folders of the clauses; by default `spec/clauses` of each document's project. */
  oldClauses?: string | undefined;
  newClauses?: string | undefined;
  /** The folder, in each document's tree, of the pinned releases: `<version>.json` or `.yaml`. */
  pinned?: string | undefined;
  /** The old document was released as it is: nothing may change under its version. */
  released?: boolean | undefined;
  /** A HAR file or a folder of them: finds the clients that would have been affected. */
  traffic?: string | undefined;
  settings: Settings;
  filter?: Filter | undefined;
}

/**
 * Compares two contracts: their documents, clauses, versions and pinned releases.
 * @throws WrongUse when clauses or pinned documents cannot be read
 */
export async function compareContracts(
  old: Source,
  now: Source,
  options: CompareOptions,
): Promise<DriftReport> {
  const notes: string[] = [];
  const vocabularies = vocabulariesOf(old.document, now.document);
  const findings = compareDocuments(old.document, now.document, { ...options.settings, vocabularies });
  compareFacts(findings);
  const ofClauses = clauseFindings(old, now, options, notes);
  const pinned = [old, now].map((source) => pinnedOf(source, options.pinned));
  if (options.pinned !== undefined && pinned.every((list) => list.length === 0)) {
    throw new WrongUse(`--pinned ${options.pinned} holds no <version>.json or <version>.yaml on either side`);
  }
  comparePinned(findings, pinned[0]!, pinned[1]!, options.released === true);
  compareVersions(findings, [...findings.list, ...ofClauses]);

  const { traffic } = options;
  const affected =
    traffic === undefined
      ? undefined
      : await affectedBy(findings.list, recordedExchanges(traffic), findings.old, traffic);
  const all = [...placed(findings.list, old, now, affected), ...ofClauses];
  const documents = [old.document, now.document] as const;
  const changes = filtered(all, options.filter ?? {}, ...documents);
  return {
    command: "spec",
    old: old.name,
    new: now.name,
    old_version: old.document.version,
    new_version: now.document.version,
    changes: sorted(changes),
    notes,
    titles: titlesOf(changes, ...documents),
  };
}

/** What changed in the clauses and the constants beside the documents. */
function clauseFindings(old: Source, now: Source, options: CompareOptions, notes: string[]): Change[] {
  const [before, after] = (
    [
      [old, options.oldClauses, "--old-clauses"],
      [now, options.newClauses, "--new-clauses"],
    ] as const
  ).map(([source, folder, flag]) => {
    const clauses = readClauses(source.tree, folder ?? path.posix.join(source.project, "spec/clauses"));
    if (clauses === null && folder !== undefined) throw new WrongUse(`${flag} ${folder} holds no clauses`);
    return clauses;
  });
  const constants = compareConstants(old, now);
  if (before === null && after === null) return constants;
  const without = [before ? [] : old.name, after ? [] : now.name].flat().join(" and ");
  if (without !== "") {
    notes.push(
      `The clauses were not compared: ${without} has no spec/clauses beside it (--old-clauses and --new-clauses name folders).`,
    );
  }
  return before && after ? [...constants, ...compareClauses(before, after)] : constants;
}

/** The exchanges of a HAR file, or of a folder of them. @throws WrongUse when the folder has none */
export async function* recordedExchanges(source: string): AsyncGenerator<Crossed> {
  for (const file of filesOf(source)) {
    let number = 0;
    for await (const { exchange } of recordedIn(file)) {
      number += 1;
      yield { ...exchange, title: `${path.basename(file)} entry ${number}` };
    }
  }
}

function filesOf(source: string): string[] {
  if (statSync(source, { throwIfNoEntry: false })?.isDirectory() !== true) return [source];
  const files = readdirSync(source).filter((name) => /\.har(\.gz)?$/i.test(name));
  if (files.length === 0) throw new WrongUse(`--traffic ${source} is a folder without a .har file`);
  return files.toSorted().map((name) => path.join(source, name));
}
