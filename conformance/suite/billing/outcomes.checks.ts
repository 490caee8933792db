import { chargeOutcomes } from "../../../generated/contract.ts";
import { check, type Stage } from "../../run/check.ts";
import type { Answer } from "../../judge/answer.ts";
import { reasonOf } from "../../server/endings.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import { expectAgreement, linkOf, settledOf, tracesOf } from "./traces.ts";

/** Outcomes of a Call that reaches its provider: clause, role of the tool, event. */
const failures = [
  ["BILL-27", "empty_result", "returns nothing usable"],
  ["BILL-28", "provider_error", "fails at the provider"],
  ["BILL-29", "provider_http_error", "is answered with an HTTP error"],
  ["BILL-30", "provider_rate_limited", "is rate-limited by the provider"],
  ["BILL-31", "provider_auth", "is refused by the provider for lack of permission"],
  ["BILL-32", "timeout", "waits too long for the provider"],
  ["BILL-33", "no_response", "gets no answer from the provider"],
  ["BILL-34", "execution_failed", "cannot be executed"],
] as const;

/** Refusals before the provider is contacted; such a Call need not leave an event. */
const refusals = [
  ["BILL-36", "unavailable", "of an unavailable tool"],
  ["BILL-37", "region_restricted", "that is refused for its region"],
  ["BILL-38", "oauth_required", "that lacks the OAuth sign-in"],
] as const;

export const checks = [
  ...(["charged", "provider_error"] as const).map((role) =>
    check(
      "BILL-03",
      `success of a Call is the recorded success of its event: ${role}`,
      { needs: [`tool.${role}`] },
      async ({ account, tool, expect }) => {
        const call = await account.call(tool(role));
        const event = await account.usageOf(call);
        expect(event.at("success")).toBe(call.at("success").value);
      },
    ),
  ),

  check(
    ["BILL-03", "USAG-11"],
    "success of a Call of an unknown tool is the recorded success of its event, where it leaves one",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect, unique }) => {
      const unknown = unique("no.such.tool");
      const call = await account.call(tool("charged"), { tool_id: unknown });
      if (call.at("success").value !== false)
        throw new Blocked("a Call of an unknown tool succeeds", call.exchange);
      const { value: executionId } = call.at("execution_id");
      const [event] = typeof executionId === "string" ? await account.usageEventsOf(executionId) : [];
      if (event === undefined) throw new Unverifiable("the Call leaves no event");
      expect(event.at("success")).toBe(false);
      // A tool that does not exist has no users.
      if (event.at("tool_id").present) expect(event.at("tool_id")).toBe(unknown);
    },
  ),

  check(
    "BILL-14",
    "the event of a Call that has settled has a charge outcome",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const event = await account.usageOf(await account.succeed(tool("charged")));
      expect(event.at("charge_outcome")).toBeOneOf(chargeOutcomes);
    },
  ),

  check(
    "BILL-25",
    "a Call that succeeds with a whole result has reason_code result.valid",
    { needs: ["tool.charged"], credits: 6 },
    async (stage) => {
      const { account, tool, expect } = stage;
      const event = await account.usageOf(await account.succeed(tool("charged")));
      const reason = event.at("reason_code");
      if (reason.value === "result.partial_success" && (await mayBePartial(stage))) {
        throw new Unverifiable(`the result of ${tool("charged").id} is only a part`);
      }
      expect(reason).toBe("result.valid");
    },
  ),

  ...(
    [
      ["BILL-16", "charged", "that costs something is charged", "charged"],
      ["BILL-18", "included", "of an included tool is included", "included"],
    ] as const
  ).map(([clause, role, what, outcome]) =>
    check(clause, `a successful Call ${what}`, { needs: [`tool.${role}`] }, async (stage) => {
      const { account, tool, expect } = stage;
      const event = await account.usageOf(await account.succeed(tool(role)));
      const isCharged = Number(settledOf(event).value ?? 0) > 0;
      if (isCharged !== (outcome === "charged")) throw new Unverifiable("the Call settled to another amount");
      expect(event.at("charge_outcome")).toBe(outcome);
    }),
  ),

  // The contract does not say which result is partial: of a list with one bad element only a profile can.
  check(
    "BILL-26",
    "a Call with a partial result has reason_code result.partial_success",
    { needs: ["tool.partial_success"] },
    async ({ account, tool, expect }) => {
      const event = await account.usageOf(await account.call(tool("partial_success")));
      expect(event.at("reason_code")).toBe("result.partial_success");
    },
  ),

  check(
    ["BILL-20", "BILL-22"],
    "a failed Call is failed_not_charged, or up for review",
    { needs: ["tool.provider_error"] },
    async ({ account, tool, expect }) => {
      const event = await account.usageOf(await account.call(tool("provider_error")));
      const settled = Number(settledOf(event).value ?? 0);
      const outcome = settled > 0 ? "failed_charged_review" : "failed_not_charged";
      expect(event.at("charge_outcome")).toBe(outcome);
    },
  ),

  check(
    ["BILL-21", "USAG-23", "LEDG-10"],
    "a failed Call that is up for review has the amount that it was charged, and links to its entry",
    { needs: ["tool.failed_charged"] },
    async ({ account, tool, expect }) => {
      const { events, entries, fall } = await tracesOf(account, async () => {
        await account.call(tool("failed_charged"));
      });
      const [event] = events;
      if (event?.at("charge_outcome").value !== "failed_charged_review") {
        throw new Unverifiable("the Call was not put up for review");
      }
      expect(settledOf(event)).toSatisfy("to be more than 0", (amount) => Number(amount) > 0);
      expect(settledOf(event)).toBeCredits(fall);
      expect(entries, "new consuming ledger entries").toHaveLength(1);
      expectAgreement(event, entries);
    },
  ),

  ...failures.map(([clause, role, what]) =>
    check(
      [clause, "BILL-23", "BILL-03", "USAG-22"],
      `a Call that ${what} has reason_code ${reasonOf[role]} and moves no credits`,
      { needs: [`tool.${role}`] },
      async ({ account, tool, expect }) => {
        let calls: Answer[] = [];
        const { events, entries, fall } = await tracesOf(account, async () => {
          calls = await Promise.all(Array.from({ length: concurrency }, () => account.call(tool(role))));
        });
        expect(events, "the usage events").toHoldSomething();
        for (const event of events) {
          expect(event.at("reason_code")).toBe(reasonOf[role]);
          const call = calls.find(
            (answer) => answer.at("execution_id").value === event.at("execution_id").value,
          );
          const success = call?.at("success").value;
          if (typeof success === "boolean") expect(event.at("success")).toBe(success);
        }
        if (events.some((event) => event.at("charge_outcome").value !== "failed_not_charged")) return;
        expect(fall, "credits consumed").toBeCredits(0);
        expect(entries, "new consuming ledger entries").toBeEmpty();
        for (const event of events) expect(linkOf(event)).toBe(null);
      },
    ),
  ),

  check(
    "BILL-35",
    "a Call with bad parameters has reason_code validation_error where it leaves an event",
    { needs: ["tool.required_parameter"] },
    async ({ account, tool, expect }) => {
      const use = tool("required_parameter");
      await account.succeed(use);
      const spoiled = Object.keys(use.parameters).map(
        (name) => [name, { neither: "text nor number" }] as const,
      );
      if (spoiled.length === 0) throw new Unverifiable(`${use.id} has no parameters to break`);
      const { events } = await tracesOf(account, async () => {
        await account.call(use, { parameters: Object.fromEntries(spoiled) });
      });
      if (events.length === 0) throw new Unverifiable("the Call leaves no event");
      for (const event of events) expect(event.at("reason_code")).toBe("validation_error");
    },
  ),

  ...refusals.map(([clause, role, what]) =>
    check(
      [clause, "BILL-23", "BILL-03", "USAG-22"],
      `a Call ${what} has reason_code ${reasonOf[role]} where it leaves an event, and moves no credits`,
      { needs: [`tool.${role}`] },
      async ({ account, tool, expect }) => {
        let success: unknown;
        const { events, entries, fall } = await tracesOf(account, async () => {
          success = (await account.call(tool(role))).at("success").value;
        });
        expect(fall, "credits consumed").toBeCredits(0);
        expect(entries, "new consuming ledger entries").toBeEmpty();
        if (events.length === 0) throw new Unverifiable("the Call leaves no event");
        for (const event of events) {
          expect(event.at("reason_code")).toBe(reasonOf[role]);
          expect(linkOf(event)).toBe(null);
          if (typeof success === "boolean") expect(event.at("success")).toBe(success);
        }
      },
    ),
  ),
];

/** Calls of a failing tool at the same time: a hold must not survive its Call even among others. */
const concurrency = 2;

/** Tools whose results may be whole where that of the charged one is not. */
const others = ["included", "charged_decimal", "zero_parameter"] as const;

/** Whether the charged tool's result may really be only a part: that of another tool is whole, or no other succeeds. */
async function mayBePartial({ account, profile, tool }: Stage): Promise<boolean> {
  const reasons: unknown[] = [];
  for (const role of others.filter((name) => profile.tools[name] !== undefined)) {
    const call = await account.call(tool(role));
    if (call.at("success").value === true)
      reasons.push((await account.usageOf(call)).at("reason_code").value);
  }
  return reasons.length === 0 || reasons.includes("result.valid");
}
