import { operations, type OperationId } from "../../generated/contract.ts";
import { creditsOf, sumOf } from "../judge/credits.ts";
import { operationOf } from "../judge/operations.ts";
import { Unverifiable } from "../judge/verdict.ts";

/** What a run may send, so that a production server can be judged. Without a limit, anything. */
export interface Limits {
  /** Credits that the run may spend, by the prices that the server names. */
  budget?: number | undefined;
  maxRequests?: number | undefined;
  /** The part of them that may be used to find out what the server has. */
  exploring?: number | undefined;
  /** Requests per second. */
  rate?: number | undefined;
  /** Sends nothing that moves credits or changes accounts. */
  readOnly?: boolean | undefined;
  /** Registers no account. */
  givenAccounts?: boolean | undefined;
  /** Once aborted, nothing more is sent. */
  signal?: AbortSignal;
}

/** The reason for the checks that an interrupted run leaves out. */
export const stopped = (): Unverifiable => new Unverifiable("the run was interrupted before this was judged");

/** A request, as far as it matters here; the path includes the query. */
interface Asked {
  method: string;
  path: string;
  body?: string;
}

/**
 * Keeps a run within its limits: every request asks first, and one that does not fit is not sent. Its check is then
 * unverified, with the limit as the reason.
 */
export class Allowance {
  readonly #limits: Limits;
  /** The prices of the tools that the server lists or the profile names; undefined while unknown. */
  readonly #prices: Map<string, number | undefined>;
  /** The maximum that each tool's Calls were billed. */
  readonly #billed = new Map<string, number>();
  #sent = 0;
  #spent = 0;
  #nextTurn = 0;

  /** @param tools the ids of the profile's tools */
  constructor(limits: Limits = {}, tools: readonly string[] = []) {
    this.#limits = limits;
    this.#prices = new Map(tools.map((id) => [id, undefined]));
  }

  /** The maximum that a Call of a tool was billed, else the highest price that was named; undefined while unknown. */
  costOf(toolId: string): number | undefined {
    return this.#billed.get(toolId) ?? this.#prices.get(toolId);
  }

  /** Whether the run may register accounts. */
  get mayRegister(): boolean {
    return !this.#limits.givenAccounts && !this.#limits.readOnly;
  }

  /** Whether requests are left to find out what the server has. */
  get mayExplore(): boolean {
    return this.#sent < (this.#limits.exploring ?? Infinity);
  }

  /** The requests sent so far, and the credits that they may have cost. */
  get used(): { requests: number; credits: number } {
    return { requests: this.#sent, credits: this.#spent };
  }

  /** Why no further request may be sent; null while one may. */
  get exhausted(): Unverifiable | null {
    const { maxRequests = Infinity } = this.#limits;
    if (this.#sent < maxRequests) return null;
    return new Unverifiable(`--max-requests ${maxRequests} allows no further request`);
  }

  /**
   * Counts a request, and waits for its turn when the rate is limited.
   * @throws Unverifiable when a limit does not allow it; it must then not be sent
   */
  async admit(asked: Asked): Promise<void> {
    const { budget, rate, signal } = this.#limits;
    if (signal?.aborted) throw stopped();
    const operation = operationOf(asked.method, asked.path.replace(/\?.*$/, ""));
    this.#refuseChange(asked, operation);
    const costs = operation !== null && operations[operation].changes === "credits";
    const price = costs ? this.#priceOf(asked) : 0;
    if (this.exhausted !== null) throw this.exhausted;
    if (budget !== undefined && price === undefined)
      throw new Unverifiable(`no price of ${asked.path} is known, and --budget ${budget} must be kept`);
    const total = sumOf([this.#spent, price ?? 0]);
    if (budget !== undefined && total > budget) {
      throw new Unverifiable(
        `--budget ${budget} does not allow for ${price} more credits after ${this.#spent} of them`,
      );
    }
    this.#sent += 1;
    this.#spent = total;
    if (rate !== undefined) await this.#turn(1000 / rate);
  }

  /** Learns the prices that an answer names, and counts the amount that it bills beyond the expected price. */
  learn(asked: Asked, body: unknown): void {
    if (typeof body !== "object" || body === null) return;
    const { results, quote, billing, cost } = body as Record<string, unknown>;
    if (Array.isArray(results)) for (const result of results) this.#learnPrice(result);
    const quoted = creditsOf(member(quote, "estimate_credits"));
    const billed =
      "execution_id" in body
        ? (creditsOf(member(billing, "list_amount_credits")) ?? creditsOf(cost))
        : undefined;
    const id = quoted === undefined && billed === undefined ? null : toolOf(asked);
    if (id === null) return;
    if (quoted !== undefined) this.#raise(id, quoted);
    if (billed === undefined) return;
    this.#billed.set(id, Math.max(billed, this.#billed.get(id) ?? 0));
    this.#spent = sumOf([this.#spent, Math.max(0, billed - (this.#prices.get(id) ?? 0))]);
    this.#raise(id, billed);
  }

  #refuseChange({ method, path }: Asked, operation: OperationId | null): void {
    const { readOnly, givenAccounts } = this.#limits;
    const changes = operation === null ? null : operations[operation].changes;
    if (readOnly && (operation === null ? method !== "GET" : changes !== null)) {
      throw new Unverifiable(`--read-only leaves out ${method} ${path.replace(/\?.*$/, "")}`);
    }
    if (givenAccounts && operation === "registerAnonymous") {
      throw new Unverifiable("--accounts given leaves out the registration of accounts");
    }
  }

  /** The price of a Call or a capability query; undefined when it is unknown. A tool that is not listed is free. */
  #priceOf(asked: Asked): number | undefined {
    const body = sent(asked);
    if (member(body, "capability_id") !== undefined) return creditsOf(member(body, "max_credits"));
    const id = toolOf(asked);
    return id === null || !this.#prices.has(id) ? 0 : this.#prices.get(id);
  }

  #learnPrice(result: unknown): void {
    const id = member(result, "tool_id");
    const price = creditsOf(member(member(result, "billing_rule"), "amount_credits"));
    if (typeof id !== "string") return;
    if (price !== undefined) this.#raise(id, price);
    else if (!this.#prices.has(id)) this.#prices.set(id, undefined);
  }

  /** Keeps the highest price seen: a quote depends on the parameters. */
  #raise(id: string, price: number): void {
    this.#prices.set(id, Math.max(price, this.#prices.get(id) ?? 0));
  }

  async #turn(apartMs: number): Promise<void> {
    const now = performance.now();
    const turn = Math.max(now, this.#nextTurn);
    this.#nextTurn = turn + apartMs;
    if (turn > now) await new Promise((resolve) => setTimeout(resolve, turn - now));
  }
}

const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

function sent({ body }: Asked): unknown {
  try {
    return JSON.parse(body ?? "");
  } catch {
    return undefined;
  }
}

/** The tool that a request names, in its query or its body. */
function toolOf(asked: Asked): string | null {
  const inQuery = new URLSearchParams(asked.path.split("?")[1] ?? "").get("tool_id");
  const id = inQuery ?? member(sent(asked), "tool_id");
  return typeof id === "string" ? id : null;
}
