import { pino } from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openStorage, type Storage } from "./open.ts";
import { readScalar, readScalarTogether } from "./scalars.ts";
import { heldClock, systemRandom, temporaryDatabase } from "./temporary.fixture.ts";

let storage: Storage;
let remove: () => Promise<void>;
/** The statements of each read. */
let statements: string[];

beforeEach(async () => {
  const temporary = await temporaryDatabase();
  remove = temporary.remove;
  const log = pino({ enabled: false });
  storage = await openStorage({ url: temporary.url, clock: heldClock(), random: systemRandom, log });
  statements = [];
  storage.database.on("query", ({ sql }: { sql: string }) => statements.push(sql));
});

afterEach(async () => {
  await storage.close();
  await remove();
});

const doubled = (number: number) => ({ sql: "(SELECT CAST(? AS INTEGER) * 2)", bindings: [number] });
const negative = (number: number) => ({ sql: "(SELECT -CAST(? AS INTEGER))", bindings: [number] });

it("reads a value", async () => {
  expect(await readScalar(storage.database, doubled(4))).toBe(8);
  expect(statements).toHaveLength(1);
});

it("reads values requested together with few statements, and answers each with its own", async () => {
  const numbers = Array.from({ length: 10 }, (_, number) => number);
  const answers = await Promise.all([
    ...numbers.map((number) => readScalarTogether(storage.database, doubled(number))),
    readScalarTogether(storage.database, negative(7)),
  ]);
  expect(answers).toEqual([...numbers.map((number) => 2 * number), -7]);
  // Eight and two of the one text, and one of the other.
  expect(statements).toHaveLength(3);
});
