import type { OperationId } from "../../../generated/contract.ts";
import { atMostCredits } from "../../judge/credits.ts";
import { about, holds, rule, type Rule } from "../../judge/rule.ts";
import { isFields, memberOf, type Seen } from "../../judge/seen.ts";

const idInPath = (seen: Seen): string =>
  decodeURIComponent(new URL(seen.exchange.request.url).pathname.split("/").at(-1)!);

/** A rule that an answer of 200 repeats the requested id. */
const repeats = (
  clause: "CAPA-01" | "CAPA-20",
  operation: OperationId,
  asked: (seen: Seen) => unknown,
): Rule =>
  rule(clause, `${operation} repeats the capability_id that was asked for`, (seen) => {
    if (seen.operation !== operation || seen.status !== 200) return null;
    const id = memberOf(seen.body, "capability_id");
    return holds(id === asked(seen), String(asked(seen)), id);
  });

/** The answers of capability query and capability detail. */
export const rules: readonly Rule[] = about(
  ["queryCapability", "getCapability"],
  [
    repeats("CAPA-01", "queryCapability", (seen) => seen.sent["capability_id"]),
    repeats("CAPA-20", "getCapability", idInPath),
    rule("CAPA-09", "credits_used is not more than max_credits", (seen) => {
      if (seen.operation !== "queryCapability" || seen.status !== 200 || !isFields(seen.body)) return null;
      const { credits_used: used } = seen.body;
      const { max_credits: most } = seen.sent;
      if (typeof used !== "number" || typeof most !== "number") return null;
      return holds(atMostCredits(used, most), `credits_used: at most ${most}`, used, {
        place: "credits_used",
      });
    }),
    rule("CAPA-22", "contract_version and schema_hash are both present or both absent", (seen) => {
      if (seen.operation !== "getCapability" || seen.status !== 200 || !isFields(seen.body)) return null;
      const { contract_version: version, schema_hash: hash } = seen.body;
      const given = (value: unknown): boolean => value !== undefined && value !== null;
      return holds(given(version) === given(hash), "both contract_version and schema_hash, or neither", {
        contract_version: version,
        schema_hash: hash,
      });
    }),
  ],
);
