import { randomInt } from "node:crypto";
import { check, type Stage } from "../../run/check.ts";
import type { Account } from "../../server/account.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import { seeded } from "../../../base/seeded.ts";
import type { Profile, Role, Use } from "../../server/profile.ts";
import { until } from "../../server/session.ts";
import { registerTrial } from "../../server/trials.ts";
import { added } from "../../books/listed.ts";
import { sameCredits } from "../../judge/credits.ts";
import { grantedBy } from "../../judge/rows.ts";
import { wholeList } from "../../server/lists.ts";
import { Blocked, Unmet, Unverifiable } from "../../judge/verdict.ts";
import { readPlans } from "../balance.ts";
import { expectBooks, expectChange, readBooks, type Books, type Done } from "./books.ts";

export const checks = [
  check(
    ["BILL-11", "BILL-04", "LEDG-03", "USUM-09", "LSUM-07", "ACCT-06"],
    "a random walk over an account leaves balance, events, ledger and sums in agreement after every step",
    { needs: ["tool.charged"], credits: 20, long: true },
    async (stage) => {
      const seed = seedOf();
      const account = await walker(stage);
      const trail: string[] = [];
      try {
        await walk(stage, account, stepsOf(seed, stage.profile), { session: `walk-${seed}`, trail });
      } catch (error) {
        if (!(error instanceof Unmet)) throw error;
        const { note: title, ...fact } = error.fact;
        const seeded = `seed ${seed}: WALK_SEED=${seed} walks it again`;
        const note = title === undefined ? seeded : `${title}; ${seeded}`;
        const after = trail.length === 0 ? {} : { after: trail.join(", ") };
        throw new Unmet({ ...fact, ...after, note }, error.exchange);
      }
    },
  ),
];

/** Tools that a walk calls if they are known; their outcome is read, not predicted. */
const callable = [
  "charged",
  "charged_decimal",
  "included",
  "discounted",
  "policy_exempt",
  "partial_success",
  "provider_error",
  "empty_result",
  "unavailable",
] as const satisfies readonly Role[];

type Step =
  | { do: "call"; role: (typeof callable)[number] }
  | { do: "capability query" | "discover" | "inspect" | "probe" | "refused call" };

/** Budget of a capability query, in credits. */
const budget = 2;

const longest = 14;

/** The steps of a walk: two of three are Calls of tools that are known. A walk without a charge proves nothing. */
function stepsOf(seed: number, { tools, capabilities }: Profile): Step[] {
  const { below, pick } = seeded(seed);
  const calls = callable.filter((role) => tools[role] !== undefined);
  const querying = capabilities.query === undefined ? [] : (["capability query"] as const);
  const others = [...querying, "discover", "inspect", "probe", "refused call"] as const;
  const steps = Array.from({ length: 1 + below(longest) }, (): Step =>
    below(3) < 2 ? { do: "call", role: pick(calls) } : { do: pick(others) },
  );
  const isCharged = steps.some((step) => step.do === "call" && step.role === "charged");
  return isCharged ? steps : [...steps, { do: "call", role: "charged" }];
}

const named = (step: Step): string => (step.do === "call" ? `call ${step.role}` : step.do);

/** The execution named in an answer, if there was one. */
function executionOf(answer: Answer): string | null {
  const execution = answer.status === 200 ? answer.at("execution_id").value : null;
  return typeof execution === "string" ? execution : null;
}

/** Steps that must cost nothing; a deployment may charge for Discover. */
const free: readonly Step["do"][] = ["inspect", "probe", "refused call"];

/** Sends the request of a step. */
function take(step: Step, account: Account, session_id: string): Promise<Answer> {
  const { tools, capabilities } = account.profile;
  const toolOf = (role: Role): Required<Use> => ({ parameters: {}, ...tools[role]! });
  const { id, parameters } = toolOf("charged");
  switch (step.do) {
    case "call":
      return account.call(toolOf(step.role), { session_id });
    case "capability query": {
      const { id: capability_id, parameters = {} } = capabilities.query!;
      return account.ask("queryCapability", { body: { capability_id, parameters, max_credits: budget } });
    }
    case "discover":
      return account.discover({ query: "data", limit: 1, session_id });
    case "inspect":
      return account.inspect({ tool_ids: [id], session_id });
    case "probe":
      return account.probe(id, { parameters, checks: ["schema", "quote"] });
    case "refused call":
      return account.ask("call", { body: { tool_id: id, parameters: "none", session_id } });
  }
}

/** The rewards among the entries of an account that it did not have yet. */
type Rewards = (entries: readonly Located[]) => number;

/**
 * The books after an action, once they are right.
 * @param before the books before it; without them, the books need only agree with themselves
 * @throws Unmet where they are not right once everything due should have arrived
 */
async function settledBooks(
  { expect }: Stage,
  account: Account,
  done: Done,
  { rewards, before }: { rewards: Rewards; before?: Books },
): Promise<Books> {
  const expectRight = (now: Books): void => expectBooks(expect, before ?? now, done, now, rewards);
  const isRight = (now: Books): boolean => {
    try {
      expectRight(now);
      return true;
    } catch (error) {
      if (error instanceof Unmet || error instanceof Unverifiable) return false;
      throw error;
    }
  };
  await account.settled();
  const credits = await account.credits();
  // An account without such credits is not asked again after each step.
  const plans = before?.plans.size === 0 ? before.plans : await readPlans(account);
  const books = await until(account.lagMs, () => readBooks(account, { credits, plans }), isRight);
  expectRight(books);
  return books;
}

/**
 * Performs the steps, and compares the whole account with its previous state after each.
 * @param trail is given the names of the steps that were taken
 * @throws Unverifiable when nothing moved the balance
 */
async function walk(
  stage: Stage,
  account: Account,
  steps: readonly Step[],
  { session, trail }: { session: string; trail: string[] },
): Promise<void> {
  const nothing: Done = { name: "nothing", executionId: null, free: true };
  await account.settled();
  const known = await wholeList(account, "listLedger");
  const rewards: Rewards = (entries) => grantedBy(added(entries, known));
  const balance = await account.credits();
  let books = await settledBooks(stage, account, nothing, { rewards });
  expectChange(stage.expect, books.credits - balance, 0, {
    name: "reading it",
    rewards: rewards(books.entries),
  });
  for (const step of steps) {
    const name = named(step);
    trail.push(name);
    const executionId = executionOf(await take(step, account, session));
    books = await settledBooks(
      stage,
      account,
      { name, executionId, free: free.includes(step.do) },
      { rewards, before: books },
    );
  }
  if (sameCredits(books.credits, balance))
    throw new Unverifiable("no step of the walk was charged", "credentials: {pool: [KEY]}");
}

/** A fresh trial account if the server registers trials, else the one lent to the check. */
async function walker({ stranger, profile, account }: Stage): Promise<Account> {
  if (profile.features.trial !== undefined) return account;
  try {
    return (await registerTrial(stranger)).account;
  } catch (error) {
    if (error instanceof Blocked) return account;
    throw error;
  }
}

/** The seed of a walk: this run's, or that of a walk to be repeated. */
function seedOf(): number {
  const given = Number(process.env["WALK_SEED"]);
  return Number.isInteger(given) && given > 0 ? given : randomInt(1, 2 ** 31);
}
