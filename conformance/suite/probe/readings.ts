import { probeChecks } from "../../../generated/contract.ts";
import { has, observe, type Observer } from "../../judge/observer.ts";
import { isFields, memberOf, type Seen } from "../../judge/seen.ts";
import { isUnheardOf } from "../../server/unheard-of.ts";

const answered = ({ body }: Seen): string[] => probeChecks.filter((check) => has(body, check));

const quoteFields: readonly string[] = ["estimate_credits", "currency", "exact", "basis"];

export const observers: readonly Observer[] = [
  observe("R-017", "probe", ({ query, sent, status }) => {
    const invalid = "checks" in sent && !Array.isArray(sent["checks"]);
    if (!invalid || !isUnheardOf(query.get("tool_id") ?? "")) return null;
    return status === 404 ? "not_found_first" : status === 422 || status === 400 ? "invalid_first" : null;
  }),
  observe("R-024", "probe", (seen) => {
    if (seen.status !== 200 || "checks" in seen.sent) return null;
    return answered(seen).join() === "schema" ? "schema" : "other";
  }),
  observe("R-025", "probe", ({ sent, status }) => {
    if (!Array.isArray(sent["checks"]) || sent["checks"].length > 0) return null;
    return status === 200 ? "empty" : status === 400 ? "400" : status === 422 ? "422" : null;
  }),
  observe("R-026", "probe", (seen) => {
    const asked = seen.sent["checks"];
    if (seen.status !== 200 || !Array.isArray(asked) || asked.length === 0) return null;
    return answered(seen).every((check) => asked.includes(check)) ? "absent" : "present";
  }),
  observe("R-027", "probe", ({ status, body }) => {
    const schema = memberOf(body, "schema");
    if (status !== 200 || memberOf(schema, "valid") !== false) return null;
    const violations = memberOf(schema, "violations");
    const listed =
      Array.isArray(violations) &&
      violations.every((violation) => has(violation, "param", "type", "message"));
    return listed ? "violations" : "other";
  }),
  observe("R-028", "probe", ({ status, body }) => {
    const quote = memberOf(body, "quote");
    if (status !== 200 || !isFields(quote)) return null;
    const more = Object.keys(quote).filter((name) => !quoteFields.includes(name));
    if (more.length === 0) return null;
    return more.join() === "detail" && typeof quote["detail"] === "object" ? "detail" : "other";
  }),
  observe("R-030", "probe", ({ status, body }) => {
    const unknown = ["coverage", "sample"]
      .map((check) => memberOf(body, check))
      .filter((answer) => JSON.stringify(answer ?? null).includes("unknown"));
    if (status !== 200 || unknown.length === 0) return null;
    const isVerdict = (answer: unknown): boolean =>
      memberOf(answer, "verdict") === "unknown" && has(answer, "reason");
    return unknown.every(isVerdict) ? "verdict" : "other";
  }),
  observe("R-043", "probe", ({ status, body }) =>
    status === 200 && memberOf(memberOf(body, "schema"), "valid") === false ? "by_kind" : null,
  ),
];
