import { expect, test } from "vitest";
import { policiesOf } from "./draft.ts";
import { lawful } from "./limiters.fixture.ts";
import { judgedRun, type Reply } from "./simulated.fixture.ts";

test.each([
  ["draft 7", { ratelimit: "limit=120, remaining=3, reset=20", "ratelimit-policy": "120;w=60" }],
  ["draft 8", { ratelimit: '"default";r=3;t=20', "ratelimit-policy": '"default";q=120;w=60' }],
])("the headers of %s are read", (_, headers) => {
  expect(policiesOf(headers)).toEqual([{ limit: 120, remaining: 3, resetSeconds: 20, windowSeconds: 60 }]);
});

test("an answer without them says nothing", () => {
  expect(policiesOf({})).toEqual([]);
});

const [quota, windowSeconds] = [30, 20];
const judgedWith = async (draft: (reply: Reply, at: number) => Record<string, string>): Promise<string[]> => {
  const serve = lawful["first-request"]!({ quota, windowSeconds });
  const { findings } = await judgedRun({
    quota,
    windowSeconds,
    serve: (incoming) => {
      const reply = serve(incoming);
      return { ...reply, headers: { ...reply.headers, ...draft(reply, incoming.at) } };
    },
  });
  return findings.map(({ name }) => name);
};
const secondsTo = ({ headers }: Reply, at: number): number =>
  Math.max(0, Math.ceil(Number(headers["x-ratelimit-reset"]) - at / 1000));

test("both forms with the same numbers are not a finding, and different ones are a warning", async () => {
  const agreeing = (reply: Reply, at: number, by = 0) => ({
    ratelimit: `"day";r=99, "minute";r=${Number(reply.headers["x-ratelimit-remaining"]) + by};t=${secondsTo(reply, at)}`,
    "ratelimit-policy": `"day";q=100;w=86400, "minute";q=${quota};w=${windowSeconds}`,
  });
  expect(await judgedWith(agreeing)).toEqual([]);
  expect(await judgedWith((reply, at) => agreeing(reply, at, 5))).toEqual(["ratelimit-headers-disagree"]);
});
