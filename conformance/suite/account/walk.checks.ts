import { randomInt } from "node:crypto";
import { check, type Stage } from "../../run/check.ts";
import type { Account } from "../../server/account.ts";
import type { Answer } from "../../judge/answer.ts";
import type { Role, Use } from "../../server/profile.ts";
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
      const { default: fc } = await import("fast-check");
      const seed = seedOf();
      const roles = callable.filter((role) => stage.profile.tools[role] !== undefined);
      const calls = fc.constantFrom(...roles).map((role): Step => ({ do: "call", role }));
      const querying = stage.profile.capabilities.query === undefined ? [] : (["capability query"] as const);
      const others = fc
        .constantFrom(...querying, "discover" as const, "inspect", "probe", "refused call")
        .map((other): Step => ({ do: other }));
      const walks = fc.noBias(
        fc.array(fc.oneof({ arbitrary: calls, weight: 2 }, { arbitrary: others, weight: 1 }), {
          minLength: 1,
          maxLength: longest,
          size: "max",
        }),
      );
      const first = await walker(stage);
      let accounts = 0;
      let shortest: Unmet | undefined;
      let trouble: unknown;
      const holds = async (steps: Step[]): Promise<boolean> => {
        if (accounts > maxReplays || trouble !== undefined) return true;
        try {
          const { account } = accounts === 0 ? first : await walker(stage);
          accounts += 1;
          await walk(stage, account, withCharge(steps), `walk-${seed}`);
          return true;
        } catch (error) {
          if (error instanceof Unmet) shortest = error;
          else trouble = error;
          return !(error instanceof Unmet);
        }
      };
      await fc.check(fc.asyncProperty(walks, holds), { seed, numRuns: 1, endOnFailure: !first.own });
      if (shortest !== undefined) {
        const again = `seed ${seed}: WALK_SEED=${seed} walks it again`;
        throw new Unmet(shortest.expected, `${shortest.received} (${again})`, shortest.exchange);
      }
      if (trouble !== undefined) throw trouble;
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

/** Number of shorter walks tried, each on a fresh account, to find the shortest that fails. */
const maxReplays = 4;

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

/** A walk without a charge proves nothing, so it ends with one. */
const withCharge = (steps: readonly Step[]): readonly Step[] =>
  steps.some((step) => step.do === "call" && step.role === "charged")
    ? steps
    : [...steps, { do: "call", role: "charged" }];

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
  return until(stage.account.lagMs, () => readBooks(account), holds);
}

/**
 * Performs the steps, and compares the whole account with its previous state after each.
 * @throws Unverifiable when nothing moved the balance
 */
async function walk(stage: Stage, account: Account, steps: readonly Step[], session: string): Promise<void> {
  const { expect } = stage;
  const nothing: Done = { name: "nothing", executionId: null, free: true };
  await account.settled();
  const balance = await account.credits();
  expect((await account.credits()) - balance, "the change of the balance by reading it").toBeCredits(0);
  let before = await readBooks(account);
  before = await settledBooks(stage, account, before, nothing);
  expectBooks(expect, before, nothing, before);
  for (const [index, step] of steps.entries()) {
    const done = await take(step, account, session);
    const now = await settledBooks(stage, account, before, done);
    try {
      expectBooks(expect, before, done, now);
    } catch (error) {
      if (!(error instanceof Unmet)) throw error;
      const trail = steps
        .slice(0, index + 1)
        .map(named)
        .join(", ");
      throw new Unmet(`${error.expected}, after ${trail}`, error.received, error.exchange);
    }
    before = now;
  }
  if (sameCredits(await account.credits(), balance))
    throw new Unverifiable("no step of the walk was charged", "credentials: {pool: [KEY]}");
}

/** A fresh trial account if the server registers trials, else the one lent to the check. */
async function walker({ stranger, profile, account }: Stage): Promise<{ account: Account; own: boolean }> {
  if (profile.features.trial !== undefined) return { account, own: false };
  try {
    return { account: (await registerTrial(stranger)).account, own: true };
  } catch (error) {
    if (error instanceof Blocked) return { account, own: false };
    throw error;
  }
}

/** The seed of a walk: this run's, or that of a walk to be repeated. */
function seedOf(): number {
  const given = Number(process.env["WALK_SEED"]);
  return Number.isInteger(given) && given > 0 ? given : randomInt(1, 2 ** 31);
}
