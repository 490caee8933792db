import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { isObject, type Json, type JsonObject } from "../base/data.ts";
import type { OpenApiDocument } from "./bundle.ts";
import { fieldsWithoutClause } from "./contract/answers.ts";
import type { Generator as Called } from "../conformance/drift/contract/releases.ts";
import * as generator from "./generate.ts";
import { generate, pinRelease, readSpec } from "./generate.ts";

let spec: OpenApiDocument;
let files: Map<string, string>;

beforeAll(async () => {
  // `npm run check` generates the schemas of reports as well, for which the compiler reads the whole program.
  [spec, files] = await Promise.all([readSpec(), generate({ ofReports: false })]);
});

// The committed files were generated in another process: they are the same whenever they are generated.
test("reports to `drift generated`, which loads it by its address, that nothing is stale", async () => {
  expect(await (generator satisfies Called).staleFiles(files)).toEqual([]);
});

/** Resolves local references until the target is not a reference. */
function deref(value: Json | undefined): JsonObject {
  if (!isObject(value)) throw new Error(`expected an object, found ${JSON.stringify(value)}`);
  if (typeof value["$ref"] !== "string") return value;
  const names = value["$ref"].replace("#/", "").split("/");
  return deref(names.reduce<Json | undefined>((at, name) => (isObject(at) ? at[name] : undefined), spec));
}

const operations = () =>
  Object.values(spec.paths).flatMap((item) => Object.values(item).map((op) => deref(op)));

const answers = () =>
  operations().flatMap((operation) =>
    Object.entries(deref(operation["responses"])).map(([status, answer]) => ({
      name: `${String(operation["operationId"])} ${status}`,
      answer: deref(answer),
    })),
  );

function* schemasIn(value: Json): Generator<JsonObject> {
  if (Array.isArray(value)) for (const item of value) yield* schemasIn(item);
  else if (isObject(value)) {
    yield value;
    for (const item of Object.values(value)) yield* schemasIn(item);
  }
}

describe("the spec", () => {
  test("has the operations of the contract", async () => {
    const contract = await readFile("spec/contract.md", "utf8");
    const endpoints = contract.slice(
      contract.indexOf("\n## Endpoints"),
      contract.indexOf("\n## Authentication"),
    );
    const stated = [...endpoints.matchAll(/(?:^### .*: |^\| )(?:(?:GET|POST) )?(\/[^\s?|]+)/gm)].map(
      ([, path]) => path,
    );
    expect(Object.keys(spec.paths).toSorted()).toEqual(stated.toSorted());
  });

  test("carries the version header on every answer", () => {
    const without = answers().filter(({ answer }) => {
      const header = deref(deref(answer["headers"])["X-Service-Api-Version"]);
      return header["required"] !== true || deref(header["schema"])["const"] !== spec.info["version"];
    });
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  test("carries the rate-limit headers on every answer of the four limited operations", () => {
    const limited = answers().filter(({ name }) => /^(discover|inspect|probe|call) /.test(name));
    const headers = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];
    for (const { name, answer } of limited) {
      expect(Object.keys(deref(answer["headers"])), name).toEqual(expect.arrayContaining(headers));
    }
  });

  test("carries Retry-After on every 429", () => {
    const limited = answers().filter(({ name }) => name.endsWith(" 429"));
    expect(limited.length).toBeGreaterThanOrEqual(4);
    for (const { name, answer } of limited) {
      expect(deref(deref(answer["headers"])["Retry-After"])["required"], name).toBe(true);
    }
  });

  test("has an example for every body, and each matches its schema", () => {
    const bodies = [
      ...answers().map(({ name, answer }) => ({ name, holder: answer })),
      ...operations()
        .filter((operation) => operation["requestBody"] !== undefined)
        .map((operation) => ({
          name: `${String(operation["operationId"])} request`,
          holder: deref(operation["requestBody"]),
        })),
    ];
    const without = bodies.filter(({ holder }) =>
      Object.values(isObject(holder["content"]) ? holder["content"] : {}).some((media) => {
        const { example, examples } = deref(media);
        return example === undefined && !isObject(examples);
      }),
    );
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  test("marks open parts with true, uses no discriminator, and leaves answers open to further fields", () => {
    for (const schema of schemasIn(spec)) {
      if ("x-open" in schema) expect(schema["x-open"]).toBe(true);
      expect(schema).not.toHaveProperty("discriminator");
    }
    const closed = Object.entries(spec.components["schemas"] ?? {}).filter(([, schema]) =>
      [...schemasIn(schema)].some((part) => part["additionalProperties"] === false),
    );
    expect(closed.map(([name]) => name)).toEqual(["PublicCapabilityQueryRequest"]);
  });
});

describe("a promised field", () => {
  const without = (name: string): string[] => {
    const text = JSON.stringify(spec, (key, value: unknown) => (key === name ? undefined : value));
    return fieldsWithoutClause(JSON.parse(text) as OpenApiDocument);
  };

  test("names its clause", () => {
    expect(fieldsWithoutClause(spec)).toEqual([]);
  });

  test("is refused without one, with the place and the remedy", () => {
    expect(without("x-clause")).toContain(
      "call 200 execution_id: name the clause that promises it as x-clause; if none does, mark it x-open",
    );
  });
});

describe("the generated files", () => {
  test("import only types", () => {
    for (const [name, text] of files)
      if (name.endsWith(".ts")) expect(text).not.toMatch(/^\s*(import (?!type)|export .* from)\b/m);
  });

  test("have no `never` where a value is expected", () => {
    const values = (files.get("generated/api.ts") ?? "")
      .replace(/\/\*\*[^]*?\*\//g, "")
      .split("\n")
      .filter((line) => /\bnever\b/.test(line));
    const absent =
      /^\s*(parameters|query|header|path|cookie|requestBody|content|get|put|post|delete|options|head|patch|trace|requestBodies|pathItems)\??: never;$/;
    const none = /^export type (webhooks|\$defs) = Record<string, never>;$/;
    expect(values.filter((line) => !absent.test(line) && !none.test(line))).toEqual([]);
  });

  test("give the bundle the same content in both notations", async () => {
    const { parse } = await import("yaml");
    expect(parse(files.get("generated/openapi.yaml") ?? "")).toEqual(
      JSON.parse(files.get("generated/openapi.json") ?? ""),
    );
  });

  test("have a path file named after each operation", async () => {
    for (const id of operations().map((operation) => String(operation["operationId"]))) {
      const name = id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const file = path.resolve(import.meta.dirname, `../spec/openapi/paths/${name}.yaml`);
      expect(await readFile(file!, "utf8")).toContain(`operationId: ${id}\n`);
    }
  });
});

test("a release is pinned once, and not over another document of its version", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "capability-contract-released-"));
  try {
    const clauses = (text: string) => new Map([["clauses.json", text]]);
    const [file] = await pinRelease(folder, "2026-01-01.1", "{}", clauses("[]"));
    await pinRelease(folder, "2026-01-01.1", "{}", clauses("[]"));
    await expect(pinRelease(folder, "2026-01-01.1", "{}", clauses("[1]"))).rejects.toThrow(/clauses\.json/);
    await expect(pinRelease(folder, "2026-01-01.1", "[]")).rejects.toThrow(/raise info.version/);
    await pinRelease(folder, "2026-01-01.2", "[]");
    expect(await readFile(file!, "utf8")).toBe("{}");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
