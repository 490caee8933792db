import { isDeepStrictEqual } from "node:util";
import { check, type Stage } from "../check.ts";
import { isFields } from "../rules/seen.ts";
import type { Answer } from "../target/answer.ts";
import type { Use } from "../target/profile.ts";
import { Blocked, Unverifiable } from "../verdict.ts";
import { fallOf } from "./balance.ts";
import { settledOf } from "./billing-traces.ts";
import { betweenPlainCalls } from "./plain-calls.ts";
import { isTelling, leavesOf, selectable } from "./payload.ts";

const projected = { needs: ["tool.charged"], feature: "projection", credits: 8 } as const;

/** Fields that an answer may leave out for itself, whatever the projection. */
const whenAvailable = ["elapsed_time_ms", "billing", "error_message"];

/** The names at the top level and in the result, but for those that come and go. */
const shapeOf = (answer: Answer): string[][] =>
  [answer.body, answer.at("result").value].map((object) =>
    isFields(object)
      ? Object.keys(object)
          .filter((name) => !whenAvailable.includes(name))
          .sort()
      : [],
  );

/** Payloads that are looked at for one that tells more than two expressions select, the charged tool's first. */
const payloadRoles = ["charged", "charged_decimal", "enum"] as const;

/** A payload, and those of its values that an expression selects and nothing else shows. */
async function selection(stage: Stage) {
  const found: Selection[] = [];
  for (const role of payloadRoles.filter((one) => stage.profile.tools[one] !== undefined)) {
    const chosen = await selectionOf(stage, stage.tool(role));
    if (chosen !== null) found.push(chosen);
    if (chosen !== null && chosen.others.length > 0) return chosen;
  }
  if (found[0] !== undefined) return found[0];
  throw new Unverifiable(
    `the result of ${stage.tool("charged").id} has no two values that can be told apart`,
  );
}

type Selection = NonNullable<Awaited<ReturnType<typeof selectionOf>>>;

async function selectionOf({ account }: Stage, use: Required<Use>) {
  const whole = await account.succeed(use, { max_response_size: -1 });
  const payload = whole.at("result.data").value;
  const parameters = leavesOf(use.parameters);
  const choices = selectable(payload);
  const [first, second] = choices;
  if (first === undefined || second === undefined) return null;
  const selected = [first.value, second.value];
  const others = leavesOf(payload).filter(
    (value) => isTelling(value) && !selected.includes(value) && !parameters.includes(value),
  );
  return {
    use,
    payload,
    parameters,
    selected,
    others,
    respond_with: `fields:${first.expression},${second.expression}`,
  };
}

/** A tool that answers something else a second time says nothing about a projection. */
async function unlessChanged({ account }: Stage, { use, payload }: Selection): Promise<void> {
  const again = await account.succeed(use, { max_response_size: -1 });
  if (!isDeepStrictEqual(again.at("result.data").value, payload)) {
    throw new Unverifiable(`${use.id} answers something else each time`);
  }
}

/** What a summary shows beside its schema, in which a payload's names, and no values, stand. */
function shownBySummary(answer: Answer): unknown[] {
  const body = isFields(answer.body) ? answer.body : {};
  const { content_schema: _schema, ...result } = isFields(body["result"]) ? body["result"] : {};
  return leavesOf({ ...body, result });
}

async function summaryOf({ account, tool }: Stage, use = tool("charged")): Promise<Answer> {
  const summary = await account.call(use, { respond_with: "summary" });
  if (summary.status !== 200)
    throw new Blocked("respond_with summary is not answered with 200", summary.exchange);
  return summary;
}

export const projections = [
  check(
    "RSLT-19",
    "respond_with full is what an omitted respond_with is",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const omitted = await account.succeed(tool("charged"));
      const full = await account.call(tool("charged"), { respond_with: "full" });
      expect(full).toHaveSucceeded();
      expect(shapeOf(full), "the fields of respond_with full").toBe(shapeOf(omitted));
    },
  ),

  ...(
    [
      ["RSLT-20", "that is none of the three", ["everything", "summary,full"]],
      ["RSLT-21", "without an expression", ["fields:", "fields: , "]],
      ["RSLT-21", "with an expression that is no JSONPath", ["fields:$[", "fields:$.a[?("]],
    ] as const
  ).map(([clause, what, values]) =>
    check(
      clause,
      `a respond_with ${what} is refused with 422`,
      projected,
      async ({ account, tool, expect }) => {
        await account.succeed(tool("charged"), { respond_with: "full" });
        const control = await account.call(tool("charged"), { respond_with: "fields:$" });
        if (control.status !== 200)
          throw new Blocked("respond_with fields:$ is not answered", control.exchange);
        for (const respond_with of values) {
          expect(await account.call(tool("charged"), { respond_with })).toHaveStatus(422);
        }
      },
    ),
  ),

  check("RSLT-22", "fields returns what its expressions select", projected, async (stage) => {
    const chosen = await selection(stage);
    const { use, selected, respond_with } = chosen;
    const answer = await stage.account.call(use, { respond_with });
    stage.expect(answer).toHaveSucceeded();
    const shown = leavesOf(answer.at("result").value);
    const missing = selected.filter((value) => !shown.includes(value));
    if (missing.length > 0) await unlessChanged(stage, chosen);
    stage.expect(missing, `selected values that ${respond_with} does not return`).toBe([]);
  }),

  check("RSLT-23", "fields returns nothing that no expression selects", projected, async (stage) => {
    const { use, selected, others, respond_with } = await selection(stage);
    if (others.length === 0)
      throw new Unverifiable("the expressions select everything that can be told apart");
    const answer = await stage.account.call(use, { respond_with });
    stage.expect(answer).toHaveSucceeded();
    const shown = leavesOf(answer.at("result").value).filter((value) => !selected.includes(value));
    const leaked = others.filter((value) => shown.includes(value));
    stage.expect(leaked, `values that ${respond_with} does not select`).toBe([]);
  }),

  check("RSLT-24", "a fields answer carries execution_id and success", projected, async (stage) => {
    const { use, respond_with } = await selection(stage);
    const answer = await stage.account.call(use, { respond_with });
    stage.expect(answer).toHaveSucceeded();
    stage.expect(answer.at("execution_id")).toBeA("string");
  }),

  check("RSLT-25", "a Call that is refused for its projection costs nothing", projected, async (stage) => {
    const { account, tool, expect } = stage;
    await account.succeed(tool("charged"));
    const fall = await fallOf(account, async () => {
      for (const respond_with of ["fields:", "fields:$["]) {
        expect(await account.call(tool("charged"), { respond_with })).toHaveStatus(422);
      }
    });
    expect(fall, "credits consumed").toBeCredits(0);
  }),

  check(["RSLT-26", "RSLT-27"], "a summary answers a Call that succeeds", projected, async (stage) => {
    const summary = await summaryOf(stage);
    stage.expect(summary).toHaveSucceeded();
    stage.expect(summary.at("execution_id")).toBeA("string");
    stage.expect(summary.at("result")).toBeA("object");
    stage.expect(summary.at("result.data")).toBeAbsent();
  }),

  check("RSLT-31", "a summary does not repeat the parameters", projected, async (stage) => {
    const summary = await summaryOf(stage);
    stage.expect(summary).toHaveSucceeded();
    stage.expect(summary.at("parameters")).toBeAbsent();
    stage.expect(summary.at("result.parameters")).toBeAbsent();
    const parameters = leavesOf(stage.tool("charged").parameters).filter(isTelling);
    const shown = shownBySummary(summary);
    const repeated = parameters.filter((value) => value !== "summary" && shown.includes(value));
    stage.expect(repeated, "parameters that the summary repeats").toBe([]);
  }),

  check(
    "RSLT-32",
    "a summary carries no sample rows and no value of the payload",
    projected,
    async (stage) => {
      const { use, payload } = await selection(stage);
      const summary = await summaryOf(stage, use);
      stage.expect(summary).toHaveSucceeded();
      const shown = shownBySummary(summary);
      const names = isFields(payload) ? Object.keys(payload) : [];
      const leaked = leavesOf(payload).filter(
        (value) => isTelling(value) && !names.includes(String(value)) && shown.includes(value),
      );
      stage.expect(leaked, "values of the payload in the summary").toBe([]);
    },
  ),

  check("RSLT-33", "a projection changes neither success nor charge", projected, async (stage) => {
    const { account, tool, expect } = stage;
    const use = tool("charged");
    const { usual, compared } = await betweenPlainCalls(account, use, {}, async () => {
      const answers: Answer[] = [];
      for (const respond_with of ["summary", "fields:$"]) {
        const answer = await account.call(use, { respond_with });
        expect(answer).toHaveSucceeded();
        answers.push(answer);
      }
      return answers;
    });
    for (const event of compared) {
      expect(event.at("charge_outcome")).toBe(usual.at("charge_outcome").value);
      expect(settledOf(event)).toBeCredits(settledOf(usual).number);
    }
  }),
];
