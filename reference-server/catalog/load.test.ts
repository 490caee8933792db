import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { CatalogError, loadCatalog, sampleFolder, usesSampleProvider } from "./load.ts";
import { violations } from "./parameters.ts";
import { sampleCapabilities, sampleTools } from "./sample-roles.ts";
import { paramsIn } from "./tool.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folderOf(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "catalog-"));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const load = (files: Record<string, string>, env: Record<string, string> = {}) =>
  loadCatalog(folderOf(files), { providerBaseUrl: "http://127.0.0.1:9", env });

function problems(files: Record<string, string>): readonly string[] {
  try {
    load(files);
  } catch (error) {
    if (error instanceof CatalogError) return error.problems;
    throw error;
  }
  return [];
}

const sound = `provider: Open Skies (weather)
tools:
  - tool_id: weather.v1
    name: Weather
    description: The weather.
    params:
      - { name: city, type: string, required: true, description: City }
      - { name: days, type: integer, minimum: 1, description: Days }
    billing_rule:
      amount_credits: 1
    upstream: { url: "https://example.com/{city}" }
`;
/** The valid file with one part changed. */
const changed = (from: string, to: string) => ({ "a.yaml": sound.replace(from, to) });

describe("the sample catalogue", () => {
  const catalog = loadCatalog(sampleFolder, { providerBaseUrl: "http://127.0.0.1:9" });

  test.each(Object.entries(sampleTools))(
    "has a tool for the role %s, whose parameters keep its contract",
    (_, role) => {
      const tool = catalog.find(role.id);
      expect(tool?.tool_id).toBe(role.id);
      expect(tool === undefined ? [] : violations(tool, role.parameters)).toEqual([]);
    },
  );

  test("has current versions of capabilities with their hash, and a legacy record with neither", () => {
    const query = catalog.capability(sampleCapabilities.query.id);
    expect(query?.contract_version).toBe(2);
    expect(query?.schema_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(query?.candidates).toHaveLength(2);
    const legacy = catalog.capability(sampleCapabilities.legacy.id);
    expect(legacy).toMatchObject({ capability_id: "weather.current" });
    expect(legacy).not.toHaveProperty("contract_version");
    expect(legacy).not.toHaveProperty("schema_hash");
  });

  test("holds at least 26 tools, in both languages, frozen", () => {
    expect(catalog.tools.length).toBeGreaterThanOrEqual(26);
    expect(catalog.tools.every((tool) => /\p{Script=Han}/u.test(tool.name.zh + tool.description.zh))).toBe(
      true,
    );
    expect(catalog.tools.every((tool) => Object.isFrozen(tool.params))).toBe(true);
    const [city] = paramsIn(catalog.find("weather.current.v1")!, "zh");
    expect(city).toMatchObject({ name: "city", description: "城市名称" });
  });
});

describe("a custom catalogue", () => {
  test("needs little; the rest has defaults", () => {
    expect(load({ "a.yaml": sound }).find("weather.v1")).toMatchObject({
      name: { en: "Weather", zh: "Weather" },
      provider_name: "Open Skies (weather)",
      billing_rule: { unit: "request", amount_credits: 1 },
      output_summary: "Not available",
      availability: "available",
      routing: { capability: "weather", reliability: "C", as_of_support: false },
      upstream: { method: "GET", timeout_ms: 10_000 },
    });
  });

  test("takes credentials from the environment", () => {
    const file = sound.replace('{city}" }', '{city}", headers: { authorization: "Bearer ${WEATHER_KEY}" } }');
    const tool = load({ "a.yaml": file }, { WEATHER_KEY: "s3cret" }).find("weather.v1");
    expect(tool?.upstream.headers).toEqual({ authorization: "Bearer s3cret" });
    expect(problems({ "a.yaml": file })).toEqual([
      'a.yaml:11: header "authorization" needs the environment variable WEATHER_KEY, which is not set',
    ]);
  });

  test.each([
    [
      "an unknown field",
      "    name:",
      "    naem:",
      [
        /^a.yaml:3: tools.0: name is missing/,
        /^a.yaml:4: tools.0.naem: not known here; known are tool_id, name/,
      ],
    ],
    ["a wrong type", "minimum: 1", "minimum: x", [/^a.yaml:8: tools.0.params.1.minimum: must be a number/]],
    ["a bad id", "weather.v1", "weather v1", [/^a.yaml:3: tools.0.tool_id: must be an id such as/]],
    [
      "a provider without category",
      " (weather)",
      "",
      [/^a.yaml:1: provider: must be a provider name with its category/],
    ],
    ["too fine a price", "amount_credits: 1", "amount_credits: 0.0000001", [/^a.yaml:10: .*six decimals/]],
    [
      "a price that would settle as 0",
      "amount_credits: 1",
      "amount_credits: 1e-9",
      [/^a.yaml:10: .*1e-9 credits has more than six decimals/],
    ],
    [
      "a price whose discount leaves nothing",
      "amount_credits: 1",
      "amount_credits: 0.000001\n      discount: 0.6",
      [/^a.yaml:11: .*would settle as 0: the smallest amount is 0.000001 credits/],
    ],
    [
      "a negative price",
      "amount_credits: 1",
      "amount_credits: -1",
      [/^a.yaml:10: tools.0.billing_rule.amount_credits: must be >= 0/],
    ],
    ["no price", "    billing_rule:\n      amount_credits: 1\n", "", [/^a.yaml:3: the tool lacks a price/]],
    [
      "no upper bound",
      "amount_credits: 1",
      "amount_credits: 1\n      unit: row",
      [/^a.yaml:11: a price per row needs "max_units"/, /mapping.rows/],
    ],
    [
      "a lone one-of",
      "type: string, required: true",
      "type: string, one_of_required: place",
      [/^a.yaml:7: one-of group "place" has one member/, /must be required/],
    ],
    ["a parameter twice", "name: days", "name: city", [/^a.yaml:8: parameter "city" is there twice/]],
    [
      "a stray url name",
      "{city}",
      "{town}",
      [/^a.yaml:11: the url names \{town\}, which is not a parameter/],
    ],
    ["a bad scheme", "https:", "ftp:", [/^a.yaml:11: the url must be an absolute http/]],
    [
      "a bad enum",
      "minimum: 1",
      "enum: [1, two]",
      [/^a.yaml:8: enum values of "days" must be of its type integer: two/],
    ],
    [
      "a bad example",
      "    upstream",
      "    examples:\n      sample_parameters:\n        days: 0\n        city: X\n    upstream",
      [/^a.yaml:13: .*"days" must be at least 1/],
    ],
    ["broken YAML", "tools:", "tools: [", [/^a.yaml:\d+: /]],
    [
      "a name twice",
      "    name: Weather",
      "    name: Weather\n    name: Rain",
      [/^a.yaml:5: Map keys must be unique/],
    ],
  ])("is refused for %s, with file and line", (_, from, to, expected) => {
    const found = problems(changed(from, to));
    for (const pattern of expected) expect(found).toContainEqual(expect.stringMatching(pattern));
    expect(found.every((problem) => /^a\.yaml:\d+: ./.test(problem))).toBe(true);
  });

  test("is refused for a tool that occurs twice, naming both places", () => {
    expect(problems({ "a.yaml": sound, "b.yaml": sound })).toEqual([
      'b.yaml:3: tool "weather.v1" is there already, at a.yaml:3',
    ]);
  });

  test("is refused for a capability whose candidate does not exist or does not fit", () => {
    const capability = `capabilities:
  - capability_id: weather
    name: Weather
    description: The weather.
    provider_id: skies
    params: []
    candidates:
      - weather.v2
      - weather.v1
`;
    expect(problems({ "a.yaml": sound, "c.yaml": capability })).toEqual([
      'c.yaml:8: there is no tool "weather.v2". Did you mean "weather.v1"?',
      'c.yaml:9: candidate "weather.v1" requires "city", which the capability does not',
    ]);
  });

  test("is refused when the folder is missing or empty", () => {
    expect(() => loadCatalog("/nowhere/at/all", { providerBaseUrl: "" })).toThrow(
      /cannot be read as a folder/,
    );
    expect(() => load({})).toThrow(/holds no \*\.yaml file/);
  });
});

test("the sample provider is needed where a tool names it, as in a copy of the sample", () => {
  expect(usesSampleProvider(sampleFolder)).toBe(true);
  const url = (address: string) => ({ "tools.yaml": `tools:\n  - upstream:\n      url: "${address}"\n` });
  expect(usesSampleProvider(folderOf(url("{sample_provider}/weather")))).toBe(true);
  expect(usesSampleProvider(folderOf(url("https://example.com/weather")))).toBe(false);
});
