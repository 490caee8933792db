import { isDeepStrictEqual } from "node:util";
import { check, type Stage } from "../../run/check.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import type { Role, Use } from "../../server/profile.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import { fallOf } from "../balance.ts";
import { settledOf } from "../billing/traces.ts";
import { isSatisfied, valuesShownBy } from "./content-schema.ts";
import { expectBillOfNothing } from "../call/checks.ts";
import { betweenPlainCalls } from "../call/plain-calls.ts";
import { isTelling, leavesOf, namesIn, pathsInto, selectable, tellingValues } from "./payload.ts";

const projected = { needs: ["tool.charged"], feature: "projection", credits: 8 } as const;

export const checks = [
  check(
    "RSLT-19",
    "respond_with full is what an omitted respond_with is",
    { needs: ["tool.charged"] },
    async (stage) => {
      const { account, expect } = stage;
      const use = stage.tool("charged");
      const omitted = await account.succeed(use);
      const full = await account.call(use, { respond_with: "full" });
      expect(full).toHaveSucceeded();
      expect(shapeOf(full), "the fields of respond_with full").toBe(shapeOf(omitted));
      const payload = omitted.at("result.data").value;
      const isSame = (call: Answer): boolean => isDeepStrictEqual(call.at("result.data").value, payload);
      if (payload === undefined || isSame(full)) return;
      const again = await account.succeed(use, { respond_with: "full" });
      await unlessChanged(stage, { use, payload });
      expect(isSame(again), "whether respond_with full answers the payload of an omitted respond_with").toBe(
        true,
      );
    },
  ),

  ...(
    [
      ["RSLT-20", "that is none of the three", ["fields", "summary,full", "select:$"]],
      ["RSLT-21", "without an expression", ["fields:", "fields: , "]],
      ["RSLT-21", "with an expression that is not JSONPath", ["fields:$[", "fields:$.a[?(", "fields:$,$["]],
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
    const chosen = await selection(stage);
    const { use, selected, others, respond_with } = chosen;
    if (others.length === 0)
      throw new Unverifiable(
        `the expressions select every value that can be distinguished; a result with more ${tellingValues} would do`,
        "tools: {charged: A_TOOL_WITH_SUCH_A_RESULT}",
      );
    for (const size of sizes) {
      const answer = await stage.account.call(use, { respond_with, ...size });
      stage.expect(answer).toHaveSucceeded();
      const shown = leavesOf(answer.at("result").value).filter((value) => !selected.includes(value));
      const leaked = others.filter((value) => shown.includes(value));
      if (leaked.length > 0) await unlessChanged(stage, chosen);
      stage.expect(leaked, `values that ${respond_with} does not select`).toBe([]);
    }
  }),

  check(
    "RSLT-22",
    "fields returns what paths into the rows of a payload select",
    { feature: "projection", credits: 12 },
    async (stage) => {
      const { use, payload, single, every } = await rowsOf(stage);
      const asked = [
        [single.map(({ expression }) => expression).join(","), single.map(({ value }) => value)],
        [every.expression, every.values],
      ] as const;
      for (const [expressions, values] of asked) {
        const respond_with = `fields:${expressions}`;
        const answer = await stage.account.call(use, { respond_with, max_response_size: -1 });
        await expectShown(stage, { use, payload, respond_with, values }, answer);
      }
    },
  ),

  ...(
    [
      ["that descend, slice or take every member", "forms"],
      ["that take long to evaluate", "long"],
    ] as const
  ).map(([which, kind]) =>
    check(
      "RSLT-22",
      `fields returns what expressions select ${which}`,
      { feature: "projection", credits: 12 },
      async (stage) => {
        const { use, payload, [kind]: asked } = await rowsOf(stage);
        for (const { expression, values } of asked) {
          const respond_with = `fields:${expression}`;
          const answer = await stage.account.call(use, { respond_with, max_response_size: -1 });
          // Every JSONPath descends, slices and takes all members; how long one may take to evaluate is open.
          if (kind === "long" && answer.status === 422)
            throw new Unverifiable(`a Call does not take ${respond_with}`);
          await expectShown(stage, { use, payload, respond_with, values }, answer);
        }
      },
    ),
  ),

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

  check(
    ["RSLT-26", "RSLT-27"],
    "a Call that succeeds can be answered by a summary",
    projected,
    async (stage) => {
      for (const size of sizes) {
        const summary = await summaryOf(stage, stage.tool("charged"), size);
        stage.expect(summary).toHaveSucceeded();
        stage.expect(summary.at("execution_id")).toBeA("string");
        stage.expect(summary.at("result")).toBeA("object");
        expectNone(stage, summary.at("result.data"));
      }
    },
  ),

  check(
    ["RSLT-26", "RSLT-27"],
    "a large result has a summary too",
    { needs: ["tool.large_result"], feature: "projection" },
    async (stage) => {
      const summary = await summaryOf(stage, stage.tool("large_result"));
      stage.expect(summary).toHaveSucceeded();
      stage.expect(summary.at("execution_id")).toBeA("string");
      expectNone(stage, summary.at("result.data"), summary.at("result.truncated_content"));
    },
  ),

  check(
    "RSLT-29",
    "the statistics of a large result are not all zero",
    { needs: ["tool.large_result"], feature: "projection" },
    async (stage) => {
      const summary = await summaryOf(stage, stage.tool("large_result"));
      stage.expect(summary).toHaveSucceeded();
      const statistics = summary.at("result.summary");
      stage.expect(statistics).toBePresent();
      const numbers = leavesOf(statistics.value).filter((value) => typeof value === "number");
      if (numbers.length === 0) throw new Unverifiable("no statistic is a number");
      stage.expect(Math.max(...numbers), "the greatest of the statistics").toBeAtLeast(1);
    },
  ),

  check("RSLT-31", "a summary does not repeat the parameters", projected, async (stage) => {
    const summary = await summaryOf(stage);
    stage.expect(summary).toHaveSucceeded();
    expectNone(stage, summary.at("parameters"), summary.at("result.parameters"));
    const parameters = leavesOf(stage.tool("charged").parameters).filter(isText);
    const payload = (await stage.account.succeed(stage.tool("charged"))).at("result.data").value;
    const words = [...wordsOf(payload), "summary"];
    const shown = shownBySummary(summary);
    const repeated = parameters.filter((value) => !words.includes(value) && shown.includes(value));
    stage.expect(repeated, "parameters that the summary repeats").toBe([]);
  }),

  check("RSLT-32", "a summary carries no sample rows", projected, async (stage) => {
    const { use, payload } = await selection(stage);
    const summary = await summaryOf(stage, use);
    stage.expect(summary).toHaveSucceeded();
    const shown = shownBySummary(summary);
    const words = wordsOf(payload);
    const leaked = leavesOf(payload).filter(
      (value) => isText(value) && !words.includes(value) && shown.includes(value),
    );
    stage.expect(leaked, "texts of the payload in the summary").toBe([]);
  }),

  check(
    "RSLT-34",
    "the full content satisfies the schema of a summary, which shows none of its values",
    projected,
    async (stage) => {
      const { use, payload } = await selection(stage);
      const summary = await summaryOf(stage, use);
      const schema = summary.at("result.content_schema");
      if (!schema.present) throw new Unverifiable("the summary has no content_schema");
      const satisfied = await isSatisfied(schema.value, payload);
      if (!satisfied) await unlessChanged(stage, { use, payload });
      stage.expect(schema).toSatisfy("to be a JSON schema that the full content satisfies", () => satisfied);
      const values = leavesOf(payload).filter(isTelling);
      const leaked = leavesOf(valuesShownBy(schema.value)).filter((value) => values.includes(value));
      stage.expect(leaked, "values of the payload in the schema of the summary").toBe([]);
    },
  ),

  check(
    "RSLT-34",
    "the full content satisfies the schema of a summary, whatever its form",
    { feature: "projection", credits: 12 },
    async (stage) => {
      const { account, expect, profile, tool } = stage;
      let judged = 0;
      for (const role of contentRoles.filter((name) => profile.tools[name] !== undefined)) {
        const use = tool(role);
        const payload = (await account.succeed(use, { max_response_size: -1 })).at("result.data").value;
        const schema = (await summaryOf(stage, use)).at("result.content_schema");
        if (payload === undefined || !schema.present) continue;
        const satisfied = await isSatisfied(schema.value, payload);
        if (!satisfied) await unlessChanged(stage, { use, payload });
        expect(schema).toSatisfy(
          `to be a JSON schema that the content of ${use.id} satisfies`,
          () => satisfied,
        );
        judged += 1;
      }
      if (judged === 0) throw new Unverifiable("no summary has a content_schema");
    },
  ),

  check("RSLT-33", "a projection does not change the charge", projected, async (stage) => {
    const { account, tool, expect } = stage;
    const use = tool("charged");
    const { usual, compared, plain } = await betweenPlainCalls(account, use, {}, async () => {
      const answers: Answer[] = [];
      for (const respond_with of ["summary", "fields:$"]) {
        const answer = await account.call(use, { respond_with });
        expect(answer).toHaveSucceeded();
        answers.push(answer);
      }
      return answers;
    });
    const cost = Number(plain.at("cost").value);
    for (const { answer, event } of compared) {
      if (cost > 0 && answer.at("cost").present) expect(answer.at("cost")).toBeCredits(cost);
      expect(event.at("charge_outcome")).toBe(usual.at("charge_outcome").value);
      expect(settledOf(event)).toBeCredits(settledOf(usual).number);
    }
  }),

  ...(
    [
      [["ERRO-16", "RSLT-33"], "provider_error", "fails at the provider"],
      [["CALL-41", "CALL-42", "RSLT-33"], "empty_result", "has no usable result"],
    ] as const
  ).map(([clauses, role, what]) =>
    check(
      clauses,
      `a Call that ${what} fails with a projection as it does without one`,
      { needs: [`tool.${role}`], feature: "projection" },
      async ({ account, tool, expect }) => {
        const full = await account.attempt(tool(role));
        if (full.at("success").value !== false)
          throw new Blocked(`the Call of ${tool(role).id} does not fail`, full.exchange);
        for (const respond_with of ["summary", "fields:$"]) {
          const answer = await account.call(tool(role), { respond_with });
          expect(answer).toHaveStatus(full.status);
          expect(answer).toHaveFailed();
          if (role === "empty_result") expectBillOfNothing(expect, answer);
        }
      },
    ),
  ),
];

/** Requests no size, and certainly none that would truncate. */
const sizes = [{}, { max_response_size: -1 }];

/** The fields that the contract names in every Call response; all others may come and go. */
const named = [
  "execution_id",
  "success",
  "result",
  "result.data",
  "execution_time",
  "cost",
  "remaining_credits",
] as const;

const shapeOf = (answer: Answer): string[] => named.filter((path) => answer.at(path).present);

/** Tools examined for a payload with more distinctive values than two expressions select, the charged one first. */
const payloadRoles = ["charged", "charged_decimal", "enum"] as const;

/** A payload, and those of its values that only an expression can reveal. */
async function selection(stage: Stage) {
  const selections: Selection[] = [];
  for (const role of payloadRoles.filter((name) => stage.profile.tools[name] !== undefined)) {
    const chosen = await selectionOf(stage, stage.tool(role));
    if (chosen !== null) selections.push(chosen);
    if (chosen !== null && chosen.others.length > 0) return chosen;
  }
  if (selections[0] !== undefined) return selections[0];
  throw new Unverifiable(
    `the result of ${stage.tool("charged").id} has no two values that can be distinguished; two members, of it or of its first row, that are different ${tellingValues} would do`,
    "tools: {charged: A_TOOL_WITH_SUCH_A_RESULT}",
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

/** A tool with varying answers proves nothing about what is compared with the payload of another Call. */
export async function unlessChanged(
  { account }: Stage,
  { use, payload }: Pick<Selection, "use" | "payload">,
): Promise<void> {
  const again = await account.succeed(use, { max_response_size: -1 });
  if (!isDeepStrictEqual(again.at("result.data").value, payload)) {
    throw new Unverifiable(`${use.id} answers something else each time`);
  }
}

/** Tools whose payload may contain a list, the longest first. */
const listRoles = ["large_result", "included", "enum", "charged"] as const satisfies readonly Role[];

/** Tools whose contents differ in form, as far as a catalogue has such. */
const contentRoles = ["zero_parameter", "included", "enum"] as const satisfies readonly Role[];

/** A payload with rows, and the paths into them. */
async function rowsOf({ account, profile, tool }: Stage) {
  for (const role of listRoles.filter((name) => profile.tools[name] !== undefined)) {
    const use = tool(role);
    const payload = (await account.succeed(use, { max_response_size: -1 })).at("result.data").value;
    const paths = pathsInto(payload);
    if (paths !== null) return { use, payload, ...paths };
  }
  throw new Unverifiable(
    `no payload has two rows that can be distinguished; a list of objects of which one member has different ${tellingValues} would do`,
    "tools: {large_result: A_TOOL_WITH_ROWS}",
  );
}

async function expectShown(
  stage: Stage,
  asked: Pick<Selection, "use" | "payload" | "respond_with"> & { values: readonly unknown[] },
  answer: Answer,
): Promise<void> {
  stage.expect(answer).toHaveSucceeded();
  const shown = new Set(leavesOf(answer.at("result").value));
  const missing = asked.values.filter((value) => !shown.has(value));
  if (missing.length > 0) await unlessChanged(stage, asked);
  stage.expect(missing, `selected values that ${asked.respond_with} does not return`).toBe([]);
}

/** The statistics and messages of a summary: its other fields have words of their own, such as that of a status. */
const shownBySummary = (answer: Answer): unknown[] =>
  ["result.summary", "result.message", "message", "error_message"].flatMap((path) =>
    leavesOf(answer.at(path).value),
  );

/** Expects values to be absent, or null. */
const expectNone = ({ expect }: Stage, ...values: Located[]): void => {
  for (const { value, path } of values) expect(value ?? null, path).toBe(null);
};

/** The vocabulary of statistics: member names and types. */
const wordsOf = (payload: unknown): unknown[] => [
  ...namesIn(payload),
  ...["string", "number", "integer", "boolean", "object", "array", "null"],
];

/** Dates and times may be ends of a range, and numbers may be sums: these are statistics. */
const isText = (value: unknown): boolean =>
  typeof value === "string" && isTelling(value) && Number.isNaN(Date.parse(value)) && !Number(value);

async function summaryOf({ account, tool }: Stage, use = tool("charged"), more = {}): Promise<Answer> {
  const summary = await account.call(use, { respond_with: "summary", ...more });
  if (summary.status !== 200)
    throw new Blocked("respond_with summary is not answered with 200", summary.exchange);
  return summary;
}
