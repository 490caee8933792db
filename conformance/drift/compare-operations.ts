import {
  addressesOf,
  answersOf,
  callbacksOf,
  keysOf,
  operationsOf,
  prefixOf,
  titleOf,
  webhooksOf,
  type Operation,
} from "./api.ts";
import { compareAnswers } from "./compare-answers.ts";
import { compareContent } from "./compare-content.ts";
import { compareParameters } from "./compare-parameters.ts";
import { compareSecurity } from "./compare-security.ts";
import type { Document } from "./document.ts";
import type { Spot } from "./finding.ts";
import type { Findings } from "./findings.ts";
import { canonical, isObject, member, step, type Json } from "./json.ts";
import { paired } from "./paired.ts";
import { announcedRemoval, sunsetOf } from "./sunset.ts";

/** Compares every operation, by its requests and answers, and every webhook. */
export function compareOperations(findings: Findings): void {
  const [old, now] = [operationsOf(findings.old), operationsOf(findings.new)];
  const { pairs, removed, added } = pairedOperations(findings, old, now);
  for (const [was, is] of pairs) {
    if (!comparePaths(findings, was, is)) compareServers(findings, was, is);
    compareOperation(findings, was, is);
  }
  for (const was of removed) {
    const spot = { side: "contract", operation: was.name, where: titleOf(was) } as const;
    const day = sunsetOf(was.raw);
    const unannounced = typeof day === "string" ? "operation_removed_before_sunset" : "operation_removed";
    const kind = announcedRemoval(was.raw, findings.settings.today) ?? unannounced;
    const shown = typeof day === "string" ? `${titleOf(was)}, until ${day}` : titleOf(was);
    findings.add(kind, spot, { old: shown, oldPointer: was.pointer, newPointer: `/paths/${step(was.path)}` });
  }
  for (const is of added) {
    const spot = { side: "contract", operation: is.name, where: titleOf(is) } as const;
    findings.add("operation_added", spot, { new: titleOf(is), newPointer: is.pointer });
  }
  compareReversed(findings, "webhook", null, webhooksOf(findings.old), webhooksOf(findings.new));
}

/**
 * Operations in both documents: by method and path as written, by name, by shape, by path under another prefix; and moved
 * ones by operationId, or by a prefix of the path itself that came or went.
 */
function pairedOperations(findings: Findings, old: readonly Operation[], now: readonly Operation[]) {
  const taken = new Set<Operation>();
  const partners = new Map<Operation, Operation>();
  const take = (keys: (document: Document, operation: Operation) => string[]): void => {
    const known = new Map<string, Operation[]>();
    for (const is of now) {
      if (taken.has(is)) continue;
      for (const key of keys(findings.new, is)) known.set(key, [...(known.get(key) ?? []), is]);
    }
    for (const was of old) {
      if (partners.has(was)) continue;
      const is = keys(findings.old, was)
        .flatMap((key) => known.get(key) ?? [])
        .find((one) => !taken.has(one));
      if (is === undefined) continue;
      partners.set(was, is);
      taken.add(is);
    }
  };
  take((document, one) => keysOf(document, one).literal);
  take((document, one) => keysOf(document, one).full.map((key) => `${key} ${one.name}`));
  take((document, one) => keysOf(document, one).full);
  take((document, one) => [keysOf(document, one).plain]);
  // What was announced to go is gone, whatever took its name.
  const isAnnounced = ({ raw }: Operation): boolean =>
    announcedRemoval(raw, findings.settings.today) !== undefined;
  take((_, one) =>
    one.raw["operationId"] === undefined || isAnnounced(one) ? [] : [`${one.method} ${one.name}`],
  );
  const left = () => ({
    removed: old.filter((was) => !partners.has(was)),
    added: now.filter((is) => !taken.has(is)),
  });
  const { removed, added } = left();
  const [gone, come] = [prefixBetween(removed, added), prefixBetween(added, removed)];
  take((document, one) =>
    isAnnounced(one) ? [] : [`${one.method} ${document === findings.old ? come : gone}${one.path}`],
  );
  return { pairs: [...partners], ...left() };
}

/** The beginning that most paths of the longer list have before a path of the shorter one; empty unless two have it. */
function prefixBetween(longer: readonly Operation[], shorter: readonly Operation[]): string {
  const counts = new Map<string, number>();
  const known = new Set(shorter.map(({ method, path }) => `${method} ${path}`));
  for (const { method, path } of longer) {
    for (let at = path.indexOf("/", 1); at > 0; at = path.indexOf("/", at + 1)) {
      if (!known.has(`${method} ${path.slice(at)}`)) continue;
      const prefix = path.slice(0, at);
      counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    }
  }
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one);
  return most !== undefined && most[1] > 1 ? most[0] : "";
}

/** Compares the path of an operation, beginning by beginning, so that many moved together are one finding. */
function comparePaths(findings: Findings, was: Operation, is: Operation): boolean {
  const [{ plain, full }, now] = [keysOf(findings.old, was), keysOf(findings.new, is)];
  if (plain === now.plain || full.some((key) => now.full.includes(key))) return false;
  const [before, after] = [was, is].map(({ path }) => path.split("/"));
  const isSame = (back: number): boolean => before!.at(-back) === after!.at(-back);
  let shared = 0;
  while (shared < Math.min(before!.length, after!.length) - 1 && isSame(shared + 1)) shared += 1;
  const shown = (steps: string[]): string =>
    shared === 0 ? steps.join("/") : [...steps.slice(0, steps.length - shared), "…"].join("/");
  const spot = { side: "contract", operation: was.name, where: "path" } as const;
  const at = { oldPointer: was.pointer, newPointer: is.pointer };
  findings.add("operation_moved", spot, { old: shown(before!), new: shown(after!), ...at });
  return true;
}

/** Compares the base addresses of an operation. */
function compareServers(findings: Findings, was: Operation, is: Operation): void {
  const [before, after] = [addressesOf(findings.old, was), addressesOf(findings.new, is)];
  const full = new Set(keysOf(findings.new, is).full);
  const moved = keysOf(findings.old, was).full.some((key) => !full.has(key));
  const hosts = (addresses: string[]): string =>
    canonical(
      addresses.map((address) => address.slice(0, address.length - prefixOf(address).length)).toSorted(),
    );
  if (!moved && hosts(before) === hosts(after)) return;
  // The document's own servers are reported once, for all operations.
  const own = [was, is].find(
    ({ raw, shared }) => raw["servers"] !== undefined || shared["servers"] !== undefined,
  );
  const pointer = own === undefined ? "/servers" : `${own.pointer}/servers`;
  const spot = {
    side: "contract",
    operation: own === undefined ? null : was.name,
    where: "servers",
  } as const;
  const found = { old: before, new: after, oldPointer: pointer, newPointer: pointer };
  findings.add(moved ? "path_prefix_changed" : "servers_changed", spot, found);
}

const compared =
  "operationId parameters requestBody responses security tags deprecated callbacks servers".split(" ");

function compareOperation(findings: Findings, old: Operation, now: Operation): void {
  const spot = { side: "contract", operation: old.name, where: titleOf(old) } as const;
  if (old.raw["operationId"] !== now.raw["operationId"]) {
    findings.add("operation_renamed", spot, {
      old: old.name,
      new: now.name,
      oldPointer: `${old.pointer}/operationId`,
      newPointer: `${now.pointer}/operationId`,
    });
  }
  compareStability(findings, spot, old, now);
  compareLife(findings, spot, old, now);
  compareSecurity(findings, spot, old, now);
  compareParameters(findings, spot, old, now);
  compareBodies(findings, { ...spot, side: "request", where: "request body" }, old, now);
  compareAnswers(findings, { ...spot, side: "answer" }, old, now);
  compareReversed(
    findings,
    "callback",
    old.name,
    callbacksOf(findings.old, old),
    callbacksOf(findings.new, now),
  );
  findings.addOthers(spot, old.raw, now.raw, compared);
}

const levels = ["draft", "alpha", "beta", "stable"];

/** Operations that are announced as unfinished may change; one that was finished may not become so. */
function compareStability(findings: Findings, spot: Spot, old: Operation, now: Operation): void {
  const name = "x-stability-level";
  const [was, is] = [old.raw[name], now.raw[name]].map((level) => levels.indexOf(String(level ?? "stable")));
  if (was === -1 || is === -1 || is! >= was!) return;
  const at = { oldPointer: old.pointer, newPointer: `${now.pointer}/${name}` };
  findings.add("stability_lowered", spot, { old: levels[was!], new: levels[is!], ...at });
}

/** Compares the announced end of an operation. */
function compareLife(findings: Findings, spot: Spot, old: Operation, now: Operation): void {
  const at = { oldPointer: old.pointer, newPointer: now.pointer };
  const [was, is] = [sunsetOf(old.raw), sunsetOf(now.raw)];
  const sunset = { ...at, newPointer: `${now.pointer}/x-sunset` };
  if (is === null) findings.add("sunset_unreadable", spot, { new: now.raw["x-sunset"], ...sunset });
  if (now.raw["deprecated"] === true && old.raw["deprecated"] !== true) {
    const until = typeof is === "string" ? `until ${is}` : true;
    findings.add("operation_deprecated", spot, {
      new: until,
      ...at,
      newPointer: `${now.pointer}/deprecated`,
    });
  } else if (now.raw["deprecated"] === true && typeof was === "string" && was !== is && is !== null) {
    const how = is === undefined ? "removed" : is < was ? "moved_earlier" : "moved_later";
    findings.add(`sunset_${how}`, spot, { old: was, new: is, ...sunset });
  }
}

function compareBodies(
  findings: Findings,
  spot: Spot & { side: "request" },
  old: Operation,
  now: Operation,
): void {
  const was = findings.old.resolved(old.raw["requestBody"]);
  const is = findings.new.resolved(now.raw["requestBody"]);
  if (!isObject(was) && !isObject(is)) return;
  const at = {
    oldPointer: findings.old.pointerOf(was) ?? old.pointer,
    newPointer: findings.new.pointerOf(is) ?? now.pointer,
  };
  const [needed, needs] = [member(was, "required") === true, member(is, "required") === true];
  if (!isObject(was)) {
    findings.add(needs ? "request_required_body_added" : "request_body_added", spot, { new: is, ...at });
    return;
  }
  if (!isObject(is)) {
    findings.add("request_body_removed", spot, { old: was, ...at });
    return;
  }
  if (needed !== needs) {
    const kind = needs ? "request_body_now_required" : "request_body_now_optional";
    findings.add(kind, spot, { old: needed, new: needs, ...at, newPointer: `${at.newPointer}/required` });
  }
  compareContent(findings, spot, was["content"], is["content"], at);
  findings.addOthers(spot, was, is, ["required", "content"]);
}

/** Compares requests that the server sends: a client receives the body and sends the answer. */
function compareReversed(
  findings: Findings,
  what: "webhook" | "callback",
  operation: string | null,
  old: readonly Operation[],
  now: readonly Operation[],
): void {
  const byName = (list: readonly Operation[]) =>
    new Map(list.map((one) => [`${one.method} ${one.path}`, one]));
  for (const [was, is] of paired(byName(old), byName(now))) {
    const { name, path } = was ?? is;
    const spot = { side: "contract", operation: operation ?? name, where: `${what} ${path}` } as const;
    if (was === undefined) findings.add("callback_added", spot, { new: titleOf(is), newPointer: is.pointer });
    else if (is === undefined) {
      const at = { oldPointer: was.pointer, newPointer: `/${what}s` };
      findings.add("callback_removed", spot, { old: titleOf(was), ...at });
    } else compareReversedParts(findings, spot, was, is);
  }
}

function compareReversedParts(findings: Findings, spot: Spot, was: Operation, is: Operation): void {
  const at = { oldPointer: was.pointer, newPointer: is.pointer };
  const contentOf = (document: Document, part: Json | undefined): Json | undefined =>
    member(document.resolved(part), "content");
  compareContent(
    findings,
    { ...spot, side: "answer", where: `${spot.where} body` },
    contentOf(findings.old, was.raw["requestBody"]),
    contentOf(findings.new, is.raw["requestBody"]),
    at,
  );
  for (const [before, after, status] of paired(answersOf(was), answersOf(is))) {
    const here = { ...spot, where: `${spot.where} answer ${status}` };
    if (before === undefined) findings.add("callback_answer_added", here, { new: status, ...at });
    else if (after === undefined) findings.add("callback_answer_removed", here, { old: status, ...at });
    else {
      const [old, now] = [contentOf(findings.old, before), contentOf(findings.new, after)];
      compareContent(findings, { ...here, side: "request" }, old, now, at);
    }
  }
  const parameters = [was, is].map(({ raw }) => ({ parameters: raw["parameters"] ?? [] }));
  findings.addOthers(spot, parameters[0]!, parameters[1]!, []);
}
