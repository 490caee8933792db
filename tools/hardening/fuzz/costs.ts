import * as fc from "fast-check";

/** The most bytes of a body that a server reads. */
const maxBytes = 1_000_000;

/** The JSON text of a value that costs more than it looks: by its size, its nesting and its repetition. */
const grown = fc
  .record({
    text: fc.constantFrom("x", "\u0000", "漢", "😀", '"', "$..*,"),
    bytes: powerOfTen(6),
    levels: fc.constantFrom(0, 0, 0, 1, 50, 99, 101, 5_000),
    copies: powerOfTen(5),
    isNamed: fc.boolean(),
    leaf: fc.constantFrom(null, null, "1", "1e308", "null", "{}"),
  })
  .map(({ text, bytes, levels, copies, isNamed, leaf }) => {
    const each = Math.max(1, Math.floor(Math.min(bytes, maxBytes / 2) / copies / Buffer.byteLength(text)));
    const value = "[".repeat(levels) + (leaf ?? JSON.stringify(text.repeat(each))) + "]".repeat(levels);
    const count = Math.max(1, Math.min(copies, Math.floor(maxBytes / (value.length + 10))));
    const values = Array.from({ length: count }, (_, n) => (isNamed ? `"${n}k":${value}` : value)).join();
    return count === 1 ? value : isNamed ? `{${values}}` : `[${values}]`;
  });

/** 1, 10, … up to the power of ten. */
function powerOfTen(most: number): fc.Arbitrary<number> {
  return fc.integer({ min: 0, max: most }).map((power) => 10 ** power);
}

const stars = (count: number): string => `[${Array(count).fill("*").join()}]`;
/** Steps of a JSONPath that select much, or look long. */
const steps = fc.constantFrom(
  stars(40),
  stars(200),
  "..*",
  "[*]",
  "['rows','rows']",
  "[?search(@,'(a|aa)+$b')]",
);

/** A `respond_with` whose evaluation costs more than it looks. */
export const costlyProjection: fc.Arbitrary<string> = fc
  .tuple(fc.array(steps, { minLength: 1, maxLength: 4 }), fc.constantFrom(1, 2, 20))
  .map(
    ([path, count]) => `fields:${Array.from({ length: count }, (_, n) => `$${path.join("")}[${n}]`).join()}`,
  );

/** A body with members that have grown: those of a lawful one, except for the last of the same name. */
export const grownBody = (lawful: fc.Arbitrary<object>, names: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(lawful, fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }), grown)
    .map(([body, chosen, value]) => {
      const kept = Object.entries(body)
        .filter(([name]) => !chosen.includes(name))
        .map(([name, each]) => `${JSON.stringify(name)}:${JSON.stringify(each)}`);
      const fits = value.length * chosen.length < maxBytes ? chosen : chosen.slice(0, 1);
      return `{${[...kept, ...fits.map((name) => `${JSON.stringify(name)}:${value}`)].join()}}`;
    });
