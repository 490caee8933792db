import { isA, type Kind } from "../judge/expect.ts";
import { rules } from "../suite/rules.ts";
import { mutant, onPath, type Mutant } from "./mutant.ts";

/** Values of every kind; the first that a field may not be is what its mutant answers. */
const wrong: readonly unknown[] = [{ unexpected: true }, "unexpected", [{ unexpected: true }], 0.5, true];

const wrongFor = (kinds: readonly Kind[]): unknown =>
  wrong.find((value) => !kinds.some((kind) => isA(value, kind)));

/**
 * The mutants that follow from the field tables: each row's field with a value of a wrong kind, and left out where it
 * may not be. What else a row asks for has mutants of its own in its area.
 */
export const fieldMutants: readonly Mutant[] = rules.flatMap(({ field, clauses: [clause] }) => {
  if (field === undefined) return [];
  const { operations, status, path, kinds, optional } = field;
  const where = `${path} of ${operations.join(", ")}`;
  const value = wrongFor(kinds);
  const mistyped =
    value === undefined
      ? []
      : [
          mutant(
            clause!,
            `answers ${where} as ${JSON.stringify(value)}`,
            onPath(operations, path, () => value, status),
          ),
        ];
  const missing = optional
    ? []
    : [
        mutant(
          clause!,
          `leaves out ${where}`,
          onPath(operations, path, () => undefined, status),
        ),
      ];
  return [...mistyped, ...missing];
});
