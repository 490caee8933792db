import type { Exchange } from "../../../conformance/judge/exchange.ts";
import { Unreachable } from "../../../base/exit.ts";
import { operationOf } from "../../../conformance/judge/operations.ts";
import type { Secrets } from "../../../conformance/server/secrets.ts";
import { hostileBodies, hostileFields, type Fields } from "./corpora.ts";
import type { Input } from "./requests.ts";
import type net from "node:net";
import { isEndless, Line, NoAnswer, type RawAnswer, type RawRequest } from "./wire.ts";

/** How long a server may be silent: longer than any machine is busy with its other work. */
const deadlineMs = 120_000;
/** Connections of a lane that are held open; beyond them, the oldest is closed. */
const maxHeld = 60;

/** An account of a lane, with ids that belong to it. */
interface Actor {
  key: string;
  ids: Readonly<Record<string, string>>;
  /** The executions that were answered, and requests whose answers were not read. */
  answered: Set<string>;
  unread: number;
}

export interface LaneOptions {
  /** The key of an account, for a server that does not allow registration. */
  key: string | null;
  /** Requests after which it switches to a new account. */
  requestsPerAccount: number;
  /** Events of an account before its first request, each as large as the server keeps it. */
  events: number;
}

/** A refusal that costs nothing and is kept with as much text as allowed. */
const longEvent = {
  capability_id: "market.quote",
  session_id: "漢".repeat(256),
  search_id: "漢".repeat(256),
  parameters: Object.fromEntries(Array.from({ length: 9 }, (_, n) => ["漢".repeat(239) + n, 1])),
};

/**
 * Whether a request can be parsed at all. If not, the HTTP layer answers it, no operation sees it, and only the rules
 * for every answer apply to it.
 */
const isHttp = ({ target, fields, ends }: RawRequest): boolean =>
  !ends &&
  /^[\x21-\x7e]+$/.test(target) &&
  fields.every(
    ([name, value]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
  );

/** The decoded form of a compressed body; undefined for a body that is not compressed. */
const meaningOf = ({ body }: Input): string | undefined =>
  body !== null && "hostile" in body ? hostileBodies[body.hostile]!.meaning : undefined;

/** Decodes a body as servers do: without the byte order mark, with invalid UTF-8 replaced. */
const decoded = new TextDecoder("utf-8");

const nobodysKey = "nobody-has-this-key-0000000000000000";

/** One client that sends inputs one after the other, using accounts that it registers. */
export class Lane {
  readonly #line: Line;
  readonly #baseUrl: string;
  readonly #secrets: Secrets;
  readonly #options: LaneOptions;
  readonly #held: net.Socket[] = [];
  readonly #actors: Actor[] = [];
  #actor: Actor | null = null;
  #sent = 0;

  constructor(baseUrl: string, secrets: Secrets, options: LaneOptions) {
    this.#baseUrl = baseUrl;
    this.#line = new Line(baseUrl, deadlineMs);
    this.#secrets = secrets;
    this.#options = options;
  }

  /** Sends an input and returns the exchange with secrets masked; null if no answer was due. */
  async send(input: Input): Promise<Exchange | null> {
    if (this.#actor === null || this.#sent % this.#options.requestsPerAccount === 0) {
      this.#actor = await this.#open();
    }
    this.#sent += 1;
    const request = this.#requestOf(input, this.#actor);
    if (input.copies > 1 || isEndless(input.delivery)) {
      await this.#hold(request, input.copies);
      return null;
    }
    const startedAt = Date.now();
    let answer: RawAnswer | null = null;
    let error: string | null = null;
    try {
      answer = await this.#line.send(request);
    } catch (failure) {
      error = failure instanceof Error ? failure.message : String(failure);
      if (!(failure instanceof NoAnswer)) error = `the connection failed: ${error}`;
    }
    if (answer !== null) this.#learnFrom(answer.body);
    else if (request.ends) return null;
    const execution = /^\{[^{]*"execution_id":"([^"]+)"/.exec(answer?.body ?? "")?.[1];
    if (execution !== undefined) this.#actor.answered.add(execution);
    return this.#exchange(request, answer, error, startedAt, meaningOf(input));
  }

  /** Sends copies of a request without waiting for their answers. */
  async #hold(request: RawRequest, copies: number): Promise<void> {
    this.#actor!.unread += copies;
    for (let copy = 0; copy < copies; copy += 1) {
      // A server that refuses connections while there are too many may do so.
      const socket = await this.#line.begin(request).catch(() => null);
      if (socket !== null && this.#held.push(socket) > maxHeld) this.#held.shift()!.destroy();
    }
  }

  /** The executions of its accounts that were charged without an answer although the client waited for one. */
  async chargedUnanswered(): Promise<string[]> {
    const found: string[] = [];
    for (const actor of this.#actors) {
      this.#actor = actor;
      const path = "/auth/credits/ledger?page_size=500&entry_type=consume_tool_execute";
      const list = (await this.ask("GET", path))?.["data"] as
        { items: { execution_id: string }[] } | undefined;
      const unanswered = (list?.items ?? []).filter(({ execution_id: id }) => !actor.answered.has(id));
      found.push(...unanswered.slice(actor.unread).map(({ execution_id: id }) => id));
    }
    return found;
  }

  /**
   * Sends a request that is not an input of the run. Returns the JSON of its answer, or null unless the status is 200.
   */
  async ask(method: string, path: string, body?: object): Promise<Record<string, unknown> | null> {
    const fields: Fields = this.#actor === null ? [] : [["Authorization", `Bearer ${this.#actor.key}`]];
    const request: RawRequest = {
      method,
      target: new URL(this.#baseUrl).pathname.replace(/\/$/, "") + path,
      fields: [...fields, ["Content-Type", "application/json"]],
      body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
      delivery: "whole",
      ends: false,
    };
    let answer: RawAnswer;
    try {
      answer = await this.#line.send(request);
    } catch (error) {
      throw new Unreachable(
        `${this.#baseUrl} does not answer: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    if (answer.status !== 200) return null;
    this.#learnFrom(answer.body);
    return JSON.parse(answer.body) as Record<string, unknown>;
  }

  /** Closes the connections that it holds open. */
  release(): void {
    for (const socket of this.#held) socket.destroy();
  }

  close(): void {
    this.#line.close();
    this.release();
  }

  /** Ensures that there is an account to send requests as. */
  async open(): Promise<void> {
    this.#actor ??= await this.#open();
  }

  /** An account with a past search and call; the previous account, if the server does not allow registration. */
  async #open(): Promise<Actor> {
    const before = this.#actor;
    this.#actor = null;
    const { key: givenKey, events } = this.#options;
    const opened = givenKey === null ? await this.ask("POST", "/agent/anonymous-register", {}) : null;
    const { api_key: key = givenKey, claim_code: claim } = (opened?.["data"] ?? {}) as {
      api_key?: string;
      claim_code?: string;
    };
    if (key === null) {
      if (before !== null) return before;
      throw new Unreachable("no account can be registered at the server: give one with --key");
    }
    this.#secrets.learn(key, "key");
    const counts = { answered: new Set<string>(), unread: 0 };
    this.#actor = { key, ids: {}, ...counts };
    for (let event = 0; event < events; event += 1) await this.ask("POST", "/capabilities/query", longEvent);
    const found = await this.ask("POST", "/search", { query: "weather", limit: 5, session_id: "s-1" });
    const [tool] = (found?.["results"] ?? []) as {
      tool_id: string;
      examples?: { sample_parameters?: object };
    }[];
    const called =
      tool &&
      (await this.ask("POST", "/tools/execute", {
        tool_id: tool.tool_id,
        parameters: tool.examples?.sample_parameters ?? {},
        session_id: "s-1",
      }));
    const firstOf = async (path: string): Promise<string> => {
      const list = (await this.ask("GET", path))?.["data"] as { items?: { id: string }[] } | undefined;
      return list?.items?.[0]?.id ?? "none";
    };
    const actor = {
      key,
      ...counts,
      ids: {
        claim: claim ?? "none",
        search: String(found?.["search_id"] ?? "none"),
        execution: String(called?.["execution_id"] ?? "none"),
        event: await firstOf("/auth/usage/history/v2"),
        entry: await firstOf("/auth/credits/ledger"),
      },
    };
    if (typeof called?.["execution_id"] === "string") actor.answered.add(called["execution_id"]);
    this.#actors.push(actor);
    return actor;
  }

  #requestOf({ who, method, target, body, fields, delivery }: Input, { key, ids }: Actor): RawRequest {
    const filled = (text: string): string =>
      text.replaceAll(/\{(event|entry|execution|search|claim)\}/g, (_, name: string) => ids[name] ?? "none");
    const hostile = body !== null && "hostile" in body ? hostileBodies[body.hostile]! : null;
    const more = fields === null ? [] : hostileFields[fields]!;
    const replaced = new Set([...more, ...(hostile?.fields ?? [])].map(([name]) => name.toLowerCase()));
    const usual: Fields = [
      ...(who === "nobody" ? [] : [["Authorization", `Bearer ${who === "own" ? key : nobodysKey}`] as const]),
      ...(body === null ? [] : [["Content-Type", "application/json"] as const]),
    ];
    const content =
      hostile?.bytes() ?? (body === null ? null : Buffer.from(filled((body as { json: string }).json)));
    const framed = more.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
    return {
      method,
      target: new URL(this.#baseUrl).pathname.replace(/\/$/, "") + filled(target),
      fields: [
        ...usual.filter(([name]) => !replaced.has(name.toLowerCase())),
        ...(hostile?.fields ?? []),
        ...more,
      ],
      body: content,
      delivery: content === null && !(delivery === "dripped" || isEndless(delivery)) ? "whole" : delivery,
      ends: framed || (delivery === "short" && content !== null),
    };
  }

  #exchange(
    request: RawRequest,
    answer: RawAnswer | null,
    error: string | null,
    startedAt: number,
    meaning?: string,
  ): Exchange {
    const mask = (text: string): string => this.#secrets.mask(text);
    const masked = (headers: Record<string, string>): Record<string, string> =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, mask(value)]));
    const path = new URL(this.#baseUrl).pathname.replace(/\/$/, "");
    const below = request.target.slice(path.length).replace(/\?.*$/s, "");
    return {
      operation: isHttp(request) ? operationOf(request.method, below) : null,
      account: null,
      started_at: startedAt,
      duration_ms: Date.now() - startedAt,
      request: {
        method: request.method,
        url: mask(new URL(this.#baseUrl).origin + request.target),
        headers: masked(
          Object.fromEntries(request.fields.map(([name, value]) => [name.toLowerCase(), value])),
        ),
        body: request.body === null ? null : mask(meaning ?? decoded.decode(request.body)),
      },
      response: answer && { ...answer, headers: masked(answer.headers), body: mask(answer.body) },
      error,
    };
  }

  #learnFrom(text: string): void {
    if (!text.includes('"api_key"')) return;
    try {
      this.#secrets.learnFrom(JSON.parse(text));
    } catch {
      // The schema reports that it is not JSON.
    }
  }
}
