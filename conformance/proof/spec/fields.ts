import { onPath, type Change } from "../../changes/mutant.ts";
import { namedAnswers, type Field } from "./document.ts";
import type { SpecMutant } from "./mutant.ts";
import { answers, operations, type OperationId } from "../../../generated/contract.ts";

/** One field of an answer, broken in one way; null when that way would be lawful for the field. */
type Operator = (operation: OperationId, status: number, field: Field) => Change | null;

const ofType: Record<string, unknown> = {
  string: "constant",
  number: 7.5,
  integer: 7,
  boolean: true,
  object: {},
  array: [],
};

/** A value of none of the types; null when the field accepts any. */
const foreignTo = (types: readonly string[]): unknown =>
  [{ unexpected: true }, "unexpected", [1], 0.5, true].find(
    (value) =>
      !types.includes(Array.isArray(value) ? "array" : typeof value) &&
      !(types.includes("integer") && typeof value === "number" && Number.isInteger(value)),
  );

const replacing =
  (value: (field: Field) => unknown): Operator =>
  (operation, status, field) => {
    const wanted = value(field);
    return wanted === undefined ? null : onPath(operation, field.path, () => wanted, status);
  };

/** Fields that differ between accounts: audits, balances and totals. */
const ofAccounts = /^data\.|remaining_credits$|(^|\.)(execution|search)_id$/;

/** The ways to break a field of a success. */
const ofSuccess: Record<string, Operator> = {
  "left out": (operation, status, { path, required }) =>
    required ? onPath(operation, path, () => undefined, status) : null,
  null: (operation, status, { path, types }) =>
    types.includes("null") || types.length === 0 ? null : onPath(operation, path, () => null, status),
  "of another type": replacing(({ types }) => (types.length === 0 ? undefined : foreignTo(types))),
  constant: replacing(({ types, enum: values, const: only }) =>
    only !== undefined ? undefined : (values?.[0] ?? ofType[types.find((type) => type !== "null") ?? ""]),
  ),
  "outside its vocabulary": replacing(({ enum: values, const: only }) =>
    values === undefined && only === undefined ? undefined : "unheard-of",
  ),
  "of another account": (operation, status, { path }) =>
    ofAccounts.test(path) && operations[operation].needsCredential ? foreign(operation, path, status) : null,
};

/** The ways to break a member of an error. */
const ofError: Record<string, Operator> = {
  "left out": ofSuccess["left out"]!,
  "of another type": ofSuccess["of another type"]!,
};

/** Answers with the field's value from another account: visible only where accounts differ. */
function foreign(operation: OperationId, path: string, status: number): Change {
  const seen = new Map<string, unknown>();
  return onPath(
    operation,
    path,
    (value, { headers }) => {
      const whose = headers.authorization ?? "";
      const [, other] = [...seen].findLast(([account]) => account !== whose) ?? [];
      if (value !== null) {
        seen.delete(whose);
        seen.set(whose, value);
      }
      return other ?? value;
    },
    status,
  );
}

/** The clauses that promise a field of an answer. */
const clausesOf = (operation: OperationId, status: number, path: string): readonly string[] =>
  (answers[operation][status] ?? []).filter((field) => field.path === path).flatMap(({ clauses }) => clauses);

/** Each field of each answer that the contract names, broken in each way. */
export const fieldMutants: readonly SpecMutant[] = namedAnswers.flatMap(({ operation, status, fields }) =>
  fields
    .filter(({ open }) => !open)
    .flatMap((field) =>
      Object.entries(status < 300 ? ofSuccess : ofError).flatMap(([way, operator]): SpecMutant[] => {
        const change = operator(operation, status, field);
        const family = status < 300 ? "field" : "error";
        const id = `${family} ${operation} ${status} ${field.path} ${way}`;
        const clauses = clausesOf(operation, status, field.path);
        return change === null ? [] : [{ id, family, operation, way, change, clauses }];
      }),
    ),
);
