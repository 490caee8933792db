import { isOfType, promisedFields, type PromisedField } from "../judge/fields.ts";
import { mutant, onPath, type Mutant } from "./mutant.ts";

/** Values of every kind; the first that a field may not be is what its mutant answers. */
const wrong: readonly unknown[] = [{ unexpected: true }, "unexpected", [{ unexpected: true }], 0.5, true];

/**
 * The mutants that follow from the fields that the spec promises: each field with a value of a wrong type, and left out
 * where it may not be. What else a field is bound to has mutants of its own in its area.
 */
export const fieldMutants: readonly Mutant[] = once(promisedFields.flatMap(mutantsOf));

/** A field with several promises has some mutants in common. */
function once(mutants: readonly Mutant[]): Mutant[] {
  return [...new Map(mutants.map((one) => [`${one.clause} ${one.name}`, one])).values()];
}

function mutantsOf(field: PromisedField): Mutant[] {
  const { operation, status, path, clauses, required, requiredWhen } = field;
  const change = (name: string, value: unknown): Mutant =>
    mutant(
      clauses[0]!,
      name,
      onPath(operation, path, () => value, status),
    );
  const value = wrong.find((one) => !isOfType(one, field));
  const where = `${path} of ${operation} ${status}`;
  return [
    ...(value === undefined ? [] : [change(`answers ${where} as ${JSON.stringify(value)}`, value)]),
    ...(required || requiredWhen ? [change(`leaves out ${where}`, undefined)] : []),
  ];
}
