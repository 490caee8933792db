import { dataOf, has, observe, type Observer } from "../../judge/observer.ts";
import { memberOf, type Seen } from "../../judge/seen.ts";

const named =
  (isReference: (data: unknown) => boolean) =>
  (seen: Seen): "reference" | "other" | null => {
    const data = dataOf(seen);
    return data === undefined ? null : isReference(data) ? "reference" : "other";
  };

const balances = ["daily_free", "invite_reward", "purchased"];

export const observers: readonly Observer[] = [
  observe(
    "R-080",
    "getCredits",
    named(
      (data) =>
        has(data, "remaining_credits", "welcome_bonus", ...balances) &&
        balances.every((name) => has(memberOf(data, name), "remaining", "total")),
    ),
  ),
  observe(
    "R-083",
    "getCreditsSpent",
    named((data) => has(data, "total_credits", "start_date", "end_date")),
  ),
  observe(
    "R-084",
    "getLedgerReadiness",
    named((data) => has(data, "ready", "entities")),
  ),
  observe(
    "R-085",
    "listSettlements",
    named((data) => has(data, "items", "next_cursor", "has_more", "page_size")),
  ),
  observe(
    "R-098",
    ["exportLedger", "exportUsage", "listUsageFeed", "getCreditsSpent", "getLedgerReadiness"],
    ({ status }) => (status === 400 ? "listed" : null),
  ),
];
