import * as api from "./api.ts";
import * as messages from "./compare-messages.ts";
import { compareSecurity } from "./compare-security.ts";
import type { Comparison } from "./comparison.ts";
import { canonical, paired, step } from "../../base/data.ts";
import { compareOthers, inside, within, type Part } from "./part.ts";

/** Compares every operation, by its requests and answers, and every webhook. */
export function compareOperations(comparison: Comparison): void {
  const { pairs, before: removed, after: added } = comparison.operations;
  for (const [was, is] of pairs) {
    const part = partOf(comparison, was, is);
    compareAddresses(part, was, is);
    compareOperation(part, was, is);
  }
  for (const was of removed) {
    const part = partOf(comparison, was);
    const day = api.sunsetOf(was.raw);
    const unannounced = day ? "operation_removed_before_sunset" : "operation_removed";
    const kind = api.announcedRemoval(was.raw, comparison.settings.today) ?? unannounced;
    comparison.add(kind, { ...part, old: part.where + (day ? `, until ${day}` : "") });
  }
  for (const is of added) {
    const { title, pointer } = is;
    comparison.add("operation_added", { operation: title, where: title, new: title, newPointer: pointer });
  }
  const webhooks = [comparison.old, comparison.new].map((document) => api.operationsOf(document, "webhooks"));
  compareReversed(comparison, "webhook", webhooks);
}

/** An operation of both documents, or of one; `folder` is what the other has in its place. */
function partOf(comparison: Comparison, was?: api.Operation, is?: api.Operation, folder?: string): Part {
  const operation = (was ?? is)!;
  const missing = folder ?? `/paths/${step(operation.path)}`;
  const [oldPointer, newPointer] = [was?.pointer ?? missing, is?.pointer ?? missing];
  const spot = { side: "contract", operation: operation.title, where: operation.title } as const;
  return { comparison, ...spot, old: was?.raw, new: is?.raw, oldPointer, newPointer };
}

/** Compares the path of an operation, or else the addresses below which it is. */
function compareAddresses(part: Part, was: api.Operation, is: api.Operation): void {
  const { comparison } = part;
  const [had, has] = [api.keysOf(was), api.keysOf(is)];
  const lost = had.full.filter((key) => !has.full.includes(key));
  if (had.plain !== has.plain && lost.length === had.full.length) return addMoved(part, was.path, is.path);
  const [before, after] = [api.addressesOf(was), api.addressesOf(is)];
  const hosts = (addresses: string[]): string =>
    canonical(
      addresses.map((address) => address.slice(0, address.length - api.prefixOf(address).length)).toSorted(),
    );
  if (lost.length === 0 && hosts(before) === hosts(after)) return;
  // The document's own servers are reported once, for all operations.
  const stating = [was, is].find(({ raw, shared }) => (raw["servers"] ?? shared["servers"]) !== undefined);
  const details = { where: "servers", old: before, new: after, pointer: `${stating?.pointer ?? ""}/servers` };
  const kind = lost.length > 0 ? "path_prefix_changed" : "servers_changed";
  comparison.add(kind, { ...details, operation: stating === undefined ? null : was.title });
}

/** Reports another path by the beginnings that differ, so that many moved together are one change. */
function addMoved(part: Part, old: string, now: string): void {
  const [before, after] = [old.split("/"), now.split("/")];
  let end = "";
  while (before.length > 1 && after.length > 1 && before.at(-1) === after.at(-1)) {
    before.pop();
    after.pop();
    end = "/…";
  }
  const details = { old: before.join("/") + end, new: after.join("/") + end };
  part.comparison.add("operation_moved", { ...part, where: "path", ...details });
}

const known = "operationId parameters requestBody responses security tags deprecated callbacks servers";

function compareOperation(part: Part, old: api.Operation, now: api.Operation): void {
  const { comparison } = part;
  if (old.id !== now.id) comparison.add("operation_renamed", inside(part, "operationId"));
  compareStability(part);
  compareLife(part);
  compareSecurity(part, old, now);
  messages.compareParameters(part, old, now);
  messages.compareBody({ ...inside(part, "requestBody", "request body"), side: "request" });
  messages.compareAnswers({ ...part, side: "answer" });
  compareReversed(comparison, "callback", [old, now].map(api.callbacksOf), old.title);
  compareOthers(part, known.split(" "));
}

const levels = ["draft", "alpha", "beta", "stable"];

/** Operations announced as unfinished may change; a finished one may not become unfinished. */
function compareStability(part: Part): void {
  const here = inside(part, "x-stability-level");
  const [was, is] = [here.old, here.new].map((level) => levels.indexOf(String(level ?? "stable")));
  if (is! < 0 || is! >= was!) return;
  part.comparison.add("stability_lowered", { ...here, old: levels[was!], new: levels[is!] });
}

/** Compares the announced end of an operation. */
function compareLife(part: Part): void {
  const { comparison } = part;
  const [sunset, deprecated] = [inside(part, "x-sunset"), inside(part, "deprecated")];
  const [was, is] = [api.sunsetOf(part.old), api.sunsetOf(part.new)];
  if (is === null && was !== null) comparison.add("sunset_unreadable", { ...sunset, old: undefined });
  if (deprecated.new !== true) return;
  if (deprecated.old !== true)
    comparison.add("operation_deprecated", { ...deprecated, old: undefined, new: is ? `until ${is}` : true });
  else if (typeof was === "string" && was !== is && is !== null) {
    const how = is === undefined ? "removed" : is < was ? "moved_earlier" : "moved_later";
    comparison.add(`sunset_${how}`, { ...sunset, old: was, new: is });
  }
}

/** Compares requests that the server sends: a client receives the body and sends the answer. */
function compareReversed(
  comparison: Comparison,
  what: "webhook" | "callback",
  [old = [], now = []]: readonly api.Operation[][],
  operation?: string,
): void {
  const byTitle = (list: readonly api.Operation[]) =>
    new Map(list.map((operation) => [operation.title, operation]));
  for (const [was, is] of paired(byTitle(old), byTitle(now))) {
    const part = partOf(comparison, was, is, `/${what}s`);
    const where = `${what} ${(was ?? is).path}`;
    const here = { ...part, operation: operation ?? part.operation, where };
    if (was === undefined) comparison.add("callback_added", { ...here, new: part.where });
    else if (is === undefined) comparison.add("callback_removed", { ...here, old: part.where });
    else {
      compareReversedParts(here);
      messages.compareReceivedParameters({ ...here, side: "answer" }, was, is);
    }
  }
}

function compareReversedParts(part: Part): void {
  messages.compareContent({ ...inside(part, "requestBody", `${part.where} body`), side: "answer" });
  const answers = inside(part, "responses");
  for (const [was, is, status] of paired(api.answersOf(answers.old), api.answersOf(answers.new))) {
    const here = within(answers, status, `${part.where} answer ${status}`, was, is);
    if (was === undefined) part.comparison.add("callback_answer_added", { ...here, new: status });
    else if (is === undefined) part.comparison.add("callback_answer_removed", { ...here, old: status });
    else messages.compareContent({ ...here, side: "request" });
  }
}
