import { isDeepStrictEqual } from "node:util";
import { Blocked, Unmet, Unverifiable } from "../judge/verdict.ts";
import { isA } from "../judge/expect.ts";
import { oneOfFields, oneOfGroups } from "../judge/params.ts";
import { costOf, requestedOf } from "../judge/rows.ts";
import { memberOf } from "../judge/seen.ts";
import type { Located } from "../judge/answer.ts";
import type { Account } from "./account.ts";
import type { Profile, Role, Use } from "./profile.ts";

/** Queries broad enough to find tools on an unknown server. */
export const wideQueries = [
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
  "address",
  "route",
  "map",
];

/** Limits on queries made from words of tools found so far: how many, and how many in a row may find none. */
const furtherQueries = { max: 45, fruitless: 6 };

/** The roles that a tool's contract reveals; how a provider fails is not visible in it. */
const shownByContracts = [
  "charged",
  "charged_decimal",
  "included",
  "expensive",
  "enum",
  "one_of",
  "zero_parameter",
] as const;

/** The usual maximum price of a charged tool, so that a trial account's credits last. */
export const affordable = 2;

/** The maximum price where nothing is affordable: a trial still pays for what most checks call. */
export const dearest = 10;

/** The maximum number of tools that are called in search of one that is charged its whole price. */
const maxCharged = 8;

/** The contracts of tools, by id. */
export type Contracts = ReadonlyMap<string, Located>;

/** Reads the contracts of the tools in the profile and, where they leave a role open, of all that Discover finds. */
export async function listTools(account: Account, { tools }: Profile): Promise<Contracts> {
  const ids = new Set(Object.values(tools).map((use) => use.id));
  const words = new Set<string>();
  const discover = async (query: string): Promise<void> => {
    if (!account.session.client.allowance.mayExplore) return;
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
  if (shownByContracts.some((role) => tools[role] === undefined)) {
    for (const query of wideQueries) await discover(query);
    const further = [...words].filter((word) => !wideQueries.includes(word));
    let fruitless = 0;
    for (const query of further.slice(0, furtherQueries.max)) {
      if (fruitless === furtherQueries.fruitless) break;
      const before = ids.size;
      await discover(query);
      fruitless = ids.size > before ? 0 : fruitless + 1;
    }
  }
  const contracts = new Map<string, Located>();
  for (const batch of batches([...ids], 20)) {
    const answer = await account.inspect(batch);
    const results = answer.at("results");
    if (!Array.isArray(results.value)) continue;
    for (const result of results.items) contracts.set(String(result.at("tool_id").value), result);
  }
  return contracts;
}

/**
 * Finds the tools that a run can use without a profile, by their contracts. Finds only roles that a contract reveals,
 * which excludes how a provider fails. Tools in the profile are kept, and their missing parameters are built here.
 */
export async function findTools(
  account: Account,
  profile: Profile,
  contracts?: Contracts,
): Promise<Profile["tools"]> {
  contracts ??= await listTools(account, profile);
  const roles: Profile["tools"] = { ...profile.tools };
  const named = Object.values(profile.tools).map((use) => use.id);
  for (const [role, use] of Object.entries(roles)) {
    const contract = contracts.get(use.id);
    roles[role as Role] = { ...use, parameters: use.parameters ?? sampleParameters(contract) };
  }
  const price = pricesBy(account);
  const others = telling(contracts).filter(([id]) => !named.includes(id));
  for (const role of shownByContracts) {
    if (roles[role] !== undefined) continue;
    const use = await firstThatWorks(role, others, account, price);
    if (use !== undefined) roles[role] = use;
  }
  if (roles.charged === undefined) {
    const use = await firstThatWorks("charged", await byPrice(others, price), account, price, dearest);
    if (use !== undefined) roles.charged = use;
  }
  const use = withRequiredParameter(roles, contracts);
  return use === undefined ? roles : { required_parameter: use, ...roles };
}

/**
 * The first tool that suits a role and works. A tool that this account is not charged for, or less than its price, is
 * passed over for another, a number of times: an account with included credits is charged for none.
 */
async function firstThatWorks(
  role: (typeof shownByContracts)[number],
  contracts: readonly (readonly [string, Located])[],
  account: Account,
  price: PriceOf,
  maxPrice = affordable,
): Promise<Use | undefined> {
  let [passedOver, cheaper]: [number, Use | undefined] = [0, undefined];
  for (const [id, contract] of contracts) {
    if (!(priced(role) ? costs(role, await price(id, contract), maxPrice) : shows(role, contract))) continue;
    const use = { id, parameters: sampleParameters(contract) };
    const outcome = await tried(role, account, use, () => price(id, contract)).catch(untried);
    if (outcome === "works") return use;
    if (outcome === "fails") continue;
    if (outcome === "discounted") cheaper ??= use;
    passedOver += 1;
    if (passedOver === maxCharged) break;
  }
  return cheaper;
}

/** The tools whose price is known, the cheapest first. */
async function byPrice(
  contracts: readonly (readonly [string, Located])[],
  price: PriceOf,
): Promise<(readonly [string, Located])[]> {
  const known: { entry: readonly [string, Located]; costs: number }[] = [];
  for (const entry of contracts) {
    const costs = await price(...entry);
    if (costs !== undefined) known.push({ entry, costs });
  }
  return known.sort((one, other) => one.costs - other.costs).map(({ entry }) => entry);
}

/** The roles with working tools, in the order in which one of them is used for `required_parameter`. */
const working = ["charged", "charged_decimal", "enum", "one_of", "included"] as const;

/** The first tool found whose parameters supply one that its contract requires. */
const withRequiredParameter = (roles: Profile["tools"], contracts: Contracts): Use | undefined =>
  working
    .map((role) => roles[role])
    .find((use) => use !== undefined && requiredBy(use, contracts).length > 0);

/** The parameters of a tool that its contract requires, with their types. */
export function requiredBy({ id, parameters = {} }: Use, contracts: Contracts): Located[] {
  const params = contracts.get(id)?.at("params");
  if (!Array.isArray(params?.value)) return [];
  return params.items.filter(
    (param) =>
      param.at("required").value === true &&
      param.at("type").present &&
      Object.hasOwn(parameters, String(param.at("name").value)),
  );
}

/** The contracts, those with required parameters first: a tool without parameters leaves many checks unverified. */
const telling = (contracts: Contracts): [string, Located][] => {
  const requires = (contract: Located): boolean => {
    const params = contract.at("params");
    return Array.isArray(params.value) && params.items.some((param) => param.at("required").value === true);
  };
  return [...contracts].sort(([, one], [, other]) => Number(requires(other)) - Number(requires(one)));
};

/** Maximum number of quotes requested for tools whose contract names no price. */
const maxQuotes = 30;

type PriceOf = (id: string, contract: Located) => Promise<number | undefined>;

/** The price of a tool: from its contract, else quoted by a Probe, which is free; undefined when neither gives one. */
export function pricesBy(account: Account): PriceOf {
  const quotes = new Map<string, unknown>();
  return async (id, contract) => {
    const named = contract.at("billing_rule.amount_credits").value;
    if (typeof named === "number") return named;
    if (!quotes.has(id) && quotes.size < maxQuotes) {
      const answer = await account.probe(id, { parameters: sampleParameters(contract), checks: ["quote"] });
      quotes.set(id, answer.at("quote.estimate_credits").value);
    }
    const quote = quotes.get(id);
    return typeof quote === "number" ? quote : undefined;
  };
}

const pricedRoles = ["charged", "charged_decimal", "included", "expensive"] as const;
type PricedRole = (typeof pricedRoles)[number];

const priced = (role: Role): role is PricedRole => (pricedRoles as readonly Role[]).includes(role);

/** Whether a tool of this price suits the role. */
function costs(role: PricedRole, price: number | undefined, maxPrice: number): boolean {
  if (price === undefined) return false;
  switch (role) {
    case "charged":
      return price > 0 && price <= maxPrice;
    case "charged_decimal":
      return price > 0 && price <= maxPrice && !Number.isInteger(price);
    case "included":
      return price === 0;
    case "expensive":
      return price > 50;
  }
}

function shows(role: Role, contract: Located): boolean {
  const params = contract.at("params").value;
  const lists = (values: unknown): boolean => Array.isArray(values) && values.length > 0;
  switch (role) {
    case "enum":
      return Array.isArray(params) && params.some((param: unknown) => lists(memberOf(param, "enum")));
    case "one_of":
      return oneOfFields(params).length > 0;
    case "zero_parameter":
      return Array.isArray(params) && params.length === 0;
    default:
      return false;
  }
}

/**
 * Whether the tool delivers a complete result: a provider that fails or delivers only a part is not the server's fault.
 * `covered` when a tool with a price costs this account nothing, `discounted` when it costs less than the price. A tool
 * whose Calls a trial cannot afford fails too.
 */
async function tried(
  role: Role,
  account: Account,
  use: Required<Use>,
  price: () => Promise<number | undefined>,
): Promise<"works" | "fails" | "covered" | "discounted"> {
  if (!priced(role) || role === "expensive") {
    const probe = await account.probe(use.id, { parameters: use.parameters, checks: ["schema"] });
    if (probe.at("schema.valid").value !== true) return "fails";
    if (role === "expensive") return "works";
    if (((await price()) ?? Infinity) > affordable) return "fails";
  }
  const call = await account.call(use);
  // A Call that does not say how it ended is left to its rule: the tool may still work.
  if (call.status !== 200 || call.at("success").value === false) return "fails";
  try {
    const event = await account.usageOf(call);
    if (event.at("reason_code").value === "result.partial_success") return "fails";
    if (role !== "charged" && role !== "charged_decimal") return "works";
    if (event.at("charge_outcome").value === "included") return "covered";
    return costOf(event) < (requestedOf(event) ?? 0) ? "discounted" : "works";
  } catch (error) {
    // A server with an unreadable audit still has tools.
    if (error instanceof Blocked || error instanceof Unmet) return "works";
    throw error;
  }
}

/** A tool that the run's limits leave untried is taken as its contract says: its Calls are left out too. */
function untried(error: unknown): "works" {
  if (error instanceof Unverifiable) return "works";
  throw error;
}

/** The contract's own sample, else one value for each required parameter and each one-of group. */
export function sampleParameters(contract: Located | undefined): Record<string, unknown> {
  const sample = contract?.at("examples.sample_parameters").value;
  if (isA(sample, "object")) return sample as Record<string, unknown>;
  const params = contract?.at("params");
  if (!Array.isArray(params?.value)) return {};
  const groups = oneOfGroups(params.value);
  const chosen = new Set(groups.length > 0 ? groups.map(([first]) => first) : oneOfFields(params.value));
  const parameters: Record<string, unknown> = {};
  for (const param of params.items) {
    const name = String(param.at("name").value);
    if (param.at("required").value === true || chosen.has(name)) parameters[name] = sampleValue(param);
  }
  return parameters;
}

/** Whether the suite made up a tool's parameters: a contract without a sample may not state all constraints on them. */
export const areMadeUp = ({ parameters }: Required<Use>, contract: Located): boolean =>
  Object.keys(parameters).length > 0 &&
  !isA(contract.at("examples.sample_parameters").value, "object") &&
  isDeepStrictEqual(parameters, sampleParameters(contract));

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
