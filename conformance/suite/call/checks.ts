import { check, type Stage } from "../../run/check.ts";
import { fallOf } from "../balance.ts";
import { operations, reasonCodes } from "../../../generated/contract.ts";
import { usable, type Account } from "../../server/account.ts";
import type { Answer } from "../../judge/answer.ts";
import { longestOf } from "../../judge/elapsed.ts";
import { definitionsOf } from "./faults.ts";
import { registerTrial } from "../../server/trials.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import { settledOf } from "../billing/traces.ts";

/** The cost of a check with the given number of calls of an affordable tool. */
const calls = (count: number): { credits: number } => ({ credits: Math.max(5, 2 * count) });

export const checks = [
  check(
    "CALL-10",
    "a Call made for the first time reports no more time than the client waited",
    { needs: ["tool.required_parameter"], ...calls(4) },
    async (stage) => {
      const { expect } = stage;
      const call = await unheardCall(stage);
      const seconds = call.at("execution_time").number;
      const most = longestOf(call.exchange);
      // A result from a cache, which another client may have filled, states the time of the run that made it.
      if (seconds > most / 1000) {
        const others = [await unheardCall(stage), await unheardCall(stage), await unheardCall(stage)];
        if (others.every((other) => other.at("execution_time").value === seconds))
          throw new Unverifiable("four Calls state the same time, as results of one cached run do");
      }
      expect(call.at("execution_time")).toBeBetween(0, most / 1000);
      if (call.at("elapsed_time_ms").present) expect(call.at("elapsed_time_ms")).toBeBetween(0, most);
    },
  ),

  check(
    "CALL-35",
    "a Call that succeeds is answered with 200",
    { needs: ["tool.charged"] },
    async (stage) => {
      const { account, tool, expect } = stage;
      expect(await account.call(tool("charged"))).toHaveSucceeded();
    },
  ),

  check(
    "CALL-02",
    "concurrent Calls have distinct execution_ids",
    { needs: ["tool.charged"], ...calls(5) },
    async ({ account, tool, unique, expect }) => {
      const session_id = unique("session");
      const call = () => account.succeed(tool("charged"), { session_id });
      // The same Call each time, and once more when it has been answered.
      const answers = [...(await Promise.all(Array.from({ length: 4 }, call))), await call()];
      const ids = new Set(answers.map((answer) => answer.at("execution_id").string));
      expect(ids.size, "different execution_ids of 5 Calls").toBe(5);
    },
  ),

  check(
    "CALL-02",
    "concurrent Calls that fail at the provider have distinct execution_ids",
    { needs: ["tool.provider_error"], ...calls(3) },
    async ({ account, tool, expect }) => {
      const answers = await Promise.all(
        Array.from({ length: 3 }, () => account.attempt(tool("provider_error"))),
      );
      // Only a Call that succeeds must name its execution.
      const ids = answers.flatMap((answer) => answer.at("execution_id").value ?? []);
      if (ids.length < 2) throw new Unverifiable("a Call that fails names no execution");
      expect(new Set(ids).size, `different execution_ids of ${ids.length} Calls`).toBe(ids.length);
    },
  ),

  check(
    "CALL-07",
    "a Call that fails at its provider settles to zero, unless it is up for review",
    { needs: ["tool.provider_error"] },
    async ({ account, tool, expect }) => {
      let outcome: unknown;
      const fall = await fallOf(account, async () => {
        const failed = await account.attempt(tool("provider_error"));
        expect(failed).toHaveFailed();
        const event = await account.usageOf(failed);
        outcome = event.at("charge_outcome").value;
        if (outcome === "charged" || outcome === "included")
          throw new Unverifiable("the server counts a provider failure as an effective success");
        const settled = settledOf(event);
        if (outcome !== "failed_charged_review" && settled.present) expect(settled).toBeCredits(0);
      });
      if (outcome !== "failed_charged_review") expect(fall, "credits consumed").toBeCredits(0);
    },
  ),

  check(
    "CALL-14",
    "a charged Call carries billing",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      expect((await account.succeed(tool("charged"))).at("billing")).toBePresent();
    },
  ),

  check(
    "CALL-15",
    "tool_id only in the body is enough",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const { id, parameters } = tool("charged");
      expect(await account.ask("call", { body: { tool_id: id, parameters } })).toHaveSucceeded();
    },
  ),

  check(
    "CALL-16",
    "tool_id only in the query is enough",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const { id, parameters } = tool("charged");
      expect(await account.ask("call", { query: { tool_id: id }, body: { parameters } })).toHaveSucceeded();
    },
  ),

  check(
    "CALL-17",
    "a Call without tool_id fails with a message and costs nothing",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const { parameters } = tool("charged");
      await account.succeed(tool("charged"));
      const fall = await fallOf(account, async () => {
        expect(await account.ask("call", { body: { parameters } })).toHaveFailed();
      });
      expect(fall, "credits consumed").toBeCredits(0);
    },
  ),

  check(
    "CALL-18",
    "a Call is accepted without its optional fields, and with each of its correlation ids",
    { needs: ["tool.charged"], ...calls(3) },
    async ({ account, tool, expect, unique }) => {
      const use = tool("charged");
      const searchId = (await account.discover(use.id)).at("search_id").string;
      expect(await account.call(use, { search_id: undefined, session_id: undefined })).toHaveSucceeded();
      expect(await account.call(use, { search_id: searchId, session_id: undefined })).toHaveSucceeded();
      const everything = { search_id: searchId, session_id: unique("session"), model: "model-1" };
      const usual = {
        max_response_size: operations.call.body.max_response_size.default,
        respond_with: "full",
      };
      const named = { query: { tool_id: use.id } };
      expect(await account.call(use, { ...everything, ...usual }, named)).toHaveSucceeded();
    },
  ),

  check(
    "CALL-19",
    "a Call without session_id is recorded with a session of its own, or with none",
    { needs: ["tool.charged"], ...calls(2) },
    async ({ account, tool, expect }) => {
      const without = { session_id: undefined };
      const answer = await account.succeed(tool("charged"), without);
      const event = await account.usageOf(answer);
      expect(event).toBePresent();
      const session = event.at("session_id");
      if ([answer.at("execution_id").value, null, undefined, ""].includes(session.value)) return;
      const next = await account.usageOf(await account.succeed(tool("charged"), without));
      expect(next.at("session_id"), "the session_id of another Call without one").not(session.value);
    },
  ),

  check(
    "CALL-20",
    "a model of 128 characters is accepted",
    { needs: ["tool.charged"], ...calls(3) },
    async ({ account, tool, expect }) => {
      for (const model of ["m".repeat(128), "é".repeat(128), "模".repeat(60)]) {
        expect(await account.call(tool("charged"), { model })).toHaveSucceeded();
      }
    },
  ),

  ...(
    [
      ["CALL-21", "of 129 characters", ["m".repeat(129)]],
      ["CALL-22", "that is empty or blank", ["", "   "]],
      ["CALL-23", "with white space inside", ["model 1", "model\t1", " model", "model\n"]],
      ["CALL-24", "with a control character", ["model\u0007", "model\u007f1", "model\u00851", "model\u009f"]],
    ] as const
  ).map(([clause, what, models]) =>
    check(
      clause,
      `a model ${what} is refused with 422`,
      { needs: ["tool.charged"] },
      async ({ account, tool, expect }) => {
        await account.succeed(tool("charged"), { model: "model-1" });
        for (const model of models) {
          expect(await account.call(tool("charged"), { model })).toHaveStatus(422);
        }
      },
    ),
  ),

  check(
    "CALL-25",
    "parameters that are missing or not an object are refused with 422",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const use = tool("charged");
      await account.succeed(use);
      for (const parameters of [undefined, "none", 42, ["city"]]) {
        expect(await account.call(use, { parameters })).toHaveStatus(422);
      }
    },
  ),

  check(
    "CALL-25",
    "even a tool that takes no parameters is not called without a parameters object",
    { needs: ["tool.zero_parameter"] },
    async ({ account, tool, expect }) => {
      const use = tool("zero_parameter");
      await account.succeed(use, { parameters: {} });
      for (const parameters of [undefined, null, [], "{}"]) {
        expect(await account.call(use, { parameters })).toHaveStatus(422);
      }
    },
  ),

  check(
    "CALL-26",
    "a tool without parameters is called with empty parameters",
    { needs: ["tool.zero_parameter"] },
    async ({ account, tool, expect }) => {
      expect(await account.call(tool("zero_parameter"), { parameters: {} })).toHaveSucceeded();
    },
  ),

  check(
    "CALL-27",
    "a max_response_size that is not an integer is refused with 422",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      await account.succeed(tool("charged"), { max_response_size: 4096 });
      for (const size of ["much", 1024.5]) {
        expect(await account.call(tool("charged"), { max_response_size: size })).toHaveStatus(422);
      }
    },
  ),

  check(
    "CALL-36",
    "a Call with an invalid key is answered with 401 and the error object",
    { needs: ["tool.charged"] },
    async ({ account, stranger, tool, expect }) => {
      await account.succeed(tool("charged"));
      const refused = await stranger.withKey("not-a-key-of-this-server").call(tool("charged"));
      expect(refused).toHaveStatus(401);
      expect(refused).toBeAnErrorObject();
    },
  ),

  check(
    ["CALL-37", "CALL-38"],
    "a Call that the balance does not cover is answered with 402 and a Call response",
    { needs: ["tool.charged", "exhausted"] },
    async (stage) => {
      const answer = await callBeyondMeans(stage);
      stage.expect(answer).toHaveStatus(402);
      stage.expect(answer).toHaveFailed();
    },
  ),

  check(
    "CALL-39",
    "remaining_credits of a 402 is 0",
    { needs: ["tool.charged", "exhausted"] },
    async (stage) => {
      const answer = await callBeyondMeans(stage);
      stage.expect(answer).toHaveStatus(402);
      stage.expect(answer.at("remaining_credits")).toBe(0);
    },
  ),

  check(
    "CALL-40",
    "a Call that is refused with 402 moves no credits",
    { needs: ["tool.charged", "exhausted"] },
    async (stage) => {
      const fall = await fallOf(exhausted(stage), async () => {
        stage.expect(await callBeyondMeans(stage)).toHaveStatus(402);
      });
      stage.expect(fall, "credits consumed").toBeCredits(0);
    },
  ),

  check(
    ["CALL-37", "CALL-38", "CALL-39", "CALL-40"],
    "a Call that costs more than a trial owns is answered with 402, and moves no credits",
    { needs: ["tool.expensive"], feature: "trial" },
    async ({ stranger, tool, unique, expect }) => {
      const use = tool("expensive");
      const { account: trial } = await registerTrial(stranger, unique("poor"));
      const price = usable(await trial.inspect([use.id])).at("results.0.billing_rule.amount_credits");
      const owned = await trial.credits();
      if (typeof price.value !== "number" || price.value <= owned) {
        throw new Unverifiable(`${use.id} is not shown to cost more than the ${owned} credits of a trial`);
      }
      let answer: Answer | undefined;
      const fall = await fallOf(trial, async () => void (answer = await trial.call(use)));
      await balanceDecided(trial, answer!);
      expect(answer).toHaveStatus(402);
      expect(answer).toHaveFailed();
      expect(answer!.at("remaining_credits")).toBe(0);
      expect(fall, "credits consumed").toBeCredits(0);
    },
  ),

  check(
    "CALL-41",
    "a Call without a usable result fails with a message",
    { needs: ["tool.empty_result"] },
    async ({ account, tool, expect }) => {
      expect(await account.attempt(tool("empty_result"))).toHaveFailed();
    },
  ),

  check(
    "CALL-42",
    "the billing of a Call without a usable result shows zero",
    { needs: ["tool.empty_result"] },
    async ({ account, tool, expect }) => {
      const answer = await account.attempt(tool("empty_result"));
      expect(answer).toHaveFailed();
      expectBillOfNothing(expect, answer);
    },
  ),

  check(
    "CALL-43",
    "a Call without a usable result is classified failed_not_charged",
    { needs: ["tool.empty_result"] },
    async ({ account, tool, expect }) => {
      const event = await account.usageOf(await account.attempt(tool("empty_result")));
      expect(event.at("charge_outcome")).toBe("failed_not_charged");
    },
  ),
];

/** The profile's account without credits. */
const exhausted = ({ stranger, profile }: Stage): Account => stranger.withKey(profile.credentials.exhausted!);

/** A Call that exceeds the balance; the same Call from another account shows that the balance is the cause. */
async function callBeyondMeans(stage: Stage): Promise<Answer> {
  await stage.account.succeed(stage.tool("charged"));
  return exhausted(stage).call(stage.tool("charged"));
}

/** Words that blame the balance. */
const aboutCredits = /credit|balance|fund|afford|payment|余额|积分/i;

/**
 * @throws Unverifiable when something other than the balance may decide about a Call: parameters, a sign-in, the
 *   provider, a discount
 */
async function balanceDecided(account: Account, answer: Answer): Promise<void> {
  const { status } = answer;
  const [success, message] = [answer.at("success").value, answer.at("error_message").value];
  const hasReason = async (): Promise<boolean> =>
    answer.at("execution_id").present &&
    (reasonCodes as readonly string[]).includes(
      String((await account.usageOf(answer)).at("reason_code").value),
    );
  const saysOtherwise =
    status !== 200 && typeof message === "string" && /\S/.test(message) && !aboutCredits.test(message);
  const affordable = success === true && (await account.credits()) >= 0;
  const failedOtherwise = success === false && status !== 402 && (saysOtherwise || (await hasReason()));
  if (status === 422 || affordable || failedOtherwise) {
    throw new Unverifiable("the Call was not decided by the balance");
  }
}

/** The roles whose tools may accept free text. */
const textRoles = ["enum", "required_parameter", "charged"] as const;

/** A Call with a unique text in its parameters, so no earlier execution can be replayed. */
async function unheardCall({ account, profile, unique }: Stage): Promise<Answer> {
  for (const role of textRoles) {
    const use = profile.tools[role];
    if (use === undefined) continue;
    const definitions = await definitionsOf(account, use.id);
    const text = definitions
      .filter((param) => param.at("type").value === "string" && !param.at("enum").present)
      .map((param) => param.at("name").string)
      .find((name) => typeof use.parameters?.[name] === "string");
    if (text === undefined) continue;
    const call = await account.call({
      id: use.id,
      parameters: { ...use.parameters, [text]: unique("Vienna") },
    });
    if (call.status === 200 && call.at("execution_time").present) return call;
  }
  throw new Unverifiable("no tool of the run takes a text of the caller's own");
}

/** Every number in a value, at any depth. */
function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

/** The bill of a Call without a usable result, if there is one, shows an amount of zero under some name. */
export function expectBillOfNothing(expect: Stage["expect"], answer: Answer): void {
  const listed = answer.at("billing.list_amount_credits");
  const amounts = numbersIn(answer.at("billing").value);
  if (amounts.length === 0) return;
  if (listed.present && amounts.length === 1) expect(listed).toBeCredits(0);
  else expect(amounts.includes(0), "whether an amount of the billing is zero").toBe(true);
}
