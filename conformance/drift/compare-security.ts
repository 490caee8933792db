import { waysInto, type Operation, type Way } from "./api.ts";
import type { Spot } from "./finding.ts";
import type { Findings } from "./findings.ts";
import { canonical, entriesOf, isObject, member, step, type Json, type JsonObject } from "./json.ts";
import { isAnnotation } from "./raw-schema.ts";

/** Compares the ways to authorise an operation's requests. */
export function compareSecurity(findings: Findings, spot: Spot, old: Operation, now: Operation): void {
  const [before, after] = [waysInto(findings.old, old), waysInto(findings.new, now)];
  const found = {
    old: before.map(shown).join(" or "),
    new: after.map(shown).join(" or "),
    oldPointer: `${old.pointer}/security`,
    newPointer: `${now.pointer}/security`,
  };
  if (before.some((way) => !after.some((other) => suffices(way, other)))) {
    findings.add("credential_required", spot, found);
  } else if (after.some((way) => !before.some((other) => suffices(way, other)))) {
    findings.add("credential_relaxed", spot, found);
  }
}

const shown = (way: Way): string =>
  [...way.values()]
    .map(({ name, scopes }) => (scopes.size === 0 ? name : `${name} (${[...scopes].join(", ")})`))
    .join(" with ") || "none";

/** Whether a request authorised in one way satisfies another. */
const suffices = (has: Way, needs: Way): boolean =>
  [...needs].every(([wire, { scopes }]) => {
    const carried = has.get(wire);
    return carried !== undefined && [...scopes].every((scope) => carried.scopes.has(scope));
  });

/**
 * Compares how credentials with the same name in both documents are obtained. How they are sent is reported with the
 * operations that require them.
 */
export function compareSchemes(findings: Findings): void {
  const [before, after] = [findings.old, findings.new].map((document) =>
    member(document.root["components"], "securitySchemes"),
  );
  for (const [name, written] of entriesOf(before)) {
    const was = findings.old.resolved(written);
    const is = findings.new.resolved(member(after, name));
    if (!isObject(was) || !isObject(is)) continue;
    const pointer = `/components/securitySchemes/${step(name)}`;
    const found = { old: was, new: is, oldPointer: pointer, newPointer: pointer };
    const spot = { side: "contract", operation: null, where: `security scheme ${name}` } as const;
    if (canonical(binding(was)) === canonical(binding(is))) continue;
    const isOpen =
      opensFlows(was) &&
      opensFlows(is) &&
      canonical({ ...binding(was), flows: 0 }) === canonical({ ...binding(is), flows: 0 });
    findings.add(isOpen ? "open_changed" : "security_scheme_changed", spot, found);
  }
}

/**
 * The relevant parts of a scheme: its kind and where a token is obtained; the operations say which scopes there are.
 */
const binding = (scheme: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(scheme).flatMap(([name, value]) => {
      if (isAnnotation(name) || name === "bearerFormat") return [];
      if (name !== "flows")
        return [[name, typeof value === "string" && name !== "name" ? value.toLowerCase() : value]];
      const flows = entriesOf(value).map(([flow, parts]) => [
        flow,
        { ...(parts as JsonObject), scopes: null },
      ]);
      return [[name, Object.fromEntries(flows) as JsonObject]];
    }),
  );

const opensFlows = (scheme: Json): boolean =>
  entriesOf(member(scheme, "flows")).every(([, flow]) => member(flow, "x-open") === true);
