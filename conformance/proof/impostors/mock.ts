import { documentFile } from "../../../base/pinned.ts";
import { readFileSync } from "node:fs";
import { operations, type OperationId } from "../../../generated/contract.ts";
import type { Schema } from "../spec/document.ts";
import type { Impostor } from "./impostor.ts";
import { serving } from "./serving.ts";

interface Content {
  content?: Record<string, { schema?: Schema }>;
  headers?: Record<string, { $ref?: string }>;
}

const document = JSON.parse(readFileSync(documentFile(), "utf8")) as {
  info: { version: string };
  paths: Record<string, Record<string, { responses: Record<string, Content> }>>;
};

/** Answers any request with a success whose body is generated at random from the operation's answer schema. */
export const mockOf = (seed: number): Impostor => ({
  name: `a mock that draws valid answers from the schemas (seed ${seed})`,
  cannot: ["remember", "refuse"],
  perform: (_stage, profile, use) => {
    const dice = diceOf(seed);
    const answer = (operation: OperationId | null) => {
      const { method, path } = operations[operation ?? "getCredits"];
      const success = document.paths[path]![method.toLowerCase()]!.responses["200"]!;
      const [[type, { schema = {} }]] = Object.entries(success.content!) as [[string, { schema?: Schema }]];
      const body = type === "application/json" ? JSON.stringify(drawn(schema, dice)) : "id,created_at\r\n";
      const headers = {
        "content-type": type,
        "x-service-api-version": document.info.version,
        "x-ratelimit-limit": "120",
        "x-ratelimit-remaining": "60",
        "x-ratelimit-reset": String(Math.ceil(Date.now() / 1000) + 30),
      };
      return { status: 200, headers, body };
    };
    return serving(
      ({ operation }) => answer(operation),
      (baseUrl) => use({ ...profile, base_url: baseUrl }),
    );
  },
});

/** A random number generator for 0 to below 1 (mulberry32). */
function diceOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A random value of the schema. */
function drawn(written: Schema, dice: () => number, depth = 0): unknown {
  const schema = plain(written);
  const pick = <T>(all: readonly T[]): T => all[Math.floor(dice() * all.length)]!;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return pick(schema.enum);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices)
    return drawn({ ...schema, oneOf: undefined, anyOf: undefined, ...plain(pick(choices)) }, dice, depth);
  const type = Array.isArray(schema.type)
    ? pick(schema.type)
    : (schema.type ?? (schema.properties && "object"));
  switch (type) {
    case "object": {
      const wanted = Object.entries(schema.properties ?? {}).filter(
        ([name]) => (schema.required?.includes(name) ?? false) || (depth < 6 && dice() < 0.8),
      );
      return Object.fromEntries(wanted.map(([name, member]) => [name, drawn(member, dice, depth + 1)]));
    }
    case "array": {
      const length = Math.max(schema.minItems ?? 0, depth < 6 ? Math.floor(dice() * 4) : 0);
      return Array.from({ length }, () => drawn(schema.items ?? {}, dice, depth + 1));
    }
    case "integer":
    case "number": {
      const [least, most] = [schema.minimum ?? 0, schema.maximum ?? 100];
      const number = least + dice() * (most - least);
      return type === "integer" ? Math.round(number) : Math.round(number * 100) / 100;
    }
    case "boolean":
      return dice() < 0.5;
    case "string":
      return textOf(schema, dice);
    case "null":
      return null;
    default:
      return {};
  }
}

function textOf({ format, pattern, minLength = 0 }: Schema, dice: () => number): string {
  const hex = (length: number): string =>
    Array.from({ length }, () => Math.floor(dice() * 16).toString(16)).join("");
  if (format === "date-time") return new Date(Date.now() - dice() * 86_400_000).toISOString();
  if (format === "uuid") return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
  if (format === "uri") return `https://storage.example/${hex(8)}`;
  if (format === "email") return `${hex(6)}@example.com`;
  if (pattern?.includes("64")) return hex(64);
  return hex(Math.max(8, minLength));
}

/** The schema with references followed and `allOf` merged. */
function plain(written: Schema): Schema {
  const schema = written.$ref === undefined ? written : { ...at(written.$ref), ...written, $ref: undefined };
  return (schema.allOf ?? []).map(plain).reduce<Schema>(
    (whole, part) => ({
      ...whole,
      ...part,
      properties: { ...whole.properties, ...part.properties },
      required: [...(whole.required ?? []), ...(part.required ?? [])],
    }),
    { ...schema, allOf: undefined },
  );
}

const at = (reference: string): Schema =>
  plain(
    reference
      .slice(2)
      .split("/")
      .reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], document) as Schema,
  );
