import {
  answers,
  operations,
  type AnswerField,
  type Condition,
  type Expected,
  type OperationId,
  type Parameter,
} from "../../generated/contract.ts";
import { isA } from "./expect.ts";
import { namesIn, wantedWords } from "./fact.ts";
import { momentOf } from "./instant.ts";
import { rule, type Rule } from "./rule.ts";
import { isFields, memberOf, stepsOf, valueAt, valuesAt, type Seen } from "./seen.ts";

/** A field that the contract promises in an operation's answers of one status. */
export interface PromisedField extends AnswerField {
  operation: OperationId;
  status: number;
}

/** The fields whose rules are derived. Promises that differ only in their conditions count as one field. */
export const promisedFields: readonly PromisedField[] = Object.entries(answers).flatMap(
  ([operation, byStatus]) =>
    Object.entries(byStatus).flatMap(([status, fields]) =>
      merged(fields.filter(({ written }) => !written)).map((field) => ({
        ...field,
        operation: operation as OperationId,
        status: Number(status),
      })),
    ),
);

/** Merges fields that differ only in their conditions. */
function merged(fields: readonly AnswerField[]): AnswerField[] {
  const found = new Map<string, AnswerField>();
  for (const field of fields) {
    const { when, ...promise } = field;
    const key = JSON.stringify(promise);
    const other = found.get(key);
    const conditions = other && (!other.when || !when ? undefined : [...other.when, ...when]);
    found.set(key, other ? { ...promise, ...(conditions && { when: conditions }) } : field);
  }
  return [...found.values()];
}

/** A field's path as an id has it; with its types or `optional` where fields of one path and clause differ in them. */
function pathNameOf(field: PromisedField): string {
  const { operation, status, path, types, clauses } = field;
  const others = answers[operation][status]!.filter(
    (field) => field.path === path && field.clauses[0] === clauses[0],
  );
  const differ = others.some((other) => other.types.join() !== types.join());
  const mayBeRequired = ({ required, requiredWhen }: AnswerField): boolean =>
    required || requiredWhen !== undefined;
  const optional = !mayBeRequired(field) && others.some(mayBeRequired) ? ["optional"] : [];
  return [path.replaceAll("*", "each"), ...(differ ? types : []), ...optional].join("-");
}

/** A test of an exchange. Conditions are read once, since under load each is tested with every answer. */
type Test = (seen: Seen) => boolean;

const always: Test = () => true;

/** Whether one of the conditions holds; always when there are none. */
function testOf(conditions: readonly Condition[] | undefined): Test {
  if (conditions === undefined) return always;
  const tests = conditions.map(testOfOne);
  return (seen) => tests.some((test) => test(seen));
}

function testOfOne({ request = {}, answer = {} }: Condition): Test {
  const sent = Object.entries(request).map(
    ([name, expected]): Test =>
      (seen) =>
        isAsExpected(sentUnder(name, seen), expected),
  );
  const answered = Object.entries(answer).map(
    ([path, expected]): Test =>
      ({ body }) =>
        isAsExpected(valueAt(body, path), expected),
  );
  const tests = [...sent, ...answered];
  return (seen) => tests.every((test) => test(seen));
}

/** A parameter of a request, from its body or query; its default when the request omits it. */
function sentUnder(name: string, { operation, sent, query }: Seen): unknown {
  const { body, query: parameters } = operations[operation!];
  const declared =
    (body as Record<string, Parameter>)[name] ?? (parameters as Record<string, Parameter>)[name];
  const text = query.get(name);
  const value = sent[name] ?? (declared?.types.includes("boolean") && text !== null ? text === "true" : text);
  return value ?? declared?.default;
}

function isAsExpected(value: unknown, expected: Expected): boolean {
  if (!isFields(expected)) return Array.isArray(value) ? value.includes(expected) : value === expected;
  if ("not" in expected) return !isAsExpected(value, expected.not);
  if ("present" in expected) return expected.present === (value !== undefined && value !== null);
  return typeof value === "string" && value.startsWith(expected.startsWith);
}

/** Whether a value is as promised; `required` is whether it may be absent. */
type Keeps = (value: unknown, required: boolean) => boolean;

export const isOfType = (value: unknown, { types }: Pick<AnswerField, "types">): boolean =>
  types.some((type) => isA(value, type));

/** The test of a field's values: their types, and the bounds on them. */
function keeping(field: AnswerField, bounds: readonly Bound[]): Keeps {
  const mayBeNull = field.types.includes("null");
  return (value, required) => {
    if (value === undefined || (value === null && !mayBeNull)) return !required;
    return value === null || (isOfType(value, field) && bounds.every((bound) => bound.keeps(value)));
  };
}

/** A UUID, which is the same in either case. */
export const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The bounds on values of a type: their meaning in words, and the test. */
interface Bound {
  meaning: string;
  keeps: (value: unknown) => boolean;
}

const lengthOf = (value: unknown): number =>
  typeof value === "string" || Array.isArray(value)
    ? value.length
    : isFields(value)
      ? Object.keys(value).length
      : NaN;

/** Skips values of another type: a number has no length, and an id may be a number. */
const isAtLeast = (length: number, least: number): boolean => !(length < least);
const isAtMost = (length: number, most: number): boolean => !(length > most);

/** A timestamp may be written in more ways than a pattern can describe. */
const moment: Bound = { meaning: "a timestamp", keeps: (value) => momentOf(value) !== undefined };

function boundsIn(field: AnswerField): Bound[] {
  const {
    const: only,
    enum: values,
    minimum,
    maximum,
    minLength,
    maxLength,
    maxItems,
    minProperties,
  } = field;
  const isMoment = field.schema === "Timestamp" || field.schema === "BucketStart";
  const pattern = field.pattern === undefined || isMoment ? undefined : new RegExp(field.pattern);
  const bounds: (Bound | undefined | false)[] = [
    only !== undefined && { meaning: JSON.stringify(only), keeps: (value) => value === only },
    values && { meaning: `one of ${values.join(", ")}`, keeps: (value) => values.includes(value as string) },
    minimum !== undefined && { meaning: `at least ${minimum}`, keeps: (value) => Number(value) >= minimum },
    maximum !== undefined && { meaning: `at most ${maximum}`, keeps: (value) => Number(value) <= maximum },
    minLength !== undefined && {
      meaning: minLength === 1 ? "not empty" : `at least ${minLength} characters`,
      keeps: (value) => isAtLeast(lengthOf(value), minLength),
    },
    maxLength !== undefined && {
      meaning: `at most ${maxLength} characters`,
      keeps: (value) => isAtMost(lengthOf(value), maxLength),
    },
    maxItems !== undefined && {
      meaning: `at most ${maxItems} members`,
      keeps: (value) => isAtMost(lengthOf(value), maxItems),
    },
    minProperties !== undefined && {
      meaning: `with at least ${minProperties} field`,
      keeps: (value) => isAtLeast(lengthOf(value), minProperties),
    },
    field.format === "uuid" && { meaning: "a UUID", keeps: (value) => uuid.test(String(value)) },
    isMoment && moment,
    pattern && { meaning: `matching ${pattern.source}`, keeps: (value) => pattern.test(String(value)) },
  ];
  return bounds.filter((bound) => bound !== undefined && bound !== false);
}

const wantedOf = (field: AnswerField, bounds: readonly Bound[]): Promised["wanted"] => ({
  types: field.types.length > 5 ? ["any value"] : field.types,
  bounds: bounds.map(({ meaning }) => meaning),
});

/** What a field promises, read once, since under load it is checked against every answer. */
interface Promised {
  field: PromisedField;
  steps: readonly string[];
  wanted: { types: readonly string[]; bounds: readonly string[] };
  keeps: Keeps;
}

const promises = promisedFields.map((field): Promised => {
  const bounds = boundsIn(field);
  return {
    field,
    steps: stepsOf(field.path),
    wanted: wantedOf(field, bounds),
    keeps: keeping(field, bounds),
  };
});

const requirementOf = ({ required, requiredWhen }: AnswerField): Test =>
  required ? always : requiredWhen ? testOf(requiredWhen) : () => false;

/** The rules that hold every answer to its promised fields. */
export const fieldRules: readonly Rule[] = promises.map((promised) => {
  const { field, wanted, keeps } = promised;
  const { operation, status, path, clauses } = field;
  const applies = testOf(field.when);
  const mustBe = requirementOf(field);
  const root = branchOf([promised]);
  const named = pathNameOf(field);
  const names = namesIn(path);
  return {
    operations: [operation],
    statuses: [status],
    ...rule(
      clauses,
      `${path} of ${operation} ${status}: ${wantedWords(wanted)}`,
      (seen) => {
        if (seen.status !== status || seen.operation !== operation || !applies(seen)) return null;
        const required = mustBe(seen);
        let kept = null as boolean | null;
        walk(
          seen.body,
          root,
          (_, value) => (value === undefined && !required) || (kept = keeps(value, required)),
        );
        if (kept !== false) return kept;
        const { path: at, value } = valuesAt(seen.body, path).find((place) => !keeps(place.value, required))!;
        return {
          kind: "member",
          place: at,
          subject: null,
          names,
          expected: wanted,
          received: { value },
        };
      },
      `${operation}-${status}-${named}`,
    ),
    field: named,
  };
});

const keyOf = (operation: OperationId | null, status: number): string => `${operation} ${status}`;

/** The promises on an answer; those under the same conditions are checked in one walk. */
const walks = new Map(
  [...Map.groupBy(promises, ({ field }) => keyOf(field.operation, field.status))].map(([key, some]) => {
    const alike = Map.groupBy(some, ({ field: { required, when, requiredWhen } }) =>
      JSON.stringify([required, when, requiredWhen]),
    );
    return [key, [...alike.values()].map(walkOf)];
  }),
);

function walkOf(some: readonly Promised[]): Test {
  const applies = testOf(some[0]!.field.when);
  const mustBe = requirementOf(some[0]!.field);
  const root = branchOf(some);
  return (seen) => {
    if (!applies(seen)) return true;
    const required = mustBe(seen);
    return walk(seen.body, root, ({ keeps }, value) => keeps(value, required));
  };
}

/** Whether an answer breaks none of `fieldRules`; cheaper than asking each of them. */
export const keepsFields: Test = (seen) =>
  walks.get(keyOf(seen.operation, seen.status))?.every((test) => test(seen)) ?? true;

/** Promises by the way to their values. */
interface Branch {
  here: readonly Promised[];
  members: readonly (readonly [step: string, branch: Branch])[];
}

function branchOf(some: readonly Promised[], depth = 0): Branch {
  const further = some.filter(({ steps }) => steps.length > depth);
  const members = [...Map.groupBy(further, ({ steps }) => steps[depth]!)];
  return {
    here: some.filter(({ steps }) => steps.length === depth),
    members: members.map(([step, those]) => [step, branchOf(those, depth + 1)]),
  };
}

type Look = (promised: Promised, value: unknown) => boolean;

/** Looks at each promised value until `look` says that one breaks a promise. Loops, since this is hot. */
function walk(value: unknown, { members }: Branch, look: Look): boolean {
  for (const [step, branch] of members) {
    if (step !== "*") {
      if (!walkFrom(memberOf(value, step), branch, look)) return false;
    } else if (Array.isArray(value)) {
      for (const member of value) if (!walkFrom(member ?? {}, branch, look)) return false;
    }
  }
  return true;
}

function walkFrom(value: unknown, branch: Branch, look: Look): boolean {
  for (const promised of branch.here) if (!look(promised, value)) return false;
  // An absent object promises no fields.
  return value === undefined || value === null || walk(value, branch, look);
}
