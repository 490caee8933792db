import { isFields, type Seen } from "../../judge/seen.ts";
import { about, fields, type Rule } from "../../judge/rule.ts";

const succeeded = (seen: Seen): boolean => isFields(seen.body) && seen.body["status"] === "success";

/** What is known of the account reads: that they answer one object. Their fields the contract does not show. */
export const rules: readonly Rule[] = about(
  ["getCreditsSpent", "getLedgerReadiness"],
  [
    ...fields("getCreditsSpent", 200, [["ACCT-07", "data", ["object"], { when: succeeded }]]),
    ...fields("getLedgerReadiness", 200, [
      [
        "ACCT-23",
        "data",
        ["object"],
        {
          when: succeeded,
          meaning: "not empty",
          is: (value) => isFields(value) && Object.keys(value).length > 0,
        },
      ],
    ]),
  ],
);
