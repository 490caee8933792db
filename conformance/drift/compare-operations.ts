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
  announcedRemoval,
  sunsetOf,
} from "./api.ts";
import { compareAnswers, compareContent, compareParameters } from "./compare-messages.ts";
import { compareSecurity } from "./compare-security.ts";
import type { Findings } from "./findings.ts";
import { canonical, isObject, member, step, paired } from "./json.ts";
import { compareOthers, inside, type Part } from "./part.ts";

/** Compares every operation, by its requests and answers, and every webhook. */
export function compareOperations(findings: Findings): void {
  const { pairs, removed, added } = pairedOperations(findings);
  for (const [was, is] of pairs) {
    const part = partOf(findings, was, is);
    if (!comparePaths(part, was, is)) compareServers(part, was, is);
    compareOperation(part, was, is);
  }
  for (const was of removed) {
    const part = partOf(findings, was);
    const day = sunsetOf(was.raw);
    const unannounced = day ? "operation_removed_before_sunset" : "operation_removed";
    const kind = announcedRemoval(was.raw, findings.settings.today) ?? unannounced;
    findings.add(kind, { ...part, old: part.where + (day ? `, until ${day}` : "") });
  }
  for (const is of added) {
    const title = titleOf(is);
    findings.add("operation_added", { operation: is.name, where: title, new: title, newPointer: is.pointer });
  }
  compareReversed(findings, "webhook", null, webhooksOf(findings.old), webhooksOf(findings.new));
}

/** An operation of both documents, or of one; `folder` is what the other has in its place. */
function partOf(findings: Findings, was?: Operation, is?: Operation, folder?: string): Part {
  const one = (was ?? is)!;
  const missing = folder ?? `/paths/${step(one.path)}`;
  const [oldPointer, newPointer] = [was?.pointer ?? missing, is?.pointer ?? missing];
  const spot = { side: "contract", operation: one.name, where: titleOf(one) } as const;
  return { findings, ...spot, old: was?.raw, new: is?.raw, oldPointer, newPointer };
}

/**
 * Operations in both documents: by method and path as written, by name, by shape, by path under another prefix; and moved
 * ones by operationId, or by a prefix of the path itself that was added or removed.
 */
function pairedOperations(findings: Findings) {
  const [old, now] = [operationsOf(findings.old), operationsOf(findings.new)];
  const partners = new Map<Operation, Operation>();
  const taken = new Set<Operation>();
  const removed = (): Operation[] => old.filter((was) => !partners.has(was));
  const added = (): Operation[] => now.filter((is) => !taken.has(is));
  const take = (keys: (operation: Operation) => string[]): void => {
    const known = new Map<string, Operation[]>();
    for (const is of added()) for (const key of keys(is)) known.set(key, [...(known.get(key) ?? []), is]);
    for (const was of removed()) {
      const candidates = keys(was).flatMap((key) => known.get(key) ?? []);
      const is = candidates.find((one) => !taken.has(one));
      if (is !== undefined) taken.add(partners.set(was, is) && is);
    }
  };
  take((one) => keysOf(one).literal);
  take((one) => keysOf(one).full.map((key) => `${key} ${one.name}`));
  take((one) => keysOf(one).full);
  take((one) => [keysOf(one).plain]);
  // What was announced for removal is gone, whatever took its name.
  const stays = ({ raw }: Operation): boolean => announcedRemoval(raw, findings.settings.today) === undefined;
  take((one) => (one.raw["operationId"] !== undefined && stays(one) ? [`${one.method} ${one.name}`] : []));
  const [gone, come] = [prefixBetween(removed(), added()), prefixBetween(added(), removed())];
  const prefixFor = ({ document }: Operation): string => (document === findings.old ? come : gone);
  take((one) => (stays(one) ? [`${one.method} ${prefixFor(one)}${one.path}`] : []));
  return { pairs: partners, removed: removed(), added: added() };
}

/** The beginning that most paths of the longer list have before a path of the shorter one; empty unless two have it. */
function prefixBetween(longer: readonly Operation[], shorter: readonly Operation[]): string {
  const counts = new Map<string, number>();
  const known = new Set(shorter.map(titleOf));
  for (const one of longer) {
    for (let at = one.path.indexOf("/", 1); at > 0; at = one.path.indexOf("/", at + 1)) {
      const prefix = one.path.slice(0, at);
      if (known.has(titleOf({ ...one, path: one.path.slice(at) })))
        counts.set(prefix, (counts.get(prefix) ?? 0) + 1);
    }
  }
  const [[prefix, count] = ["", 0]] = [...counts].toSorted(([, one], [, other]) => other - one);
  return count > 1 ? prefix : "";
}

/** Compares the path of an operation, beginning by beginning, so that many moved together are one finding. */
function comparePaths(part: Part, was: Operation, is: Operation): boolean {
  const [{ plain, full }, now] = [keysOf(was), keysOf(is)];
  if (plain === now.plain || full.some((key) => now.full.includes(key))) return false;
  const [before, after] = [was.path.split("/"), is.path.split("/")];
  const max = Math.min(before.length, after.length) - 1;
  let shared = 0;
  while (shared < max && before.at(-shared - 1) === after.at(-shared - 1)) shared += 1;
  const shown = (steps: string[]): string =>
    shared === 0 ? steps.join("/") : [...steps.slice(0, -shared), "…"].join("/");
  part.findings.add("operation_moved", { ...part, where: "path", old: shown(before), new: shown(after) });
  return true;
}

/** Compares the base addresses of an operation. */
function compareServers(part: Part, was: Operation, is: Operation): void {
  const { findings } = part;
  const [before, after] = [addressesOf(was), addressesOf(is)];
  const full = new Set(keysOf(is).full);
  const isMoved = keysOf(was).full.some((key) => !full.has(key));
  const hosts = (addresses: string[]): string =>
    canonical(addresses.map((one) => one.slice(0, one.length - prefixOf(one).length)).toSorted());
  if (!isMoved && hosts(before) === hosts(after)) return;
  // The document's own servers are reported once, for all operations.
  const own = [was, is].find(({ raw, shared }) => (raw["servers"] ?? shared["servers"]) !== undefined);
  const found = { where: "servers", old: before, new: after, pointer: `${own?.pointer ?? ""}/servers` };
  const kind = isMoved ? "path_prefix_changed" : "servers_changed";
  findings.add(kind, { ...found, operation: own === undefined ? null : was.name });
}

const known = "operationId parameters requestBody responses security tags deprecated callbacks servers".split(
  " ",
);

function compareOperation(part: Part, old: Operation, now: Operation): void {
  const { findings } = part;
  if (old.raw["operationId"] !== now.raw["operationId"])
    findings.add("operation_renamed", { ...inside(part, "operationId"), old: old.name, new: now.name });
  compareStability(part);
  compareLife(part);
  compareSecurity(part, old, now);
  compareParameters(part, old, now);
  compareBody({ ...inside(part, "requestBody", "request body"), side: "request" });
  compareAnswers({ ...part, side: "answer" });
  compareReversed(findings, "callback", old.name, callbacksOf(old), callbacksOf(now));
  compareOthers(part, known);
}

const levels = ["draft", "alpha", "beta", "stable"];

/** Operations announced as unfinished may change; a finished one may not become unfinished. */
function compareStability(part: Part): void {
  const here = inside(part, "x-stability-level");
  const [was, is] = [here.old, here.new].map((level) => levels.indexOf(String(level ?? "stable")));
  if (is! < 0 || is! >= was!) return;
  part.findings.add("stability_lowered", { ...here, old: levels[was!], new: levels[is!] });
}

/** Compares the announced end of an operation. */
function compareLife(part: Part): void {
  const { findings } = part;
  const [sunset, deprecated] = [inside(part, "x-sunset"), inside(part, "deprecated")];
  const [was, is] = [sunsetOf(part.old), sunsetOf(part.new)];
  if (is === null) findings.add("sunset_unreadable", { ...sunset, old: undefined });
  if (deprecated.new !== true) return;
  if (deprecated.old !== true)
    findings.add("operation_deprecated", { ...deprecated, old: undefined, new: is ? `until ${is}` : true });
  else if (typeof was === "string" && was !== is && is !== null) {
    const how = is === undefined ? "removed" : is < was ? "moved_earlier" : "moved_later";
    findings.add(`sunset_${how}`, { ...sunset, old: was, new: is });
  }
}

function compareBody(part: Part): void {
  const { findings } = part;
  const [old, now] = [part.old, part.new].map(isObject);
  const [needed, needs] = [part.old, part.new].map((body) => member(body, "required") === true);
  if (!old && now) findings.add(needs ? "request_required_body_added" : "request_body_added", part);
  if (old && !now) findings.add("request_body_removed", part);
  if (!old || !now) return;
  const kind = needs ? "request_body_now_required" : "request_body_now_optional";
  if (needed !== needs) findings.add(kind, { ...inside(part, "required"), old: needed, new: needs });
  compareContent(part);
  compareOthers(part, ["required", "content"]);
}

/** Compares requests that the server sends: a client receives the body and sends the answer. */
function compareReversed(
  findings: Findings,
  what: "webhook" | "callback",
  operation: string | null,
  old: readonly Operation[],
  now: readonly Operation[],
): void {
  const byTitle = (list: readonly Operation[]) => new Map(list.map((one) => [titleOf(one), one]));
  for (const [was, is] of paired(byTitle(old), byTitle(now))) {
    const part = partOf(findings, was, is, `/${what}s`);
    const where = `${what} ${(was ?? is).path}`;
    const here = { ...part, operation: operation ?? part.operation, where };
    if (was === undefined) findings.add("callback_added", { ...here, new: part.where });
    else if (is === undefined) findings.add("callback_removed", { ...here, old: part.where });
    else compareReversedParts(here);
  }
}

function compareReversedParts(part: Part): void {
  compareContent({ ...inside(part, "requestBody", `${part.where} body`), side: "answer" });
  const answers = inside(part, "responses");
  for (const [was, is, status] of paired(answersOf(answers.old), answersOf(answers.new))) {
    const here = inside(answers, status, `${part.where} answer ${status}`);
    if (was === undefined) part.findings.add("callback_answer_added", { ...here, new: status });
    else if (is === undefined) part.findings.add("callback_answer_removed", { ...here, old: status });
    else compareContent({ ...here, side: "request" });
  }
  const parameters = (raw: unknown) => ({ parameters: member(raw, "parameters") ?? [] });
  compareOthers({ ...part, old: parameters(part.old), new: parameters(part.new) }, []);
}
