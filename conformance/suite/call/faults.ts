import type { Account } from "../../server/account.ts";
import type { Located } from "../../judge/answer.ts";
import type { Role, Use } from "../../server/profile.ts";
import type { Stage } from "../../run/check.ts";
import { Unverifiable } from "../../judge/verdict.ts";

export type Parameters = Record<string, unknown>;

/** Ways in which parameters violate a contract: Probe reports them invalid, and Call refuses them. */
export type FaultKind = "missing" | "mistyped" | "outside";

/** One violation: what is wrong, in which parameter, and the parameters to send. */
export interface Fault {
  kind: FaultKind;
  name: string;
  what: string;
  parameters: Parameters;
}

/** Types with known invalid values: the contract does not list types, and some may accept any value. */
const plainType = /^(str(ing)?|text|int(eger)?|number|float|double|decimal|bool(ean)?|array|list|object)$/i;

/** Values that even a lenient server does not convert to the expected type. */
function wrongFor(type: unknown): unknown {
  if (/^(array|list|object)$/i.test(String(type))) return "neither a list nor an object";
  return { neither: "a text, a number nor a truth value" };
}

/** A value outside an enum, of the type of its members. */
function outside(values: unknown[]): unknown {
  if (values.every((value) => typeof value === "number")) return Math.max(...values) + 1000;
  return "no-such-choice";
}

/** A member of an enum in different case, unless the enum contains that too. */
function inOtherCase(values: unknown[]): string | undefined {
  const texts = values.filter((value) => typeof value === "string");
  const other = (text: string): string =>
    text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
  return texts.map(other).find((text) => !values.includes(text));
}

export const without = (parameters: Parameters, ...names: string[]): Parameters =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => !names.includes(name)));

/** Every violation that a tool's parameter definitions allow, in their order. */
function faultsOf(definitions: readonly Located[], right: Parameters): Fault[] {
  return definitions.flatMap((definition): Fault[] => {
    const name = definition.at("name").value;
    if (typeof name !== "string") return [];
    const type = definition.at("type").value;
    const values = definition.at("enum").value;
    const required = definition.at("required").value === true && Object.hasOwn(right, name);
    const isPlain = plainType.test(String(type));
    const fault = (kind: FaultKind, what: string, value: unknown): Fault => ({
      kind,
      name,
      what: `${name} ${what}`,
      parameters: { ...right, [name]: value },
    });
    const faults: Fault[] = [];
    if (required) faults.push({ ...fault("missing", "left out", null), parameters: without(right, name) });
    if (isPlain) faults.push(fault("mistyped", "of another type", wrongFor(type)));
    if (isPlain && required && definition.at("nullable").value !== true)
      faults.push(fault("mistyped", "null", null));
    for (const [bound, step] of [
      ["minimum", -1],
      ["maximum", 1],
    ] as const) {
      const end = definition.at(bound).value;
      if (isPlain && typeof end === "number")
        faults.push(fault("outside", `beyond its ${bound}`, end + step));
    }
    if (Array.isArray(values) && values.length > 0) {
      faults.push(fault("outside", "outside its enum", outside(values)));
      const text = inOtherCase(values);
      if (text !== undefined) faults.push(fault("outside", "in the other case", text));
    }
    return faults;
  });
}

/** A tool as Inspect shows it. */
export async function shownBy(account: Account, id: string): Promise<Located | undefined> {
  const results = await account.contracts([id]);
  return results.find((result) => result.at("tool_id").value === id) ?? results[0];
}

/** The parameter definitions of a tool, as Inspect shows them. @throws Unverifiable when it shows none */
export async function definitionsOf(account: Account, id: string): Promise<Located[]> {
  const params = (await shownBy(account, id))?.at("params");
  if (params === undefined || !Array.isArray(params.value)) {
    throw new Unverifiable(`Inspect shows no contract of ${id}`);
  }
  return params.items;
}

/** The roles whose contracts offer useful violations; the third role's often has ranges. */
const spoiledRoles = ["required_parameter", "enum", "included"] as const satisfies Role[];

/** The tools whose contracts can be violated, with the violations. @throws Unverifiable when there are none */
export async function spoiled(
  { account, profile: { tools } }: Stage,
  kind: FaultKind,
  roles: readonly Role[] = kind === "outside" ? spoiledRoles : spoiledRoles.slice(0, 2),
): Promise<{ use: Required<Use>; faults: Fault[] }[]> {
  const uses = roles.map((role) => tools[role]).filter((use) => use !== undefined);
  const ids = [...new Set(uses.map(({ id }) => id))];
  const results = await account.contracts(ids);
  const found = ids.flatMap((id) => {
    const use = { parameters: {}, ...uses.find((use) => use.id === id)! };
    const params = results.find((result) => result.at("tool_id").value === id)?.at("params");
    if (!Array.isArray(params?.value)) return [];
    const faults = faultsOf(params.items, use.parameters).filter((fault) => fault.kind === kind);
    return faults.length === 0 ? [] : [{ use, faults }];
  });
  if (found.length > 0) return found;
  throw new Unverifiable(`no tool of the run has a parameter that can be ${kind}`);
}
