import { randomInt } from "node:crypto";
import { check, type Stage } from "../../run/check.ts";
import type { Account } from "../../server/account.ts";
import type { Answer } from "../../judge/answer.ts";
import { seeded } from "../../../base/seeded.ts";
import type { Profile, Role, Use } from "../../server/profile.ts";
import { until } from "../../server/session.ts";
import { registerTrial } from "../../server/trials.ts";
import { sameCredits } from "../../judge/credits.ts";
import { Blocked, Unmet, Unverifiable } from "../../judge/verdict.ts";
import { expectBooks, readBooks, type Books, type Done } from "./books.ts";

export const checks = [
  check(
    ["BILL-11", "BILL-04", "LEDG-03", "USUM-09", "LSUM-07", "ACCT-06"],
    "a random walk over an account leaves balance, events, ledger and sums in agreement after every step",
    { needs: ["tool.charged"], credits: 20, long: true },
    async (stage) => {
      const seed = seedOf();
      const account = await walker(stage);
      try {
        await walk(stage, account, stepsOf(seed, stage.profile), `walk-${seed}`);
      } catch (error) {
        if (!(error instanceof Unmet)) throw error;
        const note = `seed ${seed}: WALK_SEED=${seed} walks it again`;
        throw new Unmet({ ...error.fact, note }, error.exchange);
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

async function take(step: Step, account: Account, session: string): Promise<Done> {
  const { tools, capabilities } = account.profile;
  const toolOf = (role: Role): Required<Use> => ({ parameters: {}, ...tools[role]! });
  const { id, parameters } = toolOf("charged");
  const done: Done = { name: named(step), executionId: null, free: true };
  switch (step.do) {
    case "call": {
      const answer = await account.call(toolOf(step.role), { session_id: session });
      return { ...done, free: false, executionId: executionOf(answer) };
    }
    case "capability query": {
      const { id: capability_id, parameters: given = {} } = capabilities.query!;
      const body = { capability_id, parameters: given, max_credits: budget };
      const answer = await account.ask("queryCapability", { body });
      return { ...done, free: false, executionId: executionOf(answer) };
    }
    case "discover":
      await account.discover({ query: "data", limit: 1, session_id: session });
      // A deployment may charge for it.
      return { ...done, free: false };
    case "inspect":
      await account.inspect({ tool_ids: [id], session_id: session });
      return done;
    case "probe":
      await account.probe(id, { parameters, checks: ["schema", "quote"] });
      return done;
    case "refused call":
      await account.ask("call", { body: { tool_id: id, parameters: "none", session_id: session } });
      return done;
  }
}

/** The books once they are correct, or once everything due should have arrived. */
async function settledBooks(stage: Stage, account: Account, before: Books, done: Done): Promise<Books> {
  const holds = (now: Books): boolean => {
    try {
      expectBooks(stage.expect, before, done, now);
      return true;
    } catch (error) {
      if (error instanceof Unmet) return false;
      throw error;
    }
  };
  await account.settled();
  const credits = await account.credits();
  return until(account.lagMs, () => readBooks(account, credits), holds);
}

/**
 * Performs the steps, and compares the whole account with its previous state after each.
 * @throws Unmet with the steps up to the one that showed it
 * @throws Unverifiable when nothing moved the balance
 */
async function walk(stage: Stage, account: Account, steps: readonly Step[], session: string): Promise<void> {
  const { expect } = stage;
  const nothing: Done = { name: "nothing", executionId: null, free: true };
  await account.settled();
  const balance = await account.credits();
  expect((await account.credits()) - balance, "the change of the balance by reading it").toBeCredits(0);
  let before = await readBooks(account, balance);
  before = await settledBooks(stage, account, before, nothing);
  expectBooks(expect, before, nothing, before);
  for (const [nth, step] of steps.entries()) {
    const done = await take(step, account, session);
    const now = await settledBooks(stage, account, before, done);
    try {
      expectBooks(expect, before, done, now);
    } catch (error) {
      if (!(error instanceof Unmet)) throw error;
      const trail = steps
        .slice(0, nth + 1)
        .map(named)
        .join(", ");
      throw new Unmet({ ...error.fact, after: trail }, error.exchange);
    }
    before = now;
  }
  if (sameCredits(await account.credits(), balance))
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
