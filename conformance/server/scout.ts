import { operations, trialCredits } from "../../generated/contract.ts";
import type { Answer, Located } from "../judge/answer.ts";
import { costOf, requestedOf, settledOf } from "../judge/rows.ts";
import { oneOfFields } from "../judge/params.ts";
import { isFields } from "../judge/seen.ts";
import { Blocked, Unverifiable } from "../judge/verdict.ts";
import { Account, isSettled, Stranger, usable } from "./account.ts";
import { reasonOf, type Ending, type Endings } from "./endings.ts";
import { mapConcurrently } from "./map-concurrently.ts";
import type { Profile, Role, Use } from "./profile.ts";
import { Session, until } from "./session.ts";
import { spendingAll, type Offer } from "./spending.ts";
import {
  affordable,
  dearest,
  pricesBy,
  requiredBy,
  sampleParameters,
  wideQueries,
  type Contracts,
} from "./tools.ts";
import { registerTrial } from "./trials.ts";

/*
 * Finds what no contract of a tool shows, with a trial's credits: how tools end, the capabilities, an account with rows
 * of many kinds and one without credits. Nothing here is judged: what cannot be found stays open.
 */

/** How tools ended when they were tried. */
export interface Shown {
  /** The endings from which tools have their roles. */
  endings: Endings;
  /** Why the audit, which shows how a Call ended, cannot be read; undefined where it can. */
  unread?: Blocked | undefined;
}

/** The findings of a trial of the server. */
export interface Scouted extends Shown {
  tools: Profile["tools"];
  capabilities: Profile["capabilities"];
  /** The most that a query of these capabilities cost, in credits; 0 where none was found. */
  queryPrice: number;
  credentials: Pick<Profile["credentials"], "every_kind" | "exhausted">;
}

/** Whether only the audit shows what a check needs: roles by the end of Calls, and accounts made by Calls. */
export const isOfAudit = (need: string): boolean =>
  /^(every_kind|exhausted|tool\.(discounted|failed_charged|policy_exempt|large_result|slow))$/.test(need) ||
  need.replace("tool.", "") in reasonOf;

/** Requests sent at the same time. */
const concurrency = 8;

/** The maximum number of tools that are tried, of trials that pay for it, and of capabilities that are asked for. */
const max = { tools: 90, trials: 5, capabilities: 60 };

/** A Call that takes this long is slow: plainly in milliseconds, and not by accident. */
const slowMs = 500;

/** Room for any affordable candidate of a capability. */
export const ampleBudget = 100;

/** Finds what the profile leaves open by trying, with trial accounts registered for it. */
export async function scout(session: Session, profile: Profile, contracts: Contracts): Promise<Scouted> {
  const stranger = new Stranger(session, profile);
  const { account } = await registerTrial(stranger, "conformance scout");
  const isOff = profile.features.capabilities !== undefined;
  const found = isOff ? undefined : await orNothing(findCapabilities(account, contracts));
  let unread: Blocked | undefined;
  const endings = endingsOf(stranger, account, contracts).catch((error: unknown) => {
    if (error instanceof Blocked) unread = error;
    throw error;
  });
  const tried = (await orNothing(endings)) ?? [];
  const everyKind = await orNothing(account.settled().then(() => account.key));
  const another = await orNothing(emptiedTrial(stranger, tried));
  const exhausted = another?.key;
  const { tools, endings: shown } = rolesOf(tried, profile, contracts);
  return {
    tools: another?.includesCalls ? withoutPrices(tools) : tools,
    endings: shown,
    capabilities: found?.capabilities ?? {},
    queryPrice: found?.queryPrice ?? 0,
    credentials: {
      ...(everyKind !== undefined && { every_kind: everyKind }),
      ...(exhausted !== undefined && { exhausted }),
    },
    unread,
  };
}

/** A tool to try, with the price that its contract or a quote names. */
interface Candidate {
  use: Required<Use>;
  price: number;
}

/** A tool for which an account paid. */
type Paid = Offer & { use: Required<Use> };

/** A tool that was tried. */
interface Tried extends Candidate {
  call: Answer;
  event: Located;
}

/**
 * Calls every tool that a trial can pay for, and reads how each Call ended. What one trial can no longer pay for,
 * the next one tries.
 */
async function endingsOf(stranger: Stranger, first: Account, contracts: Contracts): Promise<Tried[]> {
  const tried: Tried[] = [];
  let [account, left] = [first, await toTry(first, contracts)];
  for (let trials = 1; ; trials += 1) {
    const { ended, refused } = await tryAll(account, left);
    tried.push(...ended);
    const isStuck = refused.length === left.length;
    if (refused.length === 0 || isStuck || trials === max.trials) return tried;
    left = refused;
    ({ account } = await registerTrial(stranger, `conformance scout ${trials + 1}`));
  }
}

/** The tools to try, the cheapest first. Of too many, those with a price and those without take turns. */
async function toTry(account: Account, contracts: Contracts): Promise<Candidate[]> {
  const price = pricesBy(account);
  const all: Candidate[] = [];
  for (const [id, contract] of contracts) {
    const costs = await price(id, contract);
    if (costs !== undefined && costs <= trialCredits)
      all.push({ use: { id, parameters: sampleParameters(contract) }, price: costs });
  }
  all.sort((one, other) => one.price - other.price);
  const [free, priced] = [
    all.filter((candidate) => candidate.price === 0),
    all.filter((candidate) => candidate.price > 0),
  ];
  const half = max.tools / 2;
  const chosen = priced.slice(0, Math.max(half, max.tools - free.length));
  return [...free.slice(0, max.tools - chosen.length), ...chosen];
}

/** Calls tools with one account, once each. */
async function tryAll(
  account: Account,
  candidates: readonly Candidate[],
): Promise<{ ended: Tried[]; refused: Candidate[] }> {
  const calls = await mapConcurrently(candidates, concurrency, async (candidate) => ({
    ...candidate,
    call: await orNothing(account.call(candidate.use)),
  }));
  const query = { event_type: "tool_execute", page_size: 2 * max.tools };
  const read = async (): Promise<Tried[]> => {
    const events = usable(await account.usage(query)).at("data.items").items;
    return calls.flatMap(({ call, ...one }) => {
      const [name, value] = call?.at("execution_id").present
        ? ["execution_id", call.at("execution_id").value]
        : ["tool_id", one.use.id];
      const event = events.find((row) => row.at(name).value === value && isSettled(row));
      return call === undefined || event === undefined ? [] : [{ ...one, call, event }];
    });
  };
  const answered = calls.filter(({ call }) => call?.status === 200).length;
  const ended = await until(account.lagMs, read, (tried) => tried.length >= answered);
  return { ended, refused: calls.filter(({ call }) => call?.status === 402) };
}

/** The first tool for each role that is still open, by how its Call ended. */
function rolesOf(
  tried: readonly Tried[],
  profile: Profile,
  contracts: Contracts,
): Pick<Scouted, "tools" | "endings"> {
  const tools = { ...working(tried, contracts), ...profile.tools, ...extremes(tried, contracts) };
  const endings: Endings = {};
  for (const trial of tried) {
    for (const role of shownBy(trial)) {
      if (tools[role] !== undefined) continue;
      tools[role] = trial.use;
      if (role !== "large_result") endings[role] = endingOf(trial);
    }
  }
  return { tools, endings };
}

/**
 * The roles that do not rest on a price: a server that includes the first Calls of an account charges none of a new
 * account as it charged the one that tried the tools.
 */
const withoutPrices = ({
  charged: _charged,
  charged_decimal: _decimal,
  expensive: _expensive,
  discounted: _discounted,
  policy_exempt: _exempt,
  ...others
}: Profile["tools"]): Profile["tools"] => others;

/** A tool that is charged its whole price, and one that costs nothing, of which the contracts alone showed none. */
function working(tried: readonly Tried[], contracts: Contracts): Profile["tools"] {
  const isCharged = ({ price, event }: Tried): boolean =>
    price > 0 && price <= affordable && settledOf(event) === price;
  const whole = tried
    .filter(isWhole)
    .toSorted(
      (one, other) => requiredBy(other.use, contracts).length - requiredBy(one.use, contracts).length,
    );
  const [charged, included] = [whole.find(isCharged), whole.find(({ price }) => price === 0)];
  return { ...(charged && { charged: charged.use }), ...(included && { included: included.use }) };
}

/** Of the working tools, the one with the most requirements, the cheapest with decimals, and the slowest. */
function extremes(tried: readonly Tried[], contracts: Contracts): Profile["tools"] {
  const most = (suits: (use: Tried) => boolean, rank: (use: Tried) => number): Use | undefined =>
    tried.filter((one) => isWhole(one) && suits(one)).toSorted((one, other) => rank(other) - rank(one))[0]
      ?.use;
  const count = ({ use }: Tried): number => requiredBy(use, contracts).length;
  const elapsedMs = ({ call }: Tried): number => Number(call.at("elapsed_time_ms").value);
  const found = {
    required_parameter: most((trial) => trial.price <= affordable && count(trial) > 0, count),
    charged_decimal: most(
      ({ price, event }) => !Number.isInteger(price) && settledOf(event) === price,
      ({ price }) => -price,
    ),
    slow: most((trial) => elapsedMs(trial) >= slowMs, elapsedMs),
  };
  return Object.fromEntries(Object.entries(found).filter(([, use]) => use !== undefined));
}

const isWhole = (use: Tried): boolean => {
  const { success, reasonCode } = endingOf(use);
  return success === true && reasonCode === "result.valid";
};

const endingOf = ({ call, event }: Tried): Ending => ({
  success: call.at("success").value,
  reasonCode: event.at("reason_code").value,
  chargeOutcome: event.at("charge_outcome").value,
});

function shownBy(use: Tried): Role[] {
  const { call, price } = use;
  const { reasonCode, chargeOutcome } = endingOf(use);
  const shows: Partial<Record<Role, boolean>> = {
    ...Object.fromEntries(Object.entries(reasonOf).map(([role, code]) => [role, code === reasonCode])),
    failed_charged: chargeOutcome === "failed_charged_review",
    discounted: chargeOutcome === "charged" && costOf(use.event) < (requestedOf(use.event) ?? 0),
    policy_exempt: isWhole(use) && price > 0 && chargeOutcome === "included",
    large_result: isWhole(use) && isLarge(call),
  };
  return (Object.keys(shows) as Role[]).filter((role) => shows[role]);
}

/** Whether a result is truncated, or should be: the payload is most of the answer. */
const isLarge = (call: Answer): boolean =>
  call.at("result.truncated_content").present ||
  Buffer.byteLength(call.text) > 1.5 * operations.call.body.max_response_size.default;

/**
 * Capabilities whose ids the routing cards of Discover name. The contract does not say that a card's `capability` is an
 * id, so asking for it is a guess, and the answer is not judged.
 */
async function findCapabilities(
  account: Account,
  contracts: Contracts,
): Promise<Pick<Scouted, "capabilities" | "queryPrice">> {
  const { session, profile, key } = account;
  const client = session.client.unheard();
  const guessing = new Account(new Session(client, session.secrets), profile, key, "a guess");
  const found: Profile["capabilities"] = {};
  const prices: Partial<Record<"query" | "legacy", number>> = {};
  const existing: { role: "query" | "legacy"; use: Required<Use> }[] = [];
  const tryFor = async (role: "query" | "legacy", use: Required<Use>, maxPrice: number): Promise<void> => {
    if (prices[role] !== undefined) return;
    const price = await priceOfQuery(account, use, maxPrice);
    if (price === undefined || prices[role] !== undefined) return;
    found[role] = use;
    prices[role] = price;
  };
  const parametersOf = new Map<string, Record<string, unknown>>();
  for (const query of wideQueries) {
    const cards = (await guessing.discover({ query, view: "routing", limit: 100 })).at("results");
    if (!Array.isArray(cards.value)) continue;
    for (const card of cards.items) {
      const [id, toolId] = [card.at("capability").value, card.at("tool_id").value];
      if (typeof id !== "string" || id.trim() === "" || parametersOf.has(id)) continue;
      parametersOf.set(id, neededParameters(contracts.get(String(toolId))));
    }
  }
  await mapConcurrently(
    [...parametersOf].slice(0, max.capabilities),
    concurrency,
    async ([id, parameters]) => {
      const detail = await orNothing(guessing.ask("getCapability", { parameter: id }));
      if (detail?.status !== 200 || detail.at("capability_id").value !== id) return;
      const isLegacy = !detail.at("contract_version").present && !detail.at("schema_hash").present;
      found[isLegacy ? "legacy" : "detail"] ??= { id };
      const role = isLegacy ? "legacy" : "query";
      existing.push({ role, use: { id, parameters } });
      await tryFor(role, { id, parameters }, affordable);
    },
  );
  for (const { role, use } of existing) await tryFor(role, use, dearest);
  client.close();
  return { capabilities: found, queryPrice: Math.max(0, ...Object.values(prices)) };
}

/** The parameters that a tool's contract requires: the capability may not know the others. */
function neededParameters(contract: Located | undefined): Record<string, unknown> {
  const params = contract?.at("params").value;
  const sample = Object.entries(sampleParameters(contract));
  if (!Array.isArray(params)) return Object.fromEntries(sample);
  const needed = new Set(oneOfFields(params));
  for (const param of params.filter(isFields))
    if (param["required"] === true) needed.add(String(param["name"]));
  return Object.fromEntries(sample.filter(([name]) => needed.has(name)));
}

/** What a query of a capability costs, even with a budget that allows for more; undefined where it fails or is dearer. */
async function priceOfQuery(
  account: Account,
  { id, parameters }: Required<Use>,
  maxPrice: number,
): Promise<number | undefined> {
  let price: number | undefined;
  for (const max_credits of [maxPrice, ampleBudget]) {
    const body = { capability_id: id, parameters, max_credits };
    const answer = await orNothing(account.ask("queryCapability", { body }));
    if (answer?.status !== 200 || answer.at("success").value !== true) return undefined;
    price = Number(answer.at("credits_used").value);
    if (!(price <= maxPrice)) return undefined;
  }
  return price;
}

/** How often an account is emptied of what is left: a Call may cost less than before, or be refused. */
const emptyings = 6;

/** What a second trial shows: whether its first Call costs nothing, and how an account without credits is answered. */
interface Emptied {
  includesCalls: boolean;
  /** Undefined where its credits could not be spent to the last. */
  key: string | undefined;
}

/** Registers a trial, calls what another paid for, and spends all its credits on what it costs. */
async function emptiedTrial(stranger: Stranger, tried: readonly Tried[]): Promise<Emptied> {
  const { account } = await registerTrial(stranger, "conformance scout without credits");
  const offers = tried
    .filter(({ event }) => event.at("charge_outcome").value === "charged")
    .map(({ use, price, event }) => ({ use, price, cost: costOf(event) }));
  const [cheapest] = offers.toSorted((one, other) => one.cost - other.cost);
  const includesCalls = cheapest !== undefined && (await isIncluded(account, cheapest.use));
  const key = (await isEmptied(account, offers, stranger.profile.limits.call / 2)) ? account.key : undefined;
  return { includesCalls, key };
}

/** Whether an account does not pay for a Call that another one pays for. */
async function isIncluded(account: Account, use: Required<Use>): Promise<boolean> {
  const call = await account.call(use);
  if (call.status !== 200) return false;
  const event = await account.usageOf(call);
  return event.at("charge_outcome").value === "included" && event.at("reason_code").value === "result.valid";
}

/** Spends an account's credits to the last. @param mayCall the maximum number of Calls */
async function isEmptied(account: Account, offered: readonly Paid[], mayCall: number): Promise<boolean> {
  let offers = offered;
  for (let emptying = 1; emptying <= emptyings; emptying += 1) {
    const owned = await account.credits();
    if (owned === 0) return true;
    const calls = spendingAll(owned, offers, mayCall);
    if (calls === undefined) return false;
    mayCall -= calls.length;
    const refused = new Set<string>();
    await mapConcurrently(calls, concurrency, async ({ use }) => {
      if ((await account.call(use)).status === 402) refused.add(use.id);
    });
    // A tool may want more than its price to be there.
    offers = offers.filter(({ use }) => !refused.has(use.id));
    await account.settled();
  }
  return (await account.credits()) === 0;
}

/** The result, if the server shows it and the run's limits allow for it. */
const orNothing = <T>(found: Promise<T>): Promise<T | undefined> =>
  found.catch((error: unknown) => {
    if (error instanceof Blocked || error instanceof Unverifiable) return undefined;
    throw error;
  });
