import type { Operation } from "./api.ts";
import type { Document } from "./document.ts";
import type { Comparison } from "./comparison.ts";
import { canonical, entriesOf, isObject, itemsOf, member, step } from "../../base/data.ts";
import type { Json, JsonObject } from "../../base/data.ts";
import { inside, type Part } from "./part.ts";
import { isAnnotation } from "./raw-schema.ts";

/** Compares the ways to authorise an operation's requests. */
export function compareSecurity(part: Part, old: Operation, now: Operation): void {
  const [before, after] = [waysInto(old), waysInto(now)];
  /** Whether every way into the one leads into the other. */
  const leads = (ways: Way[], others: Way[]): boolean =>
    ways.every((way) => others.some(({ needs }) => needs.every((need) => way.needs.includes(need))));
  const [was, is] = [before, after].map((ways) => ways.map(({ shown }) => shown).join(" or "));
  const details = { ...inside(part, "security"), old: was, new: is };
  if (!leads(before, after)) part.comparison.add("credential_required", details);
  else if (!leads(after, before)) part.comparison.add("credential_relaxed", details);
}

/** A way to authorise a request, with what it needs: each credential, and each of its scopes. */
type Way = { shown: string; needs: string[] };

/** The ways to authorise an operation, by what is transmitted and not by scheme names; none is `{}`. */
function waysInto({ document, raw }: Operation): Way[] {
  const ways = itemsOf(raw["security"] ?? document.root["security"]);
  return (ways.length === 0 ? [{}] : ways).map((way) => {
    const credentials = new Map<string, Way>();
    for (const [name, listed] of entriesOf(way)) {
      const scheme = document.resolved(member(schemesOf(document), name));
      const wire = onTheWire(scheme, name);
      // In OpenAPI 3.0, only these have any; in 3.1, the others may name roles.
      const hasScopes = !document.isOld || /^(oauth2|openIdConnect)$/.test(String(member(scheme, "type")));
      const scopes = hasScopes ? [...new Set(itemsOf(listed).map(String))] : [];
      const shown = scopes.length === 0 ? name : `${name} (${scopes.join(", ")})`;
      credentials.set(wire, { shown, needs: [wire, ...scopes.map((scope) => `${wire}\n${scope}`)] });
    }
    const all = [...credentials.values()];
    const shown = all.map((requirement) => requirement.shown).join(" with ") || "none";
    return { shown, needs: all.flatMap(({ needs }) => needs) };
  });
}

/** What a scheme transmits: a header, a query parameter, a cookie, a certificate. */
function onTheWire(scheme: Json | undefined, name: string): string {
  const text = (part: string): string => String(member(scheme, part));
  const type = text("type");
  if (type === "apiKey")
    return `${text("in")} ${text("in") === "header" ? text("name").toLowerCase() : text("name")}`;
  if (type === "http") return text("scheme").toLowerCase();
  if (type === "oauth2" || type === "openIdConnect") return "bearer";
  return scheme === undefined ? name : type;
}

const schemesOf = ({ root }: Document): Json | undefined => member(root["components"], "securitySchemes");

/**
 * Compares how credentials with the same name in both documents are obtained. How they are sent is reported with the
 * operations that require them.
 */
export function compareSchemes(comparison: Comparison): void {
  const after = schemesOf(comparison.new);
  for (const [name, written] of entriesOf(schemesOf(comparison.old))) {
    const [was, is] = [comparison.old.resolved(written), comparison.new.resolved(member(after, name))];
    if (!isObject(was) || !isObject(is) || binding(was) === binding(is)) continue;
    const pointer = `/components/securitySchemes/${step(name)}`;
    const details = { where: `security scheme ${name}`, old: was, new: is, pointer };
    comparison.add("security_scheme_changed", details);
  }
}

/** The binding parts of a scheme: its kind and where a token is obtained, unless open; the operations name the scopes. */
function binding({ bearerFormat: _format, ...scheme }: JsonObject): string {
  const flows = entriesOf(scheme["flows"])
    .filter(([, flow]) => member(flow, "x-open") !== true)
    .map(([name, flow]) => [name, { ...(flow as JsonObject), scopes: 0 }]);
  const parts = entriesOf({ ...scheme, flows: Object.fromEntries(flows) as JsonObject })
    .filter(([name]) => !isAnnotation(name))
    .map(([name, said]) => [name, typeof said === "string" && name !== "name" ? said.toLowerCase() : said]);
  return canonical(Object.fromEntries(parts));
}
