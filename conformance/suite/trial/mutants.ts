import { micro } from "../../../reference-server/billing/money.ts";
import { HttpError } from "../../../reference-server/http/errors.ts";
import type { Account } from "../../../reference-server/parts.ts";
import { asOwnerOf } from "../../changes/audit-query.ts";
import {
  mutantsOf,
  onFields,
  onPart,
  onPath,
  receiving,
  onStatus,
  type Change,
} from "../../changes/mutant.ts";
import { endingTrials, prolongingTrials } from "./trial-changes.ts";

const hourMs = 3_600_000;

function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString();
}

const closedToTrials = (id: "call" | "discover"): Change =>
  receiving(id, ({ caller }) => {
    if (caller.account.type === "trial") throw new HttpError(401, "A trial may not do this.");
    return {};
  });

export const mutants = mutantsOf({
  "TRIA-30": {
    "lets the key of a trial work forever": endingTrials(() => Infinity),
    "ends a trial half a day late": endingTrials((endsAt) => endsAt + 12 * hourMs),
    "ends a trial 7 days after its last use": prolongingTrials(7 * 24 * hourMs),
  },
  "TRIA-29": {
    "answers 403 to a Call with the key of an ended trial": onStatus("call", 401, 403, (_, { body }) =>
      body.includes("trial has ended"),
    ),
  },
  "TRIA-04": {
    "states 40 trial credits but grants 50": onPath("registerAnonymous", "data.trial_credits", () => 40),
    "states no trial credits": onPath("registerAnonymous", "data.trial_credits", () => undefined),
  },
  "TRIA-05": {
    "returns the same claim code for every registration": onPath(
      "registerAnonymous",
      "data.claim_code",
      () => "claim-code-of-everybody",
    ),
    "returns the first registration's key for every registration": sharingTheFirstKey(),
  },
  "TRIA-06": {
    "shows one credit too few in Inspect": onFields("inspect", {
      remaining_credits: (credits: unknown) => Number(credits) - 1,
    }),
    "shows a trial a remaining total of zero": onPath("getCredits", "data", (data) => {
      const { purchased } = data as { purchased: { total: number } };
      return purchased.total > 0 ? data : { ...(data as object), remaining_credits: 0 };
    }),
    "grants the welcome bonus twice": onPart("accounts", (accounts, { books }) => ({
      ...accounts,
      async registerTrial(name) {
        const trial = await accounts.registerTrial(name);
        const bonus = {
          entryType: "grant_welcome_bonus",
          amount: micro(50),
          description: "Trial credits",
        } as const;
        await books.move({ accountId: trial.account.id, ...bonus });
        return trial;
      },
    })),
  },
  "TRIA-07": {
    "refuses Calls from trial accounts": closedToTrials("call"),
  },
  "TRIA-08": {
    "ends a trial half a day early": endingTrials((endsAt) => endsAt - 12 * hourMs),
    "states that a trial ends after 8 days": onPath("registerAnonymous", "data.expires_at", () => inDays(8)),
  },
  "TRIA-10": {
    "shows other accounts' events by execution_id": asOwnerOf("listUsage", "execution_id", "execution_id"),
    "lets all trials spend from one balance": sharingOneBalance(),
  },
});

/** Every registration after the first returns the first one's key but opens a new account. */
function sharingTheFirstKey(): Change {
  let first: string | undefined;
  return onPart("accounts", (accounts) => ({
    ...accounts,
    async registerTrial(name) {
      const trial = await accounts.registerTrial(name);
      first ??= trial.apiKey;
      return { ...trial, apiKey: first };
    },
  }));
}

/** Every trial key belongs to the account of the first trial. */
function sharingOneBalance(): Change {
  let first: Account | undefined;
  return onPart("accounts", (accounts) => ({
    ...accounts,
    async authenticate(token) {
      const caller = await accounts.authenticate(token);
      if ("refused" in caller || caller.account.type !== "trial") return caller;
      first ??= caller.account;
      return { ...caller, account: first };
    },
  }));
}
