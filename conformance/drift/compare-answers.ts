import { answersOf, isSuccess, statusFor } from "./api.ts";
import { compareCarriedValue, comparePromise, compareContent } from "./compare-content.ts";
import { entriesOf, isObject, member, type Json, paired } from "./json.ts";
import { compareOpen, compareOthers, inside, within, type Part } from "./part.ts";
import { versionHeaderOf } from "./versions.ts";

/** Compares the answers of an operation: statuses and ranges, headers, bodies. */
export function compareAnswers(of: Part): void {
  const { findings } = of;
  const all = inside(of, "responses");
  const [before, after] = [answersOf(all.old), answersOf(all.new)];
  const compared = new Set<string>();
  const compare = (status: string, one?: string, other?: string): void => {
    if (compared.has(`${one} ${other}`)) return;
    compared.add(`${one} ${other}`);
    const part = within(all, status, `answer ${status}`, before.get(one ?? ""), after.get(other ?? ""));
    if (one !== undefined && other !== undefined) return compareAnswer(part);
    const how = one === undefined ? "added" : "removed";
    const kind = `answer_${isSuccess(status) ? "success" : "refusal"}_status_${how}` as const;
    const isOpen = member(part.old ?? part.new, "x-open") === true;
    findings.add(isOpen ? "open_changed" : kind, { ...part, old: one, new: other });
  };
  for (const status of before.keys()) {
    // A range remains as long as any of its statuses is still answered.
    const isKept = [...after.keys()].some((one) => statusFor(new Map([[status, 0]]), one) === status);
    const other = statusFor(after, status);
    if (other !== undefined || !isKept) compare(status, status, other);
  }
  for (const status of after.keys()) compare(status, statusFor(before, status), status);
}

function compareAnswer(part: Part): void {
  const { findings, old, new: now } = part;
  if (!isObject(old) || !isObject(now) || compareOpen(part)) return;
  compareHeaders(part);
  const [[had], [has]] = [Object.keys(old["content"] ?? {}), Object.keys(now["content"] ?? {})];
  if ((had === undefined) === (has === undefined)) compareContent(part);
  else
    findings.add(`answer_body_${had === undefined ? "added" : "removed"}`, { ...part, old: had, new: has });
  compareOthers(part, ["headers", "content", "links", "x-open"]);
}

const namesOf = (headers: Json | undefined): Map<string, string> =>
  new Map(entriesOf(headers).map(([name]) => [name.toLowerCase(), name]));

function compareHeaders(of: Part): void {
  const { findings } = of;
  const all = inside(of, "headers");
  for (const [was, is, key] of paired(namesOf(all.old), namesOf(all.new))) {
    const name = was ?? is;
    const written = [member(all.old, was ?? ""), member(all.new, is ?? "")] as const;
    const part = within(all, name, `${of.where} header ${name}`, ...written);
    if (key === "content-type") continue;
    const [promised, promises] = [part.old, part.new].map((raw) => member(raw, "required") === true);
    if (was === undefined) findings.add("answer_header_added", { ...part, new: name });
    else if (is === undefined) {
      const removed = promised ? "answer_header_removed" : "answer_optional_header_removed";
      findings.add(member(part.old, "x-open") === true ? "open_changed" : removed, { ...part, old: name });
    } else if (comparePromise(part, promised!, promises!)) {
      // The value of the version header is the version, and is reported as that.
      const isVersion = [findings.old, findings.new].every(
        (document) => versionHeaderOf(document, findings.settings)?.name === key,
      );
      if (isVersion) continue;
      compareCarriedValue(part, false);
      compareOthers(part, ["required", "schema", "content", "style", "explode", "x-open"]);
    }
  }
}
