import type { ClauseId } from "../../../generated/clauses.ts";
import type { Exchange } from "../../judge/exchange.ts";
import { missingFrom } from "../../judge/params.ts";
import type { Judgement } from "../../judge/rule.ts";
import { isFields } from "../../judge/seen.ts";
import { crossing, type Crossing, type Recording } from "../../judge/crossing.ts";
import { callOf, shapeOf, type SentCall, type Sight } from "../../judge/memory.ts";
import { Recent } from "../../judge/recent.ts";
import { refusedPlaces } from "./refused-places.ts";
import { isWhole } from "./session.client.ts";

type Fields = Record<string, unknown>;
type Contract = readonly Fields[];

/** A cached contract older than this is certainly not short-lived. */
const shortLife = 3_600_000;

const types: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === "number",
  boolean: (value) => typeof value === "boolean",
  array: Array.isArray,
  object: isFields,
};

/** How parameters violate a contract: required, enum, one-of, and types that JSON itself has. */
function lackOf(parameters: Fields, params: Contract): string | null {
  for (const { name, type } of params) {
    const value = parameters[String(name)];
    const check = typeof type === "string" && Object.hasOwn(types, type) ? types[type] : undefined;
    if (value !== undefined && value !== null && check !== undefined && !check(value)) {
      return `${String(name)} of type ${String(type)}`;
    }
  }
  return missingFrom(parameters, params);
}

const unknownIn = (parameters: Fields, params: Contract): string[] =>
  Object.keys(parameters).filter((name) => !params.some((param) => param["name"] === name));

const fits = (parameters: Fields, params: Contract): boolean =>
  unknownIn(parameters, params).length === 0 && lackOf(parameters, params) === null;

/** A Call in relation to the contracts that its client has been shown. */
interface Standing {
  call: SentCall;
  unknown: string[];
  lack: string | null;
  /** The parameters satisfy an earlier contract of the tool but not its current one. */
  stale: boolean;
  /** The tool that the parameters belong to, if it is another one. */
  foreign: string | null;
  /** The tool has had more than one contract. */
  changed: boolean;
}

const contractsOf = (sights: readonly Sight[]): Contract[] =>
  sights.flatMap(({ params }) => (params === null ? [] : [params]));

const namesAll = (params: Contract, named: Contract): boolean =>
  named.every(({ name }) => params.some((param) => param["name"] === name));

/**
 * The contract by which a Call is judged: the newest. An Inspect is usually more complete, so a Discover after it that
 * names only some of its parameters does not replace it.
 */
function currentOf(sights: readonly Sight[], parameters: Fields): Contract | undefined {
  const shown = sights.filter(({ params }) => params !== null);
  const newest = shown.at(-1);
  if (newest?.by !== "discover" || fits(parameters, newest.params!)) return newest?.params ?? undefined;
  const inspected = shown.findLast(({ by }) => by === "inspect")?.params;
  const isPart = inspected && inspected.length > newest.params!.length && namesAll(inspected, newest.params!);
  return isPart ? inspected : newest.params!;
}

/** Null when it is not a Call, or no contract of its tool has been seen. */
function standingOf(exchange: Exchange, { memory }: Recording): Standing | null {
  const call = callOf(exchange);
  if (call === null) return null;
  const { account, started_at: at } = exchange;
  const sights = memory.sightsOf(account, call.tool, at);
  const contracts = contractsOf(sights);
  const current = currentOf(sights, call.parameters);
  // What the recording omits may have shown a newer one.
  if (current === undefined || sights.at(-1)!.at < (memory.gapOf(account) ?? 0)) return null;
  const { parameters } = call;
  const unknown = unknownIn(parameters, current);
  const lack = lackOf(parameters, current);
  const shape = shapeOf({ params: current });
  const others = contracts.filter((params) => shapeOf({ params }) !== shape);
  const broken = unknown.length > 0 || lack !== null;
  const stale = broken && others.some((params) => fits(parameters, params));
  const foreign =
    stale || unknown.length === 0 || (lack === null && unknown.length < Object.keys(parameters).length)
      ? undefined
      : memory.toolsOf(account).find((tool) => {
          const params = contractsOf(memory.sightsOf(account, tool, at)).at(-1);
          return tool !== call.tool && params !== undefined && fits(parameters, params);
        });
  return { call, unknown, lack, stale, foreign: foreign ?? null, changed: others.length > 0 };
}

/** A rule about a Call in relation to the contracts shown to its client. */
const onStanding = (clause: ClauseId, title: string, judge: (standing: Standing) => Judgement): Crossing =>
  crossing(clause, title, (recording) => ({ exchange }) => {
    const standing = standingOf(exchange, recording);
    return standing === null ? null : judge(standing);
  });

/** Rules that parameters follow the tool's current contract. */
export const clientRules: Crossing[] = [
  onStanding("FLOW-03", "parameters keep the tool's current contract", ({ call, lack, stale, foreign }) => {
    if (lack === null) return true;
    return stale || foreign !== null
      ? null
      : { expected: `parameters of ${call.tool} with ${lack}`, received: JSON.stringify(call.parameters) };
  }),
  onStanding("FLOW-04", "no parameter is sent that the contract does not name", (standing) => {
    const { call, unknown, stale, foreign } = standing;
    if (unknown.length === 0) return true;
    return stale || foreign !== null
      ? null
      : { expected: `parameters that the contract of ${call.tool} names`, received: unknown.join(", ") };
  }),
  crossing("FLOW-05", "a tool without a contract is inspected before it is called", (recording) => {
    return ({ exchange }) => {
      const call = callOf(exchange);
      if (call === null) return null;
      const { account, started_at: at } = exchange;
      const sights = recording.memory.sightsOf(account, call.tool, at);
      if (sights.length === 0) return null;
      if (sights.some(({ params }) => params !== null)) return true;
      // The client may have inspected it before the recording began.
      if (!isWhole(recording, account)) return null;
      return { expected: `an Inspect of ${call.tool}, shown without a contract`, received: "a Call" };
    };
  }),
  onStanding("FLOW-06", "parameters are not those of another tool", ({ call, unknown, foreign }) => {
    if (foreign !== null) {
      return { expected: `parameters of ${call.tool}`, received: `those of ${foreign}` };
    }
    return unknown.length === 0 && Object.keys(call.parameters).length > 0 ? true : null;
  }),
  onStanding("FLOW-07", "no contract is used that a newer answer has replaced", (standing) => {
    const { call, unknown, lack, stale, changed } = standing;
    if (stale) {
      return {
        expected: `parameters by the newest contract of ${call.tool}`,
        received: "parameters that only an earlier one takes",
      };
    }
    return changed && unknown.length === 0 && lack === null ? true : null;
  }),
  crossing("FLOW-08", "a cached contract is refreshed when a search returns its tool", ({ memory }) => {
    /** When an answer named a parameter that the tool's cached contract lacks. */
    const outdated = new Recent<string, number>(2000);
    return ({ exchange, seen, ended }) => {
      const call = callOf(exchange);
      if (call === null) return null;
      const { account, started_at: at } = exchange;
      const sights = memory.sightsOf(account, call.tool, at);
      const newest = sights.at(-1);
      const shown = sights.findLast(({ params }) => params !== null);
      if (newest === undefined || shown === undefined || memory.gapOf(account) !== null) return null;
      const name = `${account ?? ""}\n${call.tool}`;
      const outdatedAt = outdated.get(name) ?? -Infinity;
      if (seen?.status === 422 && namesOthers(seen.body, call, shown.params!)) outdated.set(name, ended);
      const isOutdated = shown.at < outdatedAt && outdatedAt <= at;
      // The contract also permits a short-lived cache.
      if (newest === shown || (!isOutdated && at - shown.at <= shortLife)) return true;
      const hours = ((at - shown.at) / 3_600_000).toFixed(1);
      return {
        expected: `an Inspect of ${call.tool} after the search that returned it again without its contract`,
        received: `a Call by a contract ${isOutdated ? "that an answer 422 had shown to be outdated" : `${hours} hours old`}`,
      };
    };
  }),
  crossing("FLOW-09", "sample values are replaced by the request's own", ({ memory }) => {
    const earlier = new Recent<string, Task[]>(5000);
    return ({ exchange }): Judgement => {
      const call = callOf(exchange);
      const search = call?.search ? memory.searches.get(call.search) : undefined;
      if (call === null || search === undefined) return null;
      const { account, started_at: at } = exchange;
      const sights = memory.sightsOf(account, call.tool, at);
      const sight = sights.findLast(({ params, sample }) => params !== null && sample !== null);
      const values = sight === undefined ? [] : businessValues(sight);
      if (values.length === 0) return null;
      const copied = values.every(([name, value]) => call.parameters[name] === value);
      if (!copied) return true;
      const query = search.query.toLowerCase();
      if (values.some(([, value]) => query.includes(String(value).toLowerCase()))) return null;
      // Once may be coincidence: the user may want exactly what the sample shows.
      const name = `${account ?? ""}\n${call.tool}`;
      const tasks = differentTasks([...(earlier.get(name) ?? []), { session: call.session, query }]);
      earlier.set(name, tasks);
      // Without sessions, two searches may belong to one task; three different ones hardly do.
      if (tasks.length < (call.session === null ? 3 : 2)) return null;
      return {
        expected: "the request's own values in the place of those of sample_parameters",
        received: `${JSON.stringify(Object.fromEntries(values))} in ${tasks.length} tasks, none of which names them`,
      };
    };
  }),
];

/** Whether a refusal asks for a parameter that a contract does not name. */
const namesOthers = (body: unknown, { parameters }: SentCall, params: Contract): boolean =>
  refusedPlaces(body).some((place) => {
    const name = place[place.indexOf("parameters") + 1];
    if (name === undefined || !place.includes("parameters") || name in parameters) return false;
    return !params.some((param) => param["name"] === name);
  });

/** A client's task, as its traffic shows it. */
interface Task {
  session: string | null;
  query: string;
}

/** The tasks, without those that share a session or a query with an earlier one. */
const differentTasks = (tasks: readonly Task[]): Task[] =>
  tasks.filter(
    ({ session, query }, index) =>
      !tasks
        .slice(0, index)
        .some((task) => (session !== null && task.session === session) || task.query === query),
  );

/** Sample values that a request must replace: free texts and numbers, but not choices from a list. */
function businessValues({ params, sample }: Sight): [name: string, value: unknown][] {
  return Object.entries(sample!).filter(([name, value]) => {
    const param = params!.find((parameter) => parameter["name"] === name);
    const isFree = param !== undefined && !Array.isArray(param["enum"]);
    return isFree && ((typeof value === "string" && value !== "") || typeof value === "number");
  });
}
