import { expect, test } from "vitest";
import { csvLine, csvStream } from "./csv.ts";

test("a cell is quoted as RFC 4180 says", () => {
  expect(csvLine(["plain", 'say "a"', "a,b", "a\r\nb", ""])).toBe('plain,"say ""a""","a,b","a\r\nb",\r\n');
});

test("text that would be a formula is prefixed, a number is not", () => {
  expect(csvLine(["=1+1", "+1", "-1", "@a", "\ta", "\ra", "a=b", -1.5])).toBe(
    "'=1+1,'+1,'-1,'@a,\"'\ta\",\"'\ra\",a=b,-1.5\r\n",
  );
});

test("a formula behind blanks, line breaks and unseen marks is prefixed too, and so are its full-width signs", () => {
  const cells = ["\n=1", " =1", "\ufeff=1", "\u200b+1", "＝1", "\n＠a", "＋1", "－1", "a\n=1", " a"];
  const prefixed = cells.map((cell) => csvLine([cell]).replace(/^"/, "").startsWith("'"));
  expect(prefixed).toEqual([true, true, true, true, true, true, true, true, false, false]);
});

test.each([..."\0\u2060\u180e\u00ad\u200e\u061c\u202a\u200d\u034f\u2800\u3164"])(
  "a formula behind %j is prefixed",
  (mark) => {
    expect(csvLine([`${mark}=1`])).toBe(`'${mark}=1\r\n`);
  },
);

test.each([..."﹢﹣﹦﹫−–˗۔᛭⁃➕➖⩵Ⲻ⹀゠꓿꞊﹘𐊛"])(
  "text that begins with %s, which looks like a sign, is prefixed",
  (sign) => {
    expect(csvLine([`${sign}1`])).toBe(`'${sign}1\r\n`);
  },
);

test("a cell with a separator of another locale is quoted", () => {
  expect(csvLine(["a;=1", "a\t=1"])).toBe('"a;=1","a\t=1"\r\n');
});

test("numbers are plain decimals, objects JSON, null empty", () => {
  expect(csvLine([0.000001, 1e-7, 1234567.000001, 0, true, null, undefined, { a: [1] }])).toBe(
    '0.000001,0.0000001,1234567.000001,0,true,,,"{""a"":[1]}"\r\n',
  );
});

test("a stream begins with its header and keeps the order of the columns", async () => {
  async function* pages() {
    yield [{ b: 2, a: 1 }];
    yield [{ a: 3 }];
  }
  let text = "";
  for await (const chunk of csvStream(["a", "b"], pages())) text += chunk;
  expect(text).toBe("a,b\r\n1,2\r\n3,\r\n");
});
