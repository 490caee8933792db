import { defaultConfig } from "../../../reference-server/config.ts";
import { HttpError } from "../../../reference-server/http/errors.ts";
import type { Account } from "../../../reference-server/parts.ts";
import {
  mutantsOf,
  onAnswers,
  onBody,
  onFields,
  onOperation,
  onPart,
  onPath,
  withBody,
  withStatus,
  type Change,
  type Mutant,
} from "../../proof/mutant.ts";
import { endingTrials } from "./trial-changes.ts";

const hourMs = 3_600_000;

const opened = {
  agent_id: "agent",
  expires_at: new Date(Date.now() + 604_800_000).toISOString(),
};

/** Grants a fresh trial for registrations that the contract refuses. */
const acceptingAnyName = onAnswers(
  (request, answer) => request.operation === "registerAnonymous" && answer.status === 422,
  withBody(200, {
    status: "success",
    message: "ok",
    status_code: 0,
    data: { ...opened, api_key: "key-of-nobody", claim_code: "claim-of-nobody", trial_credits: 50 },
  }),
);

const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

/** A short window of a few anonymous requests, so that it ends soon. */
const fewRegistrations = {
  windowSeconds: 4,
  quotas: { ...defaultConfig.quotas, anonymous: 40 },
};

export const mutants: Mutant[] = mutantsOf({
  "TRIA-01": {
    "takes a name of ASCII characters alone": onAnswers(
      (request) => request.operation === "registerAnonymous" && /[^\x20-\x7e]/.test(request.sent()),
      withBody(422, {
        detail: [{ loc: ["body", "agent_name"], msg: "agent_name is not ASCII", type: "pattern" }],
      }),
    ),
    "refuses a registration that gives a name": onAnswers(
      (request, answer) => request.operation === "registerAnonymous" && answer.status === 200,
      withBody(422, { detail: [] }),
    ),
  },
  "TRIA-29": {
    "lets the key of a trial work for ever": endingTrials(() => Infinity),
    "ends a trial half a day late": endingTrials((endsAt) => endsAt + 12 * hourMs),
    "answers 403 to a Call with the key of an ended trial": onAnswers(
      ({ operation }, { status, body }) =>
        operation === "call" && status === 401 && /trial has ended/.test(body),
      withStatus(403),
    ),
  },
  "TRIA-02": { "opens a trial whatever the name and the body are": acceptingAnyName },
  "TRIA-04": {
    "states 40 trial credits and grants 50": onPath("registerAnonymous", "data.trial_credits", () => 40),
    "states no trial credits": onPath("registerAnonymous", "data.trial_credits", () => undefined),
  },
  "TRIA-05": {
    "answers every registration with one claim code": onPath(
      "registerAnonymous",
      "data.claim_code",
      () => "claim-code-of-everybody",
    ),
    "answers every registration with the key of the first": sharingTheFirstKey(),
  },
  "TRIA-06": {
    "grants trial credits that Inspect counts one short": onFields("inspect", {
      remaining_credits: (credits: unknown) => Number(credits) - 1,
    }),
    "grants the welcome bonus twice": onPart("accounts", (accounts, { books }) => ({
      ...accounts,
      async registerTrial(name) {
        const trial = await accounts.registerTrial(name);
        await books.move({
          accountId: trial.account.id,
          entryType: "grant_welcome_bonus",
          amount: 50_000_000,
          description: "Trial credits",
        });
        return trial;
      },
    })),
  },
  "TRIA-07": {
    "keeps trial accounts from calling": onOperation("call", (call) => (request, context) => {
      if (request.caller.account.type === "trial") throw new HttpError(401, "A trial may not call.");
      return call(request, context);
    }),
    "keeps trial accounts from Discover": onOperation("discover", (discover) => (request, context) => {
      if (request.caller.account.type === "trial") throw new HttpError(401, "A trial may not discover.");
      return discover(request, context);
    }),
  },
  "TRIA-08": {
    "ends a trial half a day early": endingTrials((endsAt) => endsAt - 12 * hourMs),
    "lets the trial end after 8 days": onPath("registerAnonymous", "data.expires_at", () => inDays(8)),
  },
  "TRIA-10": {
    "shows every trial the events of all trials": onOperation(
      "listUsage",
      (listUsage) => async (request, context) => {
        const [found] = await context
          .database("usage_events")
          .where({ execution_id: request.query.execution_id ?? "" })
          .limit(1);
        const { account_id: id } = (found ?? { account_id: request.caller.account.id }) as {
          account_id: string;
        };
        const account = { ...request.caller.account, id };
        return listUsage({ ...request, caller: { ...request.caller, account } }, context);
      },
    ),
    "lets all trials spend from one balance": sharingOneBalance(),
  },
  "TRIA-11": {
    "answers a rate-limited registration without status_code 429": {
      config: fewRegistrations,
      ...onBody("registerAnonymous", (body) => ({ ...body, status_code: -1 }), 429),
    },
    "opens a trial for a registration that it refuses with 429": {
      config: fewRegistrations,
      ...onBody("registerAnonymous", (body) => ({ ...body, data: { api_key: "one more" } }), 429),
    },
    "does not limit registrations": {
      config: fewRegistrations,
      ...onPart("limiter", (limiter) => ({
        take: (bucket, quota) => limiter.take(bucket, bucket.startsWith("anonymous") ? 1_000_000 : quota),
      })),
    },
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
