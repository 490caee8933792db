import { WrongUse } from "../../../base/exit.ts";
import { judgedQuestions } from "../../../base/judged.ts";
import type { DriftReport, Settings } from "../change.ts";
import { compareDocuments, placed, sorted } from "../compare.ts";
import { contradictionsIn } from "../contradictions.ts";
import { filtered, labelsOf, wantedOf, type Filter } from "../filter.ts";
import { reportedOperations } from "../pair-operations.ts";
import { placesIn } from "../places.ts";
import { areInPlace, type Source } from "../source.ts";
import { compareVersions } from "../versions.ts";
import { compareClauses, readClauses } from "./clauses.ts";
import { compareConstants, compareFacts, vocabulariesOf } from "./compare-facts.ts";
import { comparePinned, pinnedOf } from "./releases.ts";

/** What a comparison of two contracts needs besides their documents. */
interface CompareOptions extends Filter {
  /** The folder, in each document's tree, of the pinned releases: `<version>.json` or `.yaml`. */
  pinned?: string | undefined;
  /** The old document was released as it is: nothing may change under its version. */
  released?: boolean | undefined;
  /** A HAR file or a folder of them: finds the clients that would have been affected. */
  traffic?: string | undefined;
  settings: Settings;
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
  const { settings, traffic, pinned } = options;
  const documents = [old.document, now.document] as const;
  const vocabularies = vocabulariesOf(...documents);
  const comparison = compareDocuments(...documents, { ...settings, vocabularies });
  compareFacts(comparison);
  const [before, after] = [pinnedOf(old, pinned), pinnedOf(now, pinned)];
  if (pinned !== undefined && before.length + after.length === 0)
    throw new WrongUse(`--pinned ${pinned} holds no <version>.json or <version>.yaml on either side`);
  // A document that was copied or fetched comes without its releases, which stay what they are.
  const isAlone = after.length === 0 && before.length > 0 && !areInPlace(old, now);
  comparePinned(comparison, isAlone ? [] : before, isAlone ? before : after, options.released);
  const [was, is] = [readClauses(old), readClauses(now)];
  const without = was === null ? old.name : now.name;
  const written = [old, now].flatMap(({ texts }) => [...texts.values()].flatMap((text) => text.notes ?? []));
  const contradictions = [old, now].flatMap((source) => contradictionsIn(source.document, placesIn(source)));
  const notes = [
    ...new Set([...written, ...contradictions]),
    isAlone && `The pinned releases were not compared: ${now.name} has none next to it.`,
    Boolean(was) !== Boolean(is) &&
      `The clauses were not compared: ${without} has no spec/clauses next to it.`,
  ].filter((note) => note !== false);
  const operations = reportedOperations(comparison.operations);
  const titles = new Map(operations.map(([title, { id }]) => [id, title]));
  const clauses = (was && is ? compareClauses(was, is) : []).map((change) => ({
    ...change,
    operations: change.operations.map((id) => titles.get(id) ?? id),
  }));
  const others = [...compareConstants(old, now), ...clauses];
  const wanted = wantedOf(operations, options);
  // Of what is left out, nothing follows.
  compareVersions(comparison, filtered([...comparison.list, ...others], wanted));
  if (traffic) {
    const { noteTraffic } = await import("../../traffic/affected.ts");
    await noteTraffic(comparison.list, traffic, old.document);
  }
  const all = [...placed(comparison.list, old, now), ...others];
  const changes = sorted(filtered(all, wanted));
  const leftOut = { what: "the filter leaves them out", by: "reason" } as const;
  const questions = [...new Set(operations.map(([what]) => what))].map((what) => ({
    what,
    lack: wanted?.has(what) === false ? leftOut : null,
  }));
  return {
    command: "spec",
    ...{ old: old.name, new: now.name, old_version: old.document.version, new_version: now.document.version },
    changes,
    notes,
    judged: judgedQuestions(questions, "operation"),
    operation_ids: labelsOf(changes, operations),
  };
}
