import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { parseRespondWith, splitExpressions, summarize, type RespondWith } from "./projection.ts";
import { project } from "./project.ts";

const fields = (text: string) => {
  const parsed = parseRespondWith(text);
  if ("refused" in parsed || parsed.mode !== "fields")
    throw new Error(`not fields: ${JSON.stringify(parsed)}`);
  return parsed.expressions;
};
const refusal = (text: string) => {
  const parsed: RespondWith | { refused: { msg: string }[] } = parseRespondWith(text);
  return "refused" in parsed ? parsed.refused.map(({ msg }) => msg).join("\n") : "accepted";
};

const content = {
  city: "Zürich",
  "a,b": 7,
  days: [
    { date: "2026-09-12", high: 24, tags: ["sun"] },
    { date: "2026-09-13", high: 19, tags: [] },
  ],
  station: { city: "LSZH" },
};

test("commas inside brackets, parentheses and quotes do not separate", () => {
  expect(splitExpressions(`$.city, $['a,b'] ,,$.days[?match(@.date,"2026,[0-9]]")],$['it\\'s,']`)).toEqual([
    "$.city",
    "$['a,b']",
    `$.days[?match(@.date,"2026,[0-9]]")]`,
    "$['it\\'s,']",
  ]);
});

test("each expression has one key with its value, or its list of values", async () => {
  const { data, unfinished } = await project(
    content,
    fields("fields:$.city,$['a,b'],$.days[*].high,$.days[0].date,$.days[?@.high > 20],$.missing,$..none"),
  );
  expect(unfinished).toEqual([]);
  expect(data).toEqual({
    city: "Zürich",
    "a,b": 7,
    high: [24, 19],
    date: "2026-09-12",
    days: [content.days[0]],
    missing: null,
    none: [],
  });
});

test("expressions with the same name use their own text as the key, and a root or a choice has no name", async () => {
  const { data } = await project(content, fields("fields:$.city,$.station.city,$.days['date','high'],$"));
  expect(Object.keys(data)).toEqual(["$.city", "$.station.city", "$.days['date','high']", "$"]);
  expect(data.$).toEqual(content);
  expect(Object.keys((await project({}, fields("fields:$.__proto__,$.a"))).data)).toEqual(["__proto__", "a"]);
});

test("an invalid projection is refused with what would be right", () => {
  expect(refusal("fields:")).toContain("at least one JSONPath expression");
  expect(refusal("fields: , ,")).toContain("at least one JSONPath expression");
  expect(refusal("fields:city")).toContain("an expression begins with $");
  expect(refusal("fields:$.a,$[?@.b ==]")).toContain('"$[?@.b ==]" is not a JSONPath expression');
  expect(refusal("fields:$.a[")).toContain("is not a JSONPath expression");
  expect(refusal("Summary")).toContain("must be full, summary");
  expect(refusal(`fields:${Array.from({ length: 21 }, (_, i) => `$.f${i}`).join()}`)).toContain("at most 20");
  expect(refusal(`fields:$.${"a".repeat(600)}`)).toContain("at most 512");
  expect(parseRespondWith(undefined)).toEqual({ mode: "full" });
});

test("costly paths and costly regular expressions are ended, and cheap ones next to them are answered", async () => {
  const wide = { name: "x", rows: Array.from({ length: 300 }, () => Array(300).fill("a".repeat(40))) };
  for (const bomb of [
    "$.rows[*][?match(@, '(a*)*b')]",
    "$.rows[?search(@[0], '(a|aa)+$b')]",
    "$..*..*..*..*",
  ]) {
    const { data, unfinished } = await project(wide, fields(`fields:$.name,${bomb}`));
    expect(data.name).toBe("x");
    expect(unfinished.length === 0 || unfinished[0] === bomb, bomb).toBe(true);
  }
});

test("a projection selects no more than the content holds, or a megabyte", async () => {
  const stars = Array(40).fill("*").join();
  const wide = { rows: Array.from({ length: 300 }, () => Array(300).fill("a".repeat(40))) };
  const many = await project(wide, fields(`fields:$[${stars}][${stars}][${stars}]`));
  expect(Object.values(many.data)).toEqual([null]);
  expect(many.unfinished).toHaveLength(1);
  const rows = Array.from({ length: 300 }, () => "a".repeat(20_000));
  const whole = await project({ rows }, fields("fields:$.rows"));
  expect(whole).toEqual({ data: { rows }, unfinished: [] });
  const twice = await project({ rows }, fields("fields:$['rows','rows'],$.none"));
  expect(twice).toEqual({ data: { "$['rows','rows']": null, none: null }, unfinished: ["$['rows','rows']"] });
});

test("the thread that evaluates does not keep the process alive", () => {
  const program = `
    import { evaluateApart } from ${JSON.stringify(new URL("projecting.ts", import.meta.url).href)};
    import { parseRespondWith } from ${JSON.stringify(new URL("projection.ts", import.meta.url).href)};
    const { expressions } = parseRespondWith("fields:$.city");
    const outcomes = new Map();
    await evaluateApart('{"city":"Bern"}', expressions, 100, outcomes);
    console.log(JSON.stringify([...outcomes.values()]));`;
  const said = execFileSync(process.execPath, ["--eval", program], { encoding: "utf8", timeout: 60_000 });
  expect(JSON.parse(said)).toEqual([{ value: "Bern" }]);
});

test("no expression runs code", () => {
  for (const text of [
    "$[?(process.exit())]",
    "$[(@.length-1)]",
    "$[?constructor.constructor('return 1')()]",
  ]) {
    expect(refusal(`fields:${text}`)).toContain("is not a JSONPath expression");
  }
});

test("a summary counts rows where the tool says they are, else in the only array", () => {
  expect(summarize(content, 10, undefined)).toEqual({
    size_bytes: 10,
    row_count: 2,
    fields: ["date", "high", "tags"],
  });
  expect(summarize({ a: { rows: [1, 2, 3] }, b: [] }, 5, "a.rows")).toMatchObject({
    row_count: 3,
    fields: [],
  });
  expect(summarize({ a: 1, b: [], c: [] }, 5, undefined)).toEqual({
    size_bytes: 5,
    fields: ["a", "b", "c"],
  });
});
