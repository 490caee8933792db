import { credentialOf, has, observe, type Observer } from "../../judge/observer.ts";
import { isFields, memberOf, valuesAt, type Seen } from "../../judge/seen.ts";

const costClasses: readonly unknown[] = ["free", "low", "medium", "high"];

const resultsOf = ({ status, body }: Seen): Record<string, unknown>[] => {
  const results = status === 200 ? memberOf(body, "results") : undefined;
  return Array.isArray(results) ? results.filter(isFields) : [];
};

export const observers: readonly Observer[] = [
  observe("R-005", "discover", (seen) => {
    if (credentialOf(seen) !== "exhausted") return null;
    return seen.status === 402 ? "always" : seen.status === 200 ? "only_where_charged" : null;
  }),
  observe("R-020", "discover", (seen) => {
    const cards = seen.sent["view"] === "routing" ? resultsOf(seen) : [];
    if (cards.length === 0) return null;
    const isReference = (card: Record<string, unknown>): boolean =>
      typeof card["capability"] === "string" &&
      costClasses.includes(card["cost_class"]) &&
      /^[A-D]$/.test(String(card["reliability"])) &&
      typeof card["as_of_support"] === "boolean";
    return cards.every(isReference) ? "reference" : "other";
  }),
  observe("R-022", ["discover", "inspect"], (seen) => {
    const params = valuesAt(seen.body, "results.*.params.*").map(({ value }) => value);
    const marks = params.flatMap((param) =>
      has(param, "one_of_required") ? [memberOf(param, "one_of_required")] : [],
    );
    if (marks.length === 0) return null;
    if (marks.every((mark) => typeof mark === "string")) return "label";
    return marks.every((mark) => Array.isArray(mark)) ? "labels" : "other";
  }),
  observe("R-023", ["discover", "inspect"], (seen) => {
    const bills = resultsOf(seen).flatMap((result) =>
      has(result, "billing_rule") ? [result["billing_rule"]] : [],
    );
    if (bills.length === 0) return null;
    return bills.every((bill) => has(bill, "unit", "amount_credits")) ? "unit_and_amount" : "other";
  }),
  observe("R-050", "discover", (seen) => {
    const total = memberOf(seen.body, "total");
    const returned = resultsOf(seen).length;
    if (returned === 0 || returned !== seen.sent["limit"]) return null;
    return total === returned
      ? "returned"
      : typeof total === "number" && total > returned
        ? "matching"
        : null;
  }),
  observe("R-052", "discover", ({ exchange: { request }, headers, sent, status }) => {
    const asked = request.headers["accept-language"];
    const language = headers["content-language"];
    if (status !== 200 || language === undefined || sent["lang"] !== undefined) return null;
    return asked === undefined || /zh|en/i.test(asked) ? null : /^en\b/i.test(language) ? "english" : "other";
  }),
];
