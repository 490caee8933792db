import { compareVersions as compareVersionOrder } from "../../base/version-order.ts";
import { answersOf, headersOf, operationsOf } from "./api.ts";
import type { Document } from "./document.ts";
import type { LocatedChange } from "./change.ts";
import type { Comparison } from "./comparison.ts";
import { kept, member } from "../../base/data.ts";

/**
 * Checks that the versions reflect the changes, and that the version header agrees with the document.
 * @param others the other changes; a breaking change among them requires a new version
 */
export function compareVersions(
  comparison: Comparison,
  others: readonly Pick<LocatedChange, "class">[],
): void {
  const [old, now] = [comparison.old.version, comparison.new.version];
  const isBreaking = others.some((change) => change.class === "breaking");
  const header = versionHeaderOf(comparison.new);
  const pointer = "/info/version";
  if (header !== null && header.value !== now) {
    const details = { where: `header ${header.name}`, old: now, new: header.value };
    comparison.add("version_header_differs", { ...details, oldPointer: pointer, newPointer: header.pointer });
  }
  const details = { where: "info.version", old: old ?? undefined, new: now ?? undefined, pointer };
  if (old === now) {
    if (isBreaking) comparison.add("version_not_raised", details);
  } else if (old !== null && now !== null && compareVersionOrder(now, old) < 0) {
    comparison.add("version_lowered", details);
  } else {
    const isSmall = isBreaking && isSameMajor(old, now);
    comparison.add(isSmall ? "version_raised_too_little" : "version_raised", details);
  }
}

/** Whether both are semantic versions, in which only a new first number announces a break. */
function isSameMajor(old: string | null, now: string | null): boolean {
  const [was, is] = [old, now].map((version) => /^v?([1-9]\d*)\.\d+\.\d+$/.exec(version ?? "")?.[1]);
  return was !== undefined && was.length < 4 && was === is;
}

const known = new WeakMap<Document, ReturnType<typeof findVersionHeader>>();

/** The answer header, in lower case, with a constant value that is named after a version, or whose constant is it. */
export const versionHeaderOf = (document: Document) =>
  kept(known, document, () => findVersionHeader(document));

function findVersionHeader(document: Document) {
  const answers = operationsOf(document).flatMap(({ raw }) => [...answersOf(raw["responses"]).values()]);
  for (const answer of answers) {
    for (const [name, [, header]] of headersOf(member(document.resolved(answer), "headers"))) {
      const schema = document.resolved(member(document.resolved(header), "schema"));
      const value = member(schema, "const");
      const isIt = /api-?version/.test(name) || value === document.version;
      const pointer = `${document.pointerOf(schema) ?? ""}/const`;
      if (value !== undefined && isIt) return { name, value, pointer };
    }
  }
  return null;
}
