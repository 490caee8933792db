import type { OperationId } from "../operations.ts";
import { holds, rule, type Rule } from "./rule.ts";

/** How a masked key stands in a recorded exchange; see target/secrets.ts. */
const maskedKey = /«key \d+»/;

const reads: readonly OperationId[] = [
  "getCredits",
  "listLedger",
  "exportLedger",
  "getLedgerEntry",
  "getLedgerReadiness",
  "listSettlements",
  "getCreditsSpent",
  "listUsage",
  "exportUsage",
  "listUsageFeed",
  "getUsageEvent",
];

const holdsKey = (body: string, headers: Record<string, string>): string | undefined =>
  [body, ...Object.values(headers)]
    .map((text) => maskedKey.exec(text)?.[0])
    .find((found) => found !== undefined);

/** Keys are shown once, at their creation. */
export const secrets: Rule[] = [
  rule("AUTH-13", "no answer but a key's creation holds a key", (seen) => {
    if (seen.operation === "registerAnonymous") return null;
    const key = holdsKey(seen.exchange.response!.body, seen.headers);
    return holds(key === undefined, "no API key in the answer", key && `${key} of this run, in clear`);
  }),
  rule("AUTH-14", "no read of the account returns a key", (seen) => {
    if (!reads.includes(seen.operation!) || seen.status !== 200) return null;
    const key = holdsKey(seen.exchange.response!.body, seen.headers);
    return holds(key === undefined, "no API key in the answer", key && `${key} of this run, in clear`);
  }),
];
