import { isObject, type JsonObject } from "../../base/data.ts";
import type { OpenApiDocument } from "../bundle.ts";
import { objectOf, strings } from "./schema.ts";

/** A list of words in the contract, such as the charge outcomes. */
export interface Vocabulary {
  /** The type of a word, such as `ChargeOutcome`. */
  name: string;
  values: string[];
  description: string;
  /** The words of another vocabulary that each word stands for. */
  members?: { of: string; lists: JsonObject };
  meaning?: JsonObject;
}

/**
 * The vocabularies of a bundle: each component schema with an `enum`, and each parameter with an `x-vocabulary` in its
 * schema.
 * @throws Error if two places give one vocabulary different words, or a member is not in its vocabulary
 */
export function vocabulariesOf(spec: OpenApiDocument): Vocabulary[] {
  const vocabularies = new Map<string, Vocabulary>();
  for (const [name, schema] of Object.entries(objectOf(spec.components["schemas"])))
    if (isObject(schema) && schema["enum"] !== undefined) vocabularies.set(name, vocabularyOf(name, schema));
  for (const parameter of Object.values(objectOf(spec.components["parameters"]))) {
    const schema = objectOf(objectOf(parameter)["schema"]);
    const name = schema["x-vocabulary"];
    if (typeof name !== "string") continue;
    const values = strings(schema["x-values"]);
    const known = vocabularies.get(name);
    if (known === undefined)
      vocabularies.set(name, { name, values, description: String(objectOf(parameter)["description"]) });
    else if (known.values.join() !== values.join())
      throw new Error(
        `${name} has the words ${known.values.join(", ")} in schemas/${name}.yaml and ${values.join(", ")} in parameters.yaml; make them equal`,
      );
  }
  for (const { name, members } of vocabularies.values()) {
    const words = members && vocabularies.get(members.of)?.values;
    for (const word of Object.values(members?.lists ?? {}).flatMap((list) => strings(list)))
      if (!words?.includes(word))
        throw new Error(
          `schemas/${name}.yaml: ${word} is not a word of ${members!.of}; known: ${words?.join(", ")}`,
        );
  }
  return [...vocabularies.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function vocabularyOf(name: string, schema: JsonObject): Vocabulary {
  const of = schema["x-members-of"];
  return {
    name,
    values: strings(schema["enum"]),
    description: typeof schema["description"] === "string" ? schema["description"] : "",
    ...(typeof of === "string" && { members: { of, lists: objectOf(schema["x-members"]) } }),
    ...(isObject(schema["x-meaning"]) && { meaning: schema["x-meaning"] }),
  };
}

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

const plural = (name: string): string =>
  name.endsWith("y") ? `${name.slice(0, -1)}ies` : name.endsWith("s") ? `${name}es` : `${name}s`;

/** The name of a vocabulary's list of words: `chargeOutcomes` for `ChargeOutcome`. */
export const listName = (name: string): string => plural(lowerFirst(name));

/** The name of the table of what a vocabulary's words stand for: `usageKindEventTypes`. */
export const membersName = (name: string, of: string): string => `${lowerFirst(name)}${plural(of)}`;

/** A vocabulary as TypeScript: its list, its type, and what its words stand for. */
export function vocabularyText({ name, values, description, members, meaning }: Vocabulary): string {
  const parts = [
    `/** ${description.replace(/\s+/g, " ").trim()} */
export const ${listName(name)} = ${JSON.stringify(values)} as const;
export type ${name} = (typeof ${listName(name)})[number];`,
  ];
  if (members)
    parts.push(`/** What each of the words of ${name} stands for, in words of ${members.of}. */
export const ${membersName(name, members.of)} = ${JSON.stringify(members.lists)} as const satisfies Record<${name}, readonly ${members.of}[]>;`);
  if (meaning)
    parts.push(`/** What each of the words of ${name} means. */
export const ${lowerFirst(name)}Meanings = ${JSON.stringify(meaning)} as const satisfies Record<${name}, object>;`);
  return parts.join("\n\n");
}
