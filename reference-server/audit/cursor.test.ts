import fc from "fast-check";
import { expect, test } from "vitest";
import { readCursor, writeCursor } from "./cursor.ts";

test("a cursor reads back as its position, in its own feed only", () => {
  fc.assert(
    fc.property(fc.nat(Number.MAX_SAFE_INTEGER), fc.nat(Number.MAX_SAFE_INTEGER), (createdAt, seq) => {
      const cursor = writeCursor("usage", { createdAt, seq });
      expect(readCursor("usage", cursor)).toEqual({ createdAt, seq });
      expect(readCursor("settlements", cursor)).toBeNull();
    }),
  );
});

test("anything else is not a cursor", () => {
  const cursor = writeCursor("usage", { createdAt: 1_795_168_800_000, seq: 7 });
  const changed = [...cursor].map(
    (letter, at) => cursor.slice(0, at) + (letter === "A" ? "B" : "A") + cursor.slice(at + 1),
  );
  for (const bad of ["", "x", "0", `${cursor}=`, cursor.slice(1), `${cursor}AAAA`, ...changed]) {
    expect([bad, readCursor("usage", bad)]).toEqual([bad, null]);
  }
});
