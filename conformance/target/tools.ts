import { isA } from "../expect.ts";
import { Located } from "./answer.ts";
import type { Account } from "./account.ts";
import type { Profile, Role, Use } from "./profile.ts";

/** Queries wide enough to find tools on a server of which nothing is known. */
const wideQueries = [
  "data",
  "search",
  "weather",
  "market price",
  "translate text",
  "news",
  "company",
  "convert",
  "calendar",
  "list",
  "location",
];

/** Queries made of the words of tools found so far, to find the others. */
const furtherQueries = 40;

/** The roles that a tool's contract shows; how a provider fails cannot be seen from it. */
const shownByContracts = [
  "charged",
  "charged_decimal",
  "included",
  "expensive",
  "enum",
  "one_of",
  "zero_parameter",
] as const;

/** A charged tool costs no more than this, so that a trial's credits last. */
const affordable = 2;

/**
 * Finds the tools that a run can use without a profile: Discover, then Inspect, then what their contracts say. Only
 * roles that a contract shows are found; how a provider fails cannot be seen from a catalogue. What the profile names
 * stays; parameters that it leaves out are built here.
 */
export async function findTools(account: Account, profile: Profile): Promise<Profile["tools"]> {
  const found: Profile["tools"] = { ...profile.tools };
  const named = Object.values(profile.tools).map((use) => use.id);
  const ids = new Set(named);
  const words = new Set<string>();
  const discover = async (query: string): Promise<void> => {
    const answer = await account.discover({ query, limit: 100 });
    const results: unknown = answer.at("results").value;
    if (!Array.isArray(results)) return;
    for (const result of results as ({ tool_id?: unknown; provider_name?: unknown } | null)[]) {
      if (typeof result?.tool_id === "string") ids.add(result.tool_id);
      for (const word of String(result?.provider_name).match(/\p{L}{4,}/gu) ?? [])
        words.add(word.toLowerCase());
      for (const word of String(result?.tool_id).match(/\p{L}{4,}/gu) ?? []) words.add(word.toLowerCase());
    }
  };
  if (shownByContracts.some((role) => found[role] === undefined)) {
    for (const query of wideQueries) await discover(query);
    for (const query of [...words].slice(0, furtherQueries)) await discover(query);
  }
  const contracts = new Map<string, Located>();
  for (const batch of batches([...ids], 20)) {
    const answer = await account.inspect(batch);
    const results = answer.at("results");
    if (!Array.isArray(results.value)) continue;
    for (const result of results.items) contracts.set(String(result.at("tool_id").value), result);
  }

  for (const [role, use] of Object.entries(found)) {
    const contract = contracts.get(use.id);
    found[role as Role] = { ...use, parameters: use.parameters ?? sampleParameters(contract) };
  }
  for (const role of shownByContracts) {
    if (found[role] !== undefined) continue;
    for (const [id, contract] of contracts) {
      if (named.includes(id) || !shows(role, contract)) continue;
      const use = { id, parameters: sampleParameters(contract) };
      if (!(await works(role, account, use))) continue;
      found[role] = use;
      break;
    }
  }
  return found;
}

function shows(role: Role, contract: Located): boolean {
  const price = contract.at("billing_rule.amount_credits").value;
  const params = contract.at("params").value;
  const some = (property: string): boolean =>
    Array.isArray(params) &&
    params.some((param: unknown) => new Located(param, "", contract.exchange).at(property).present);
  switch (role) {
    case "charged":
      return typeof price === "number" && price > 0 && price <= affordable;
    case "charged_decimal":
      return typeof price === "number" && price > 0 && price <= affordable && !Number.isInteger(price);
    case "included":
      return price === 0;
    case "expensive":
      return typeof price === "number" && price > 50;
    case "enum":
      return some("enum");
    case "one_of":
      return some("one_of_required");
    case "zero_parameter":
      return Array.isArray(params) && params.length === 0;
    default:
      return false;
  }
}

/** Whether the tool does its work at all: a provider's failure must not be held against the server. */
async function works(role: Role, account: Account, use: Required<Use>): Promise<boolean> {
  if (role === "charged" || role === "charged_decimal" || role === "included") {
    return (await account.call(use)).at("success").value === true;
  }
  const probe = await account.probe(use.id, { parameters: use.parameters, checks: ["schema"] });
  return probe.at("schema.valid").value === true;
}

/** The contract's own sample, else one value for each required parameter and one for each one-of group. */
export function sampleParameters(contract: Located | undefined): Record<string, unknown> {
  const sample = contract?.at("examples.sample_parameters").value;
  if (isA(sample, "object")) return sample as Record<string, unknown>;
  const params = contract?.at("params");
  if (!Array.isArray(params?.value)) return {};
  const groups = new Set<unknown>();
  const parameters: Record<string, unknown> = {};
  for (const param of params.items) {
    const group = param.at("one_of_required").value;
    const firstOfGroup = group !== undefined && group !== null && !groups.has(group);
    if (param.at("required").value !== true && !firstOfGroup) continue;
    groups.add(group);
    parameters[String(param.at("name").value)] = sampleValue(param);
  }
  return parameters;
}

function sampleValue(param: Located): unknown {
  const [choice] = Array.isArray(param.at("enum").value) ? (param.at("enum").value as unknown[]) : [];
  if (choice !== undefined) return choice;
  const samples: Record<string, unknown> = { integer: 1, number: 1, boolean: true, array: [], object: {} };
  return samples[String(param.at("type").value)] ?? "sample";
}

function batches<T>(list: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}
