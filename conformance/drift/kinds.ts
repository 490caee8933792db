import table from "./kinds.json" with { type: "json" };

/**
 * The effect of a change on a client written for the old contract.
 * - `breaking`: a client that follows the old contract can be refused, or receive an answer the contract ruled out.
 * - `risky`: it depends on the client, or on a judgement that only a person can make.
 * - `safe`: no client that follows the old contract can be harmed.
 */
export type ChangeClass = "breaking" | "risky" | "safe";

export const changeClasses = ["breaking", "risky", "safe"] as const satisfies ChangeClass[];

type Table = typeof table;

/** A row of kinds.json; one with a request's and an answer's class is two kinds, as `request_type_narrowed`. */
export type Kind = {
  [Name in keyof Table]: Table[Name] extends string ? Name : `${keyof Table[Name] & string}_${Name}`;
}[keyof Table];

/** Every kind of change, with its class and the reason; a policy can give it another class. */
export const kinds = Object.fromEntries(
  Object.entries(table).flatMap(([name, row]) =>
    typeof row === "string"
      ? [[name, classOf(row)]]
      : Object.entries(row).map(([side, said]) => [`${side}_${name}`, classOf(said)]),
  ),
) as unknown as Readonly<Record<Kind, readonly [ChangeClass, string]>>;

function classOf(said: string): [ChangeClass, string] {
  const [first, ...why] = said.split(": ");
  return [first as ChangeClass, why.join(": ")];
}
