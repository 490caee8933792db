import path from "node:path";
import { changeOf, shownValue, type Change, type Kind, type Settings } from "../change.ts";
import type { Operation } from "../api.ts";
import type { Comparison } from "../comparison.ts";
import { canonical, entriesOf, isObject, member, valueAt } from "../../../base/data.ts";
import { parsedIn, type Source } from "../source.ts";
import type { Document } from "../document.ts";

/** Compares the facts that the documents state in `x-` members of operations and schemas. */
export function compareFacts(comparison: Comparison): void {
  for (const [was, is] of comparison.operations.pairs) compareQuota(comparison, was, is);
  if (comparison.settings.vocabularies === undefined) return;
  const [old, now] = [comparison.old, comparison.new].map(({ root }) =>
    member(root["components"], "schemas"),
  );
  for (const [name, was] of entriesOf(old)) {
    for (const fact of ["x-meaning", "x-members", "x-members-of"]) {
      const [before, is] = [member(was, fact), member(member(now, name), fact)];
      if (member(now, name) === undefined || canonical(before) === canonical(is)) continue;
      const pointer = `/components/schemas/${name}/${fact}`;
      comparison.add("fact_changed", { where: `${fact} of ${name}`, old: before, new: is, pointer });
    }
  }
}

/** A quota is so many requests in a window; a client that keeps to the old one must be within the new one. */
function compareQuota(comparison: Comparison, was: Operation, is: Operation): void {
  const name = "x-rate-limit";
  const [before, after] = [was.raw[name], is.raw[name]];
  if (canonical(before) === canonical(after)) return;
  const [requests, more] = [before, after].map((quota) => Number(member(quota, "requests") ?? Infinity));
  const [window, other] = [before, after].map((quota) => Number(member(quota, "windowSeconds") ?? 0));
  const at = { oldPointer: `${was.pointer}/${name}`, newPointer: `${is.pointer}/${name}` };
  const shown = (quota: unknown): string => {
    const [most, seconds] = ["requests", "windowSeconds"].map((part) => shownValue(member(quota, part)));
    return isObject(quota) ? `${most} requests in ${seconds} seconds` : "none";
  };
  const details = { operation: was.title, where: "quota", old: shown(before), new: shown(after), ...at };
  if (more !== requests) comparison.add(more! < requests! ? "quota_lowered" : "quota_raised", details);
  if (window !== other && before !== undefined && after !== undefined) {
    comparison.add(other! > window! ? "quota_window_longer" : "quota_window_shorter", details);
  }
}

/** The kinds of a constant that falls and of one that rises; a change of any other is of unknown effect. */
const directions: Record<string, readonly [lower: Kind, higher: Kind]> = {
  trialDays: ["trial_constant_lowered", "trial_constant_raised"],
  trialCredits: ["trial_constant_lowered", "trial_constant_raised"],
  claimCodeDigits: ["claim_constant_changed", "claim_constant_changed"],
};

/** Compares the constants of spec/constants.yaml next to two documents; none if a side has no such file. */
export function compareConstants(old: Source, now: Source): Change[] {
  const [before, after] = [old, now].map(({ tree, project }) =>
    parsedIn(tree, path.posix.join(project, "spec/constants.yaml")),
  );
  if (before === undefined || after === undefined) return [];
  return entriesOf(before.value).flatMap(([name, constant]) => {
    const [was, is] = [member(constant, "value"), member(member(after.value, name), "value")];
    if (canonical(was) === canonical(is)) return [];
    const isNumber = typeof was === "number" && typeof is === "number";
    const kind = (isNumber && directions[name]?.[is < was ? 0 : 1]) || "fact_changed";
    const [was_at, at] = [before, after].map((file) => ({ file: file.name, line: file.lineOf([name]) }));
    const places = { at: at!, was_at: was_at! };
    return changeOf(kind, { where: `constant ${name}`, operations: [], old: was, new: is, ...places });
  });
}

/** The contract's four lists of values on which clients branch, each with its component. */
const vocabularies = {
  ChargeOutcome: { added: "charge_outcome_added", removed: "charge_outcome_removed" },
  ReasonCode: { added: "reason_code_added", removed: "reason_code_removed" },
  EventType: { added: "event_type_added", removed: "event_type_removed" },
  EntryType: { added: "entry_type_added", removed: "entry_type_removed" },
} as const satisfies Settings["vocabularies"];

/** The lists, where both documents are of this contract: another may have a list of that name, but hardly all four. */
export function vocabulariesOf(...documents: Document[]): Settings["vocabularies"] {
  const isOurs = documents.every(({ root }) =>
    Object.keys(vocabularies).every((name) => valueAt(root, ["components", "schemas", name]) !== undefined),
  );
  return isOurs ? vocabularies : undefined;
}
