import { onAnswers, onPath, variation, type Body, type Variation } from "../../proof/mutant.ts";

const spent = "Credits-spent response: fields not shown";
const balance = "Credits balance response (GET /auth/credits): … field names not shown.";

/** Lawful account reads that the reference server does not give. */
export const variations: readonly Variation[] = [
  variation(
    "lists the categories of credits beside the total",
    balance,
    onPath("getCredits", "data", (data) => {
      const { remaining_credits: total, ...categories } = data as Body;
      return {
        remaining_total: total,
        detail: Object.entries(categories).map(([name, amounts]) => ({ name, ...(amounts as Body) })),
      };
    }),
  ),
  variation(
    "writes credits as decimal texts",
    balance,
    onPath("getCredits", "data", (data) => {
      const { remaining_credits: total, ...categories } = data as Body;
      return { remaining_credits: String(total), ...categories };
    }),
  ),
  variation(
    "writes the credits spent as a decimal text, deep in the answer",
    spent,
    onPath("getCreditsSpent", "data", (data) => ({
      totals: { spent: { credits: String((data as Body)["total_credits"]) } },
    })),
  ),
  variation(
    "tells the credits spent in micro-credits too",
    spent,
    onPath("getCreditsSpent", "data", (data) => ({
      ...(data as Body),
      total_micro: 1_000_000 * Number((data as Body)["total_credits"]),
    })),
  ),
  variation(
    "refuses pages of the credits spent",
    "Total credits spent in a date range (single aggregate, no pagination)",
    onAnswers(
      ({ operation, query }) => operation === "getCreditsSpent" && query.has("page"),
      (answer) => ({ ...answer, status: 422, body: JSON.stringify({ detail: [] }) }),
    ),
  ),
  variation(
    "asks for both dates of the credits spent where one is given",
    "params start_date, end_date: whether one goes without the other is not stated",
    onAnswers(
      ({ operation, query }) =>
        operation === "getCreditsSpent" && query.has("end_date") && !query.has("start_date"),
      (answer) => ({ ...answer, status: 422, body: JSON.stringify({ detail: [] }) }),
    ),
  ),
  variation(
    "says of the readiness no more than how to read",
    "Ledger readiness response: fields not shown.",
    onPath("getLedgerReadiness", "data", () => ({ mode: "ledger" })),
  ),
  variation(
    "shows the settlements of Calls alone",
    "Lightweight settlement feed: which of the entries it shows is not stated",
    onPath("listSettlements", "data.items", (items) =>
      (items as Body[]).filter((item) => String(item["entry_type"]).startsWith("consume_")),
    ),
  ),
];
