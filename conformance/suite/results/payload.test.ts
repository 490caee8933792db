import { expect, test } from "vitest";
import { isBeginning, pathsInto, selectable } from "./payload.ts";

const payload = { name: '正午 "noon"', numbers: [1, 2.5, -30], open: true, none: null };

test("every cut of every common way to write JSON is a beginning", () => {
  const escaped = JSON.stringify(payload).replaceAll(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
  for (const text of [JSON.stringify(payload), JSON.stringify(payload, null, 2), escaped]) {
    for (let end = 1; end <= text.length; end += 1) {
      expect(isBeginning(text.slice(0, end), payload), text.slice(0, end)).toBe(true);
    }
  }
  expect(isBeginning('{"name": "正\uFFFD', payload)).toBe(true);
  expect(isBeginning("正\uFFFD", payload.name)).toBe(true);
  expect(isBeginning('{"name":"正午 \\"noon\\"","numbers":[1.0,', payload)).toBe(true);
});

test("a character of one byte is not broken by a cut", () => {
  for (const text of ['{"name": "正午\uFFFD', '{"name":"正午 \\"noon\\"\uFFFD', '{"name"\uFFFD', "{\uFFFD"]) {
    expect(isBeginning(text, payload), text).toBe(false);
  }
  expect(isBeginning("正午\uFFFD", payload.name)).toBe(false);
});

test("the order of members is the server's own", () => {
  const text = '{"none":null,"open":true,"numbers":[1,2.5,-30],"name":"正午 \\"noon\\""}';
  for (let end = 1; end <= text.length; end += 1) expect(isBeginning(text.slice(0, end), payload)).toBe(true);
  expect(isBeginning('{"none":null,"none":null', payload)).toBe(false);
  expect(isBeginning('{"none":null,"open":false', payload)).toBe(false);
  expect(isBeginning("Good mor", "Good morning")).toBe(true);
});

test("a text that lacks, adds or changes a character is not a beginning", () => {
  const text = JSON.stringify(payload);
  expect(isBeginning(text.slice(1, 20), payload)).toBe(false);
  expect(isBeginning(`${text.slice(0, 20)}…`, payload)).toBe(false);
  expect(isBeginning(`${text.slice(0, 12)}${text.slice(13, 30)}`, payload)).toBe(false);
  expect(isBeginning(`${text}]`, payload)).toBe(false);
});

test("only distinctive values are selected, each once", () => {
  const row = { city: "Vienna", twin: "Vienna", sky: "fog", wind: 3.5, count: 3, "odd name": "something" };
  const wanted = [
    { expression: "$.city", value: "Vienna" },
    { expression: "$.wind", value: 3.5 },
  ];
  expect(selectable(row)).toEqual(wanted);
  expect(selectable([row]).map(({ expression }) => expression)).toEqual(["$[0].city", "$[0].wind"]);
});

test("paths lead into the first list of rows, by the names that tell them apart", () => {
  const rows = [
    { sky: "clear", day: "Monday", wind: 3.5 },
    { sky: "clear", day: "Tuesday", wind: 4.5 },
    { sky: "clear", day: "Friday", wind: 3.5 },
  ];
  expect(pathsInto({ count: 3, week: { days: rows } })).toEqual({
    single: [
      { expression: "$.week.days[0].day", value: "Monday" },
      { expression: "$.week.days[1].day", value: "Tuesday" },
      { expression: "$.week.days[0]['wind']", value: 3.5 },
    ],
    every: { expression: "$.week.days[*].day", values: ["Monday", "Tuesday", "Friday"] },
    forms: [
      { expression: "$..day", values: ["Monday", "Tuesday", "Friday"] },
      { expression: "$.week.days[0:2].day", values: ["Monday", "Tuesday"] },
      { expression: "$.week.days[0].*", values: ["clear", "Monday", 3.5] },
    ],
    long: [
      {
        expression: [
          "$..sky,$..[*].sky,$..*.sky",
          "$..day,$..[*].day,$..*.day",
          "$..wind,$..[*].wind,$..*.wind",
          "$.week.days[*].sky,$.week.days[*].day,$.week.days[*].wind",
        ].join(","),
        values: ["clear", "Monday", "Tuesday", "Friday", 3.5, 4.5],
      },
    ],
  });
  expect(pathsInto(rows)?.every.expression).toBe("$[*].day");
  expect(pathsInto([{ sky: "clear" }, { sky: "clear" }])).toBe(null);
  expect(pathsInto("clear")).toBe(null);
});
