import { openOperations, type OperationId } from "../../generated/contract.ts";
import { isOfType, promisedFields, type PromisedField } from "../judge/fields.ts";
import { mutant, onPath, type Mutant } from "../changes/mutant.ts";

/** Values of every kind; a field's mutant answers with the first that the field may not have. */
const wrong: readonly unknown[] = [{ unexpected: true }, "unexpected", [{ unexpected: true }], 0.5, true];

/**
 * The mutants derived from the fields that the spec promises: each field with a value of the wrong type, and removed
 * where it is required. Other constraints of a field have their own mutants in its area.
 */
export const fieldMutants: readonly Mutant[] = once(promisedFields.filter(isMet).flatMap(mutantsOf));

/** Whether a run meets such an answer: none sends so many requests without a credential that they are refused. */
function isMet({ operation, status }: PromisedField): boolean {
  const open: readonly OperationId[] = openOperations;
  return status !== 429 || !open.includes(operation);
}

/** A field with several promises yields some mutants more than once. */
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
