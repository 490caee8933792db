import { waysInto, type Operation, type Way } from "./api.ts";
import type { Findings } from "./findings.ts";
import { canonical, entriesOf, isObject, member, step, type JsonObject } from "./json.ts";
import { inside, type Part } from "./part.ts";
import { isAnnotation } from "./raw-schema.ts";

/** Compares the ways to authorise an operation's requests. */
export function compareSecurity(part: Part, old: Operation, now: Operation): void {
  const { findings } = part;
  const [before, after] = [waysInto(old), waysInto(now)];
  /** Whether every way into the one leads into the other. */
  const leads = (ways: Way[], others: Way[]): boolean =>
    ways.every((way) => others.some((other) => suffices(way, other)));
  const [was, is] = [before, after].map((ways) => ways.map(shown).join(" or "));
  const found = { ...inside(part, "security"), old: was, new: is };
  if (!leads(before, after)) findings.add("credential_required", found);
  else if (!leads(after, before)) findings.add("credential_relaxed", found);
}

const shown = (way: Way): string =>
  [...way.values()]
    .map(({ name, scopes }) => (scopes.size === 0 ? name : `${name} (${[...scopes].join(", ")})`))
    .join(" with ") || "none";

/** Whether a request authorised in one way satisfies another. */
const suffices = (has: Way, needs: Way): boolean =>
  [...needs].every(([wire, { scopes }]) => {
    const carried = has.get(wire)?.scopes;
    return carried !== undefined && [...scopes].every((scope) => carried.has(scope));
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
    const [was, is] = [findings.old.resolved(written), findings.new.resolved(member(after, name))];
    if (!isObject(was) || !isObject(is) || binding(was) === binding(is)) continue;
    const areFlowsOpen = [was, is].every((scheme) =>
      entriesOf(scheme["flows"]).every(([, flow]) => member(flow, "x-open") === true),
    );
    const isOpen = areFlowsOpen && binding({ ...was, flows: 0 }) === binding({ ...is, flows: 0 });
    const pointer = `/components/securitySchemes/${step(name)}`;
    const found = { where: `security scheme ${name}`, old: was, new: is, pointer };
    findings.add(isOpen ? "open_changed" : "security_scheme_changed", found);
  }
}

/** The binding parts of a scheme: its kind and where a token is obtained; the operations name the scopes. */
function binding({ bearerFormat: _format, ...scheme }: JsonObject): string {
  const flows = entriesOf(scheme["flows"]).map(([flow, said]) => [
    flow,
    { ...(said as JsonObject), scopes: 0 },
  ]);
  const parts = entriesOf({ ...scheme, flows: Object.fromEntries(flows) as JsonObject })
    .filter(([name]) => !isAnnotation(name))
    .map(([name, said]) => [name, typeof said === "string" && name !== "name" ? said.toLowerCase() : said]);
  return canonical(Object.fromEntries(parts));
}
