import type { IncomingMessage, ServerResponse } from "node:http";
import { basePath, type OperationId } from "../../generated/contract.ts";
import type { Strike } from "../../reference-server/chaos/strike.ts";
import type { Exchange, Headers } from "../judge/exchange.ts";
import { paidCallOf, type SentCall } from "../judge/memory.ts";
import { moment } from "../judge/moment.ts";
import { operationOf } from "../judge/operations.ts";
import { isFields } from "../judge/seen.ts";
import { Masking, type Unmasked } from "../traffic/masking.ts";
import type { Oddity } from "./oddities.ts";
import type { Written } from "./recorder.ts";

/** The operations that may consume credits. */
export const calls: readonly (OperationId | null)[] = ["call", "queryCapability"];

/** How long the server may work on a request whose client has left, in ms. */
const longestMs = 10_000;

/** A fault, and the requests that meet it. */
export interface Planned {
  on: readonly (OperationId | null)[];
  strike: Strike;
  /** Only requests after the Call of the plan's place count. */
  afterCall?: boolean;
  /** The number of requests that meet it; 1 by default. */
  times?: number;
}

/** What a run of a client meets, and where. */
export interface TrialPlan {
  name: string;
  /** The ordinal, from 1, of the Call at which faults strike and around which answers are odd; null for all of them. */
  call: number | null;
  planned: readonly Planned[];
  oddity: Oddity | null;
}

/** How a client's command ended. */
export interface Ended {
  /** Null when it did not end by itself. */
  status: number | null;
  /** The end of its output. */
  output: string;
  /** The last lines of its standard error. */
  errors?: string[];
  durationMs: number;
}

/** Runs the client once. */
export type Run = (environment: { baseUrl: string; key: string; caFile: string }) => Promise<Ended>;

/** A Call or a capability query that a client sent. */
export interface Called extends SentCall {
  /** Its place among the trial's exchanges. */
  index: number;
  startedAt: number;
  /** When its answer was written, or the client left. */
  endedAt: number;
  /** Null when it was not executed. */
  executionId: string | null;
  /** Its cost by the books. */
  credits: number;
  /** The client could learn the outcome from the answer. */
  isKnown: boolean;
  /** It met the fault of the plan. */
  isStruck: boolean;
}

/** One request on its way. */
export interface Passing {
  strike: Strike | null;
  operation: OperationId | null;
  oddity: ReturnType<Oddity> | null;
  /** The answer differs as the plan says. */
  meet(): void;
  /** Gives the server's own answer, before any fault; `done` when it was written. */
  tap(own: () => Written): void;
  done(): void;
  /** The answer was written: from now on its client may send the next request. */
  written(): void;
  /** The answer was written, or its connection was closed. */
  closed(isWhole: boolean): void;
}

/** One run of a client: what it sent, what it received, and what the books say. */
export class Trial {
  readonly plan: TrialPlan;
  baseUrl = "";
  ended: Ended = { status: null, output: "", durationMs: 0 };
  /** Whether the client met any part of the plan. */
  met = false;
  /** As the client saw them, in the order of the requests. */
  readonly exchanges: Exchange[] = [];
  readonly calls: Called[] = [];
  /** The credits missing from the balance of the trial's account at the end. */
  spent = 0;
  /** Places of the exchanges that met the fault or the oddity. */
  readonly struck: number[] = [];
  /** Places of those that met a fault. */
  readonly #faulty = new Set<number>();
  readonly #own = new Map<number, () => Written>();
  readonly #files = new Set<string>();
  readonly #masking = new Masking();
  readonly #left: Map<Planned, number>;
  readonly #oddity: ReturnType<Oddity> | null;
  #records: { unmasked: Unmasked; strike: Strike | null; isWhole: boolean }[] = [];
  #calls = 0;
  #hasLeft = false;
  #hasDownloaded = false;
  #pending = 0;
  #idle = (): void => undefined;

  constructor(plan: TrialPlan) {
    this.plan = plan;
    this.#left = new Map(plan.planned.map((call) => [call, call.times ?? 1]));
    this.#oddity = plan.oddity?.() ?? null;
  }

  /** How results of Calls differ now. */
  get result(): "large" | "expired" | undefined {
    return this.#isNear("call") ? this.#oddity?.result : undefined;
  }

  /** The operations of the first fault that no request met; null when each was met. */
  get missed(): Planned["on"] | null {
    return [...this.#left].find(([planned, left]) => left === (planned.times ?? 1))?.[0].on ?? null;
  }

  /** A request arrives. @param sent, written what was read and written so far */
  begin(request: IncomingMessage, sent: () => string, written: () => Written): Passing {
    const { method = "GET", url = "/" } = request;
    const path = url.replace(/\?.*$/s, "");
    const within = path.startsWith(basePath) ? path.slice(basePath.length) : null;
    const operation = within === null ? null : operationOf(method, within);
    if (calls.includes(operation)) this.#calls += 1;
    const strike = this.#strikeOn(operation);
    const { at, since } = moment();
    const index = this.#records.length;
    let took: number | null = null;
    this.#pending += 1;
    const unmasked: Unmasked = {
      operation,
      started_at: at,
      duration_ms: 0,
      request: {
        method,
        url: this.baseUrl.replace(basePath, "") + url,
        headers: headersOf(request),
        body: null,
      },
      response: null,
      error: "no answer arrived",
    };
    this.#records.push({ unmasked, strike, isWhole: false });
    const meet = (): void => {
      this.met = true;
      this.struck.push(index);
    };
    if (strike !== null) {
      meet();
      this.#faulty.add(index);
    }
    return {
      meet,
      strike,
      operation,
      oddity: this.#isNear(operation) ? this.#oddity : null,
      tap: (own) => {
        this.#own.set(index, own);
        this.#pending += 1;
      },
      done: () => this.#end(),
      written: () => void (took = performance.now() - since),
      closed: (isWhole) => {
        const { body, ...head } = written();
        unmasked.duration_ms = Math.floor(took ?? performance.now() - since);
        unmasked.request.body = sent() || null;
        if (isWhole) Object.assign(unmasked, { response: { ...head, body }, error: null });
        this.#records[index]!.isWhole = isWhole;
        for (const [address] of body.matchAll(/\/results\/[\w-]+\.[a-z]+/g)) this.#files.add(address);
        this.#end();
      },
    };
  }

  #end(): void {
    this.#pending -= 1;
    this.#idle();
  }

  /** Requests that the client did not await, although they met no fault. */
  get abandoned(): number {
    return this.exchanges.filter(
      ({ operation, response }, index) => operation !== null && response === null && !this.#faulty.has(index),
    ).length;
  }

  /** Whether an address of the object storage belongs to a result of this trial. */
  owns(url: string): boolean {
    return this.#files.has(url.replace(/\?.*$/s, ""));
  }

  /** A connection to the object storage ended without a request. */
  leave(): void {
    this.#hasLeft = true;
  }

  /** Whether the client left the object storage, and downloaded nothing: it distrusts the authority of the trial. */
  get isDistrustful(): boolean {
    return this.#oddity?.result !== undefined && this.#hasLeft && !this.#hasDownloaded;
  }

  /** Records the download of a result. */
  download(request: IncomingMessage, response: ServerResponse, origin: string): void {
    this.#hasDownloaded = true;
    const unmasked: Unmasked = {
      operation: null,
      started_at: Date.now(),
      duration_ms: 0,
      request: {
        method: request.method ?? "GET",
        url: origin + request.url!,
        headers: headersOf(request),
        body: null,
      },
      response: null,
      error: null,
    };
    this.#records.push({ unmasked, strike: null, isWhole: true });
    response.on("close", () => {
      unmasked.response = { status: response.statusCode, headers: {}, body: "" };
    });
  }

  /**
   * Resolves when the server has answered every request, although its client may have left; after a while also if the
   * server stopped because the client left.
   */
  async settled(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, longestMs);
      this.#idle = () => {
        if (this.#pending > 0) return;
        clearTimeout(timer);
        resolve();
      };
      this.#idle();
    });
  }

  /** The executions that the server began, whether their client knows or not. */
  executions(): string[] {
    return [...this.#own.keys()].flatMap((index) => this.#executionOf(index) ?? []);
  }

  /** Takes what the books say: credits by execution. */
  settle(charges: ReadonlyMap<string, number>): void {
    for (const [index, { unmasked, strike, isWhole }] of this.#records.entries()) {
      const exchange = this.#masking.mask(unmasked);
      this.exchanges.push(exchange);
      const sent = paidCallOf(exchange);
      if (sent === null) continue;
      const executionId = this.#executionOf(index);
      const status = exchange.response?.status ?? 0;
      this.calls.push({
        ...sent,
        index,
        startedAt: exchange.started_at,
        endedAt: Math.floor(exchange.started_at + exchange.duration_ms),
        executionId,
        credits: executionId === null ? 0 : (charges.get(executionId) ?? 0),
        isKnown: isWhole && status < 500 && status !== 408,
        isStruck: strike !== null,
      });
    }
    this.#records = [];
  }

  #executionOf(index: number): string | null {
    const record = this.#records[index]?.unmasked;
    if (record === undefined || !calls.includes(record.operation)) return null;
    const own = this.#own.get(index)?.();
    if (own?.status !== 200) return null;
    const body: unknown = JSON.parse(own.body);
    return isFields(body) && typeof body["execution_id"] === "string" ? body["execution_id"] : null;
  }

  /** The first fault of the plan that this request meets. */
  #strikeOn(operation: OperationId | null): Strike | null {
    const { call } = this.plan;
    for (const [planned, left] of this.#left) {
      const isPlace =
        calls.includes(operation) && !planned.afterCall && call !== null ? this.#calls === call : true;
      const isAfter = !planned.afterCall || (call !== null && this.#calls >= call);
      if (left === 0 || !planned.on.includes(operation) || !isPlace || !isAfter) continue;
      this.#left.set(planned, left - 1);
      return planned.strike;
    }
    return null;
  }

  /**
   * Whether a request is at the place of the plan: its Call, or what comes before or after that Call; or later, if the
   * change lasts.
   */
  #isNear(operation: OperationId | null): boolean {
    const { call } = this.plan;
    if (call === null || this.#calls === call) return true;
    if (this.#calls === call - 1) return !calls.includes(operation);
    return this.#oddity?.lasts === true && this.#calls > call;
  }
}

const headersOf = ({ headers }: IncomingMessage): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
