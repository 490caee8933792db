import { canonical } from "../../base/data.ts";
import { sentJson, type Exchange } from "./exchange.ts";
import { isFields } from "./seen.ts";
import type { Passing } from "./passing.ts";
import { Recent } from "./recent.ts";

type Fields = Record<string, unknown>;

/** What an answer has shown a client of a tool. */
export interface Sight {
  /** Epoch milliseconds at which the client received it. */
  at: number;
  by: "discover" | "inspect";
  /** The parameter definitions; null when the answer omits them or gives only some. */
  params: readonly Fields[] | null;
  /** `examples.sample_parameters`. */
  sample: Fields | null;
  /** Credits of one Call according to its cost signals; null when they do not say. */
  price: number | null;
}

/** An answered Discover. */
export interface Search {
  query: string;
  session: string | null;
  tools: ReadonlySet<string>;
}

/** A Call, as its request describes it. */
export interface SentCall {
  tool: string;
  parameters: Fields;
  session: string | null;
  search: string | null;
  model: unknown;
  /** Equal for two Calls of the same tool with the same parameters. */
  same: string;
}

/** Sightings kept for each tool: the contracts it had, and mentions without a contract. */
const sightsKept = 8;

/** What the clients of a recording have learned so far. Drops the oldest entries to stay small. */
export class ClientMemory {
  readonly searches = new Recent<string, Search>(5000);
  /** Addresses of full results: origin and path, mapped to whole addresses, which may differ only in the query. */
  readonly files = new Recent<string, Recent<string, true>>(2000);
  readonly fileOrigins = new Recent<string, true>(50);
  /** Credentials that were used with the API or issued by it. */
  readonly accounts = new Recent<string, true>(5000);
  readonly #registered = new Recent<string, true>(5000);
  readonly #sights = new Recent<string, Sight[]>(5000);
  readonly #discovered = new Recent<string, number>(5000);
  /** When an answer that the recording omits may have shown tools, by account and overall. */
  readonly #gaps = new Recent<string, number>(5000);
  #gap: number | null = null;
  #newest = 0;

  readonly #tools: boolean;

  /** @param tools whether to remember tools and searches; only the rules about clients need them */
  constructor(tools: boolean) {
    this.#tools = tools;
  }

  /** Records what an exchange has shown its client. */
  note({ exchange, seen, ended }: Passing): void {
    const { account, operation } = exchange;
    this.#newest = Math.max(this.#newest, ended);
    if (account !== null && operation !== null) this.accounts.set(account, true);
    if (seen === null && exchange.response?.status === 200) {
      if (this.#tools && (operation === "discover" || operation === "inspect"))
        this.#noteGap(exchange, ended);
      return;
    }
    if (seen === null || seen.status !== 200 || !isFields(seen.body)) return;
    const { body } = seen;
    if (seen.operation === "registerAnonymous") this.#noteKeys(body);
    if (!this.#tools) return;
    if (seen.operation === "call") this.#noteFile(body);
    if (seen.operation !== "discover" && seen.operation !== "inspect") return;
    const results = Array.isArray(body["results"]) ? body["results"].filter(isFields) : [];
    const tools = results.map(({ tool_id: id }) => id).filter((id) => typeof id === "string");
    for (const result of results) this.#noteTool(account, result, seen.operation, ended);
    if (seen.operation === "inspect") return;
    const { session_id: session, query } = seen.sent;
    if (!this.#discovered.get(String(account))) this.#discovered.set(String(account), ended);
    if (typeof body["search_id"] === "string") {
      this.searches.set(body["search_id"], {
        query: typeof query === "string" ? query : "",
        session: typeof session === "string" ? session : null,
        tools: new Set(tools),
      });
    }
  }

  /** Records that an exchange of an unknown account was not seen. */
  gap(): void {
    this.#gap = this.#newest;
  }

  /** When an account may last have been shown tools that the recording omits; null when never. */
  gapOf(account: string | null): number | null {
    const gap = this.#gaps.get(String(account)) ?? null;
    return gap === null || this.#gap === null ? (gap ?? this.#gap) : Math.max(gap, this.#gap);
  }

  /** Whether the account was created within the recording, so that the recording holds all its activity. */
  isRegistered(account: string | null): boolean {
    return account !== null && this.#registered.get(account) === true;
  }

  /** Whether a client had the answer to a Discover by a given time. */
  hasDiscovered(account: string | null, by: number): boolean {
    const first = this.#discovered.get(String(account));
    return first !== undefined && first <= by;
  }

  /** What a client had been shown of a tool by a given time, oldest first. */
  sightsOf(account: string | null, tool: string, by: number): Sight[] {
    return (this.#sights.get(nameOf(account, tool)) ?? []).filter(({ at }) => at <= by);
  }

  /** The tools that a client has been shown. */
  toolsOf(account: string | null): string[] {
    const prefix = nameOf(account, "");
    const names = [...this.#sights.entries()].map(([name]) => name);
    return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  }

  #noteGap({ account, operation }: Exchange, ended: number): void {
    this.#gaps.set(String(account), ended);
    if (operation !== "discover" || this.#discovered.get(String(account))) return;
    this.#discovered.set(String(account), ended);
  }

  #noteKeys(value: unknown): void {
    if (!isFields(value)) return;
    for (const [name, member] of Object.entries(value)) {
      if (name === "api_key" && typeof member === "string") {
        this.#registered.set(member, true);
        this.accounts.set(member, true);
      } else this.#noteKeys(member);
    }
  }

  #noteFile(body: Fields): void {
    const result = body["result"];
    const address = isFields(result) ? result["full_content_file_url"] : undefined;
    if (typeof address !== "string" || !URL.canParse(address)) return;
    const url = new URL(address);
    const file = url.origin + url.pathname;
    const addresses = this.files.get(file) ?? new Recent<string, true>(2000);
    addresses.set(url.href, true);
    this.files.set(file, addresses);
    this.fileOrigins.set(url.origin, true);
  }

  #noteTool(account: string | null, result: Fields, by: Sight["by"], at: number): void {
    const { tool_id: tool, params, examples, billing_rule: rule, cost } = result;
    if (typeof tool !== "string") return;
    const sample = isFields(examples) && isFields(examples["sample_parameters"]) ? examples : null;
    const price = isFields(rule) ? rule["amount_credits"] : cost;
    const sights = this.#sights.get(nameOf(account, tool)) ?? [];
    sights.push({
      at,
      by,
      params: isComplete(params) ? params : null,
      sample: sample === null ? null : (sample["sample_parameters"] as Fields),
      price: typeof price === "number" ? price : null,
    });
    // Of a series of identical contracts, the first and the last are enough.
    const kept = sights.filter((sight, index) => {
      const neighbours = [sights[index - 1], sights[index + 1]];
      return neighbours.some((other) => other === undefined || shapeOf(other) !== shapeOf(sight));
    });
    this.#sights.set(nameOf(account, tool), kept.slice(-sightsKept));
  }
}

const nameOf = (account: string | null, tool: string): string => `${account ?? ""}\n${tool}`;

const isComplete = (params: unknown): params is Fields[] =>
  Array.isArray(params) && params.every((param) => isFields(param) && typeof param["name"] === "string");

/** The part of a contract that binds a client, as text: two contracts that differ only in descriptions are equal. */
export function shapeOf({ params }: Pick<Sight, "params">): string {
  if (params === null) return "none";
  const binding = params.map(({ name, type, required, enum: allowed, one_of_required: group }) => [
    name,
    type,
    required === true,
    allowed,
    group,
  ]);
  return JSON.stringify(binding);
}

/** The Call that an exchange sends; null when it sends none or the recording omits the request body. */
export function callOf(exchange: Exchange): SentCall | null {
  if (exchange.operation !== "call") return null;
  const sent = sentJson(exchange);
  if (!isFields(sent)) return null;
  const query = URL.canParse(exchange.request.url) ? new URL(exchange.request.url).searchParams : null;
  const tool = query?.get("tool_id") ?? sent["tool_id"];
  if (typeof tool !== "string") return null;
  const parameters = isFields(sent["parameters"]) ? sent["parameters"] : {};
  const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
  return {
    tool,
    parameters,
    session: text(sent["session_id"]),
    search: text(sent["search_id"]),
    model: sent["model"],
    // A Call without `parameters` differs from a Call with empty ones.
    same: `${tool}\n${"parameters" in sent ? canonical(parameters) : ""}`,
  };
}

/** The Call or the capability query that an exchange sends: either may consume credits. A query counts by its capability. */
export function paidCallOf(exchange: Exchange): SentCall | null {
  if (exchange.operation !== "queryCapability") return callOf(exchange);
  const sent = sentJson(exchange);
  if (!isFields(sent) || typeof sent["capability_id"] !== "string") return null;
  const parameters = isFields(sent["parameters"]) ? sent["parameters"] : {};
  const tool = sent["capability_id"];
  return {
    tool,
    parameters,
    session: null,
    search: null,
    model: undefined,
    same: `capability ${tool}\n${canonical(parameters)}`,
  };
}
