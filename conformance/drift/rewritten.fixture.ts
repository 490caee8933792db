import { expect, test } from "vitest";
import { compareDocuments } from "./compare.ts";
import { Document } from "./document.ts";
import { answering, documentWith, sending } from "./documents.fixture.ts";
import { randomOf, schemaOf } from "./fuzz.fixture.ts";
import { differenceOf, rewritten } from "./laws.fixture.ts";
import type { JsonObject } from "../../base/data.ts";

const seed = Number(process.env["DRIFT_SEED"] ?? 20_261_128);

/** A document in which a schema is sent, and answered with. */
const documentOf = (schema: JsonObject): Document =>
  new Document("laws", documentWith({ "/a": { post: { ...sending(schema), ...answering(schema) } } }));

/** Compares documents with what they are by the laws of sets. @param rounds how many are rewritten */
export const proveLaws = (rounds: number): void =>
  test(`a document that is rewritten by laws of sets does not differ from itself (${rounds} rewrites)`, () => {
    const random = randomOf(seed);
    const faults: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const old = schemaOf(random);
      const { schema: now, used } = rewritten(random, old);
      const difference = differenceOf(random, old, now);
      const { list } = compareDocuments(documentOf(old), documentOf(now), { today: "2026-11-28" });
      const kinds = list.map(({ kind }) => kind).join();
      if (difference !== undefined)
        faults.push(`round ${round}: no law: ${used.join()} ${JSON.stringify([old, now])}`);
      else if (kinds !== "")
        faults.push(`round ${round}: ${kinds} by ${used.join()}: ${JSON.stringify([old, now])}`);
    }
    expect(faults.slice(0, 25), `seed ${seed}`).toEqual([]);
  }, 600_000);
