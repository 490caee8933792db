import { encoded } from "../../base/address.ts";
import { randomBytes } from "node:crypto";
import { usualLagSeconds } from "../books/finality.ts";
import { sentJson } from "../judge/exchange.ts";
import { contractVersion, operations, type OperationId } from "../../generated/contract.ts";
import { laterPart } from "../judge/later.ts";
import { pathOf } from "../judge/operations.ts";
import { settledOf } from "../judge/rows.ts";
import { Blocked, Unverifiable } from "../judge/verdict.ts";
import { Located, type Answer } from "../judge/answer.ts";
import type { Ask, Query } from "./ask.ts";
import { whyOff, type Profile, type Use } from "./profile.ts";
import { Past, type Marker } from "./past.ts";
import { knownTool } from "./requests.ts";
import { pause, type Session, until } from "./session.ts";

export type { Ask, Query };

/** A client of the server, with or without a credential. */
export class Stranger {
  readonly session: Session;
  readonly profile: Profile;
  readonly #authorization: string | null;
  readonly label: string | null;

  constructor(
    session: Session,
    profile: Profile,
    authorization: string | null = null,
    label: string | null = null,
  ) {
    this.session = session;
    this.profile = profile;
    this.#authorization = authorization;
    this.label = label;
  }

  /**
   * Sends a request of an operation and returns the answer, whatever it is.
   * @throws Unverifiable for a request that only a later version of the contract knows
   */
  async ask(operation: OperationId, { parameter, query, body, ...how }: Ask = {}): Promise<Answer> {
    const later = laterPart(operation, { query, headers: how.headers, body });
    if (later !== null) throw new Unverifiable(`contract ${contractVersion} has no ${later}`);
    const path = pathOf(operation, parameter) + queryOf(query);
    return this.raw(operations[operation].method, path, { body, ...how });
  }

  /** Sends any method to any path below the base URL, which need not be an operation. */
  raw(
    method: string,
    path: string,
    { body, headers, impatient, at }: Pick<Ask, "body" | "headers" | "impatient" | "at"> = {},
  ): Promise<Answer> {
    const outgoing = {
      method,
      path,
      headers: {
        ...(this.#authorization === null ? {} : { authorization: this.#authorization }),
        ...headers,
      },
      account: this.label,
      ...(at !== undefined && { at }),
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    };
    return impatient ? this.session.send(outgoing) : this.session.sendPatiently(outgoing);
  }

  /** A client with another `Authorization` value; null sends none. */
  withAuthorization(authorization: string | null): Stranger {
    if (authorization !== null) {
      this.session.secrets.learn(authorization.replace(/^Bearer ?/, ""), "made-up key");
    }
    return new Stranger(this.session, this.profile, authorization, this.label);
  }

  /** A client with another bearer credential; one that no profile gives and no server issued is made up. */
  withKey(key: string): Account {
    this.session.secrets.learn(key, "made-up key");
    return new Account(this.session, this.profile, key, this.label ?? "made up");
  }
}

/** How much else an account may have done before a shared setup of checks is made again. */
const maxTracesSince = 12;

/** Maximum number of executions that an account waits for: late rows appear roughly in order. */
const maxOwed = 3;

/**
 * Whether a usage event shows how its Call ended: it may appear before that, and link to its ledger entry only after it
 * has settled to an amount.
 */
export const isSettled = (event: Located): boolean =>
  event.at("charge_outcome").present && (!settles(event) || event.at("credits_ledger_entry_id").present);

/** Whether an event is not of a model: the use of a model in an execution may have a separate event. */
export const isOfCall = (event: Located): boolean => event.at("event_type").value !== "model_call";

/** An account of the server under test: the actor of most checks. */
export class Account extends Stranger {
  readonly key: string;
  readonly #past: Past;

  /** @param past shared by all checks that use the account in turn */
  constructor(session: Session, profile: Profile, key: string, label: string, past = new Past()) {
    super(session, profile, `Bearer ${key}`, label);
    this.key = key;
    this.#past = past;
  }

  /** How many requests so far may have left an event of this account, including those of earlier checks. */
  get #traces(): number {
    return this.#past.traces + this.session.tracesOf(this.label);
  }

  /** Ends a check's use of the account. */
  leave(): void {
    this.#past.traces = this.#traces;
  }

  /**
   * A setup that checks only build on, made by the first check that needs it and shared by later ones, with its
   * exchanges; made again once the account has done much else, which their readings would include.
   */
  async once<T>(name: string, make: () => Promise<T>, maxSince = maxTracesSince): Promise<T> {
    const { made } = this.#past;
    const known = made.get(name);
    const { isPatient } = this.session.finality;
    if (known !== undefined && !isPatient && this.#traces - known.traces <= maxSince) {
      this.session.show(known.exchanges);
      return known.value as T;
    }
    const before = this.session.exchanges.length;
    const value = await make();
    made.set(name, { value, exchanges: this.session.exchanges.slice(before), traces: this.#traces });
    return value;
  }

  /** The contracts of tools that an account of this run has inspected, for checks of something else. */
  contracts(ids: readonly string[]): Promise<Located[]> {
    const inspected = async (): Promise<Located[]> =>
      usable(await this.inspect([...ids])).at("results").items;
    return this.once(`contracts of ${ids.join()}`, inspected, Infinity);
  }

  override async ask(operation: OperationId, ask: Ask = {}): Promise<Answer> {
    const answer = await super.ask(operation, ask);
    const executes = operation === "call" || operation === "queryCapability";
    const executionId = executes && answer.status === 200 ? answer.at("execution_id").value : undefined;
    if (typeof executionId === "string") {
      this.#past.owed.push(executionId);
      if (this.#past.owed.length > maxOwed) this.#past.owed.shift();
    }
    return answer;
  }

  discover(query: string | Record<string, unknown>, ask: Ask = {}): Promise<Answer> {
    return this.ask("discover", { ...ask, body: typeof query === "string" ? { query } : query });
  }

  inspect(ids: string[] | Record<string, unknown>, ask: Ask = {}): Promise<Answer> {
    return this.ask("inspect", { ...ask, body: Array.isArray(ids) ? { tool_ids: ids } : ids });
  }

  probe(toolId: string, body: Record<string, unknown> = {}, ask: Ask = {}): Promise<Answer> {
    return this.ask("probe", { ...ask, query: { tool_id: toolId, ...ask.query }, body });
  }

  /**
   * Calls a tool with the parameters of its role, in a new session that identifies its event; `more` extends or
   * overrides the body.
   */
  call(tool: Required<Use>, more: Record<string, unknown> = {}, ask: Ask = {}): Promise<Answer> {
    const session_id = `call-${randomBytes(8).toString("hex")}`;
    const body = { tool_id: tool.id, parameters: tool.parameters, session_id, ...more };
    return this.ask("call", { ...ask, body });
  }

  /** Like `call`, for a check that depends on its success. @throws Blocked when it fails */
  async succeed(tool: Required<Use>, more: Record<string, unknown> = {}): Promise<Answer> {
    const call = await this.call(tool, more);
    if (call.status === 200 && call.at("success").value === true) return call;
    throw new Blocked(`the call of ${tool.id} that this builds on did not succeed`, call.exchange);
  }

  /** Like `call`, for a check of how a provider fails. @throws Unverifiable when the account cannot pay for it */
  async attempt(tool: Required<Use>, more: Record<string, unknown> = {}): Promise<Answer> {
    const call = await this.call(tool, more);
    if (call.status !== 402) return call;
    throw new Unverifiable(`the account cannot pay for a Call of ${tool.id}`, "credentials: {account: KEY}");
  }

  usage(query: Query = {}): Promise<Answer> {
    return this.ask("listUsage", { query });
  }

  ledger(query: Query = {}): Promise<Answer> {
    return this.ask("listLedger", { query });
  }

  /** The usage events of a page. @throws Blocked when it cannot be read */
  async events(query: Query): Promise<Located[]> {
    return usable(await this.usage(query)).at("data.items").items;
  }

  /** The ledger entries of a page. @throws Blocked when it cannot be read */
  async entries(query: Query): Promise<Located[]> {
    return usable(await this.ledger(query)).at("data.items").items;
  }

  /**
   * The account's remaining credits, where the contract names the field: `remaining_credits` of Inspect, which is free,
   * or of Discover, if that is free and Inspect answers null.
   * @throws Unverifiable when the server answers null there too, as it may
   */
  async credits(): Promise<number> {
    await this.session.finality.beforeRead(this.label);
    const inspected = await this.#mark();
    if (inspected.status !== 200) throw new Blocked("remaining credits cannot be read", inspected.exchange);
    const remaining = inspected.at("remaining_credits");
    if (remaining.value !== null) return remaining.number;
    const discovered = await this.#discoveredCredits();
    if (discovered === null) {
      throw new Unverifiable("the server does not say what an account has left (remaining_credits is null)");
    }
    return discovered;
  }

  /** `remaining_credits` of Discover; null when the answer omits it or Discover is charged. */
  async #discoveredCredits(): Promise<number | null> {
    const read = async (): Promise<Located> => {
      const answer = await this.discover({ query: this.knownTool, limit: 1 });
      // Without credits, Discover may be refused.
      if (answer.status === 402) throw new Unverifiable("Discover does not say what an account has left");
      if (answer.status !== 200) throw new Blocked("remaining credits cannot be read", answer.exchange);
      return answer.at("remaining_credits");
    };
    const first = await read();
    if (first.value === null) return null;
    return (await read()).number === first.number ? first.number : null;
  }

  /**
   * The usage event of a call, polled until the profile's `audit_lag` has passed; its value may be undefined.
   * @throws Blocked when the event with its execution id belongs to another session
   */
  async usageOf(call: Answer): Promise<Located> {
    const executionId = call.at("execution_id").string;
    const [event] = await this.usageEventsOf(executionId);
    const { finality, last } = this.session;
    // A Call that failed need not leave an event.
    const isDue = event === undefined ? call.at("success").value === true : !isSettled(event);
    if (isDue) finality.missed(last);
    if (event === undefined) return new Located(undefined, "the usage event", last!);
    const sent = (sentJson(call.exchange) as { session_id?: unknown } | undefined)?.session_id;
    const shown = event.at("session_id").value;
    if (typeof sent === "string" && typeof shown === "string" && ![sent, executionId].includes(shown)) {
      throw new Blocked(
        `the event of execution ${executionId} has session ${shown}, not ${sent}`,
        event.exchange,
      );
    }
    return event;
  }

  /**
   * All usage events of the Call of an execution with details, settled if they do so within `audit_lag`; empty when none appears.
   * @throws Unverifiable when none appears or settles, and the delay of the audit is not known
   */
  async usageEventsOf(executionId: string): Promise<Located[]> {
    const read = async () =>
      (await this.events({ execution_id: executionId, include_details: true })).filter(isOfCall);
    const areSettled = (events: readonly Located[]): boolean => events.length > 0 && events.every(isSettled);
    // A server that did not settle while the lag was measured is not waited for again.
    const isKnown = this.profile.audit_lag !== undefined;
    const rows = await this.#untilFinal(read, isKnown ? areSettled : ({ length }) => length > 0);
    if (!areSettled(rows) && !isKnown) {
      const late = rows.length === 0 ? "no event appears" : "the event does not settle";
      throw new Unverifiable(`${late}, and how late the audit may be is not known`, "audit_lag: SECONDS");
    }
    if (!areSettled(rows)) this.session.finality.missed();
    return rows;
  }

  /** The ledger entries of a call, once its usage event has appeared. */
  async ledgerOf(call: Answer): Promise<Located[]> {
    const event = await this.usageOf(call);
    const mine = isEntryOf(call.at("execution_id").string, event);
    const read = async (): Promise<Located[]> => (await this.entries({ page_size: 100 })).filter(mine);
    if (!settles(event)) return read();
    const entries = await this.#untilFinal(read, ({ length }) => length > 0);
    if (entries.length === 0) this.session.finality.missed(this.session.last);
    return entries;
  }

  /** Reads until something is there. Where it does not come in time, the last reading is final. */
  async #untilFinal<T>(read: () => Promise<T>, isThere: (value: T) => boolean): Promise<T> {
    const value = await until(this.lagMs, read, isThere);
    if (isThere(value)) return value;
    await this.session.finality.quiet(this.label);
    return read();
  }

  /** An Inspect, which is free, with a new session that identifies its event. */
  async #mark(): Promise<Answer> {
    const session = `marker-${randomBytes(8).toString("hex")}`;
    const sentAt = performance.now();
    const answer = await this.inspect({ tool_ids: [this.knownTool], session_id: session });
    const searchId = answer.at("search_id").value;
    this.#past.marker = { session, searchId, sentAt, traces: this.#traces, isShown: false };
    return answer;
  }

  /** The last marker Inspect, if nothing was sent after it; else a new one. */
  async #lastMarker(): Promise<Marker> {
    if (this.#past.marker?.traces !== this.#traces) await this.#mark();
    return this.#past.marker!;
  }

  /**
   * Waits until the audit shows everything that this account has done: its newest Calls and a marker Inspect have their
   * events, settled events have their entries, and as much time again has passed. A row that is then absent is
   * considered absent for good. Where the server has no audit, only the balance can be late, and time is waited for.
   * @throws Unverifiable when the marker never appears: other rows may then be just as late or lost
   */
  async settled(): Promise<void> {
    // Each read waits by itself, so that nothing need be written to wait for.
    if (this.session.finality.isPatient) return;
    if (whyOff(this.profile, "listUsage") !== undefined) return this.session.finality.quiet(this.label);
    const marker = await this.#lastMarker();
    if (marker.isShown) return;
    const { session, searchId, sentAt } = marker;
    const owed = this.#past.owed.splice(0);
    const hasMarker = (events: readonly Located[]): boolean => {
      const inspects = events.filter((event) => event.at("event_type").value === "search_by_ids");
      // A server that shows the session of any Inspect shows that of this one.
      const showsSession = inspects.some((event) => typeof event.at("session_id").value === "string");
      const name = showsSession ? "session_id" : "search_id";
      const value = showsSession ? session : searchId;
      return typeof value === "string" && events.some((event) => event.at(name).value === value);
    };
    const read = () => this.events({ page_size: 8 + owed.length });
    const newest = await until(this.lagMs, read, hasMarker);
    if (!hasMarker(newest)) {
      throw new Unverifiable(
        "an Inspect leaves no event, so it is not known whether the audit has caught up",
      );
    }
    const entriesOf: ((entry: Located) => boolean)[] = [];
    for (const executionId of owed) {
      const there = newest.filter(
        (event) => event.at("execution_id").value === executionId && isOfCall(event) && isSettled(event),
      );
      const [event] = there.length > 0 ? there : await this.usageEventsOf(executionId);
      if (event !== undefined && settles(event)) entriesOf.push(isEntryOf(executionId, event));
    }
    if (entriesOf.length > 0) {
      await until(
        this.lagMs,
        () => this.entries({ page_size: 8 + entriesOf.length }),
        (entries) => entriesOf.every((mine) => entries.some(mine)),
      );
    }
    await pause(Math.min(performance.now() - sentAt, this.lagMs));
    marker.isShown = true;
  }

  /** The ids of the usage events of type `tool_execute`, newest first, once the audit is up to date. */
  async calls(): Promise<unknown[]> {
    await this.settled();
    const events = await this.events({ event_type: "tool_execute", page_size: 100 });
    return events.map((event) => event.at("id").value);
  }

  /** The id of a tool that the server is known to have, if the profile names one. */
  get knownTool(): string {
    return knownTool(this.profile) ?? "unknown";
  }

  /** The time within which usage and ledger rows appear, in milliseconds: none where each read waits for it. */
  get lagMs(): number {
    if (this.session.finality.isPatient) return 0;
    return 1000 * (this.profile.audit_lag ?? usualLagSeconds);
  }
}

/** Whether a usage event settled to an amount, so that the ledger must have an entry for it. */
export const settles = (event: Located): boolean => (settledOf(event) ?? 0) > 0;

/** Whether a ledger entry belongs to an execution, by its own field or by the event's link. */
export const isEntryOf =
  (executionId: string, event: Located) =>
  (entry: Located): boolean => {
    const linked = event.at("credits_ledger_entry_id");
    return (
      entry.at("execution_id").value === executionId ||
      (linked.present && String(entry.at("id").value) === String(linked.value))
    );
  };

/** The answer if it is a 200. @throws Blocked when it is not */
export function usable(answer: Answer): Answer {
  if (answer.status === 200) return answer;
  throw new Blocked(
    `${answer.exchange.request.method} ${answer.exchange.request.url} answered ${answer.status}`,
    answer.exchange,
  );
}

function queryOf(query: Query | undefined): string {
  const parameters = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  if (parameters.length === 0) return "";
  return `?${parameters.map(([name, value]) => `${encoded(name)}=${encoded(String(value))}`).join("&")}`;
}
