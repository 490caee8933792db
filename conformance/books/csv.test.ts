import { expect, it } from "vitest";
import { csvRows } from "./csv.ts";

it("reads quoted cells, doubled quotes and both kinds of line ends", () => {
  expect(csvRows('\uFEFFid,text\r\n1,"a ""word"", and\nmore"\n2,\n\n')).toEqual([
    ["id", "text"],
    ["1", 'a "word", and\nmore'],
    ["2", ""],
  ]);
});

it("finds no row in an empty text", () => {
  expect(csvRows("")).toEqual([]);
});
