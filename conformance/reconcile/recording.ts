import { callOf } from "../judge/memory.ts";
import { jsonOf } from "../judge/exchange.ts";
import { costOf, type Row } from "../judge/rows.ts";
import { isFields } from "../judge/seen.ts";
import { creditsOf, sumOf } from "../judge/credits.ts";
import { condition } from "../judge/fact.ts";
import { factOf } from "../judge/rule.ts";
import { usable, type Account } from "../server/account.ts";
import type { Anomaly, Find } from "../books/pairs.ts";
import { isOfCall } from "../books/writes.ts";
import { rulesOfCall, type Answered } from "../suite/usage/rows-agree.crossing.ts";
import { recordedIn } from "../traffic/har.ts";
import { withOperation } from "../traffic/har-entry.ts";
import type { Window } from "./slices.ts";

/** What a recording of one's own traffic and the books say together. */
export interface Seen {
  /** Calls of the recording that were answered, and those of them that the books hold. */
  calls: number;
  found: number;
  /** Calls whose answer did not arrive; those that were still charged, and for how much. */
  lost: number;
  lost_charged: number;
  lost_credits: number;
}

/** What has been checked so far, as JSON. */
export interface RecordedState {
  taken: string[];
  lost: Record<string, number>;
}

interface Call extends Answered {
  startedAt: number;
  /** Whether it shows the key of the account: without credentials it may be another account's. */
  isOwn: boolean;
  /** "A usage event is expected for each charged Call": what it cost by its answer; undefined where that shows nothing. */
  cost: number | undefined;
}

/** The Calls of a recording, by execution, to be checked against usage events. */
export class Recorded {
  readonly #answered = new Map<string, Call>();
  /** Sessions and tools of the Calls whose answer was lost, with what their events settled. */
  readonly #lost = new Map<string, number | null>();
  readonly #taken = new Set<string>();

  /**
   * Reads the Calls of one key in a recording; all Calls if it shows no credentials.
   * @throws WrongUse when the file is not a recording
   */
  static async read(file: string, baseUrl: string, key: string): Promise<Recorded> {
    const recorded = new Recorded();
    for await (const { exchange: found, missing, isCut } of recordedIn(file)) {
      const exchange = withOperation(found, baseUrl);
      if (exchange.operation !== "call" && exchange.operation !== "queryCapability") continue;
      const { authorization } = exchange.request.headers;
      if (authorization !== undefined && authorization !== `Bearer ${key}`) continue;
      const sent = callOf({ ...exchange, account: null });
      const body = jsonOf(exchange);
      if (exchange.response === null || isCut) {
        if (sent?.session) recorded.#lost.set(lostBy(sent.session, sent.tool), null);
        continue;
      }
      if (missing.has("body") || exchange.response.status !== 200 || !isFields(body)) continue;
      const { execution_id: id, success, billing, credits_used: used, cost } = body;
      if (typeof id !== "string" || id === "") continue;
      recorded.#answered.set(id, {
        sent,
        body: { success, billing },
        startedAt: exchange.started_at,
        isOwn: authorization !== undefined,
        cost: creditsOf(used ?? cost),
      });
    }
    return recorded;
  }

  get seen(): Seen {
    const charged = [...this.#lost.values()].filter((credits) => credits !== null && credits > 0) as number[];
    return {
      calls: this.#answered.size,
      found: this.#taken.size,
      lost: this.#lost.size,
      lost_charged: charged.length,
      lost_credits: sumOf(charged),
    };
  }

  get state(): RecordedState {
    const lost = [...this.#lost].flatMap(([by, credits]) =>
      credits === null ? [] : [[by, credits] as const],
    );
    return { taken: [...this.#taken], lost: Object.fromEntries(lost) };
  }

  restore({ taken, lost }: RecordedState): void {
    for (const id of taken) if (this.#answered.has(id)) this.#taken.add(id);
    for (const [by, credits] of Object.entries(lost)) if (this.#lost.has(by)) this.#lost.set(by, credits);
  }

  /** Checks a usage event against the Call that its client saw. */
  take(event: Row, find: Find): void {
    if (!isOfCall(event)) return;
    const by = lostBy(event["session_id"], event["tool_id"]);
    if (this.#lost.has(by)) this.#lost.set(by, costOf(event));
    const call = this.#answered.get(String(event["execution_id"]));
    if (call === undefined) return;
    this.#taken.add(String(event["execution_id"]));
    for (const { clause, title, judge } of rulesOfCall) {
      const judgement = judge(event, call);
      if (judgement === null || judgement === true) continue;
      find({ name: "answered-otherwise", clauses: [clause], title, fact: factOf(judgement), event });
    }
  }

  /**
   * Reports the charged Calls of the window that no event of the account names.
   * @returns why some may lack one; null where none may
   */
  async end(account: Account, window: Window, find: Find): Promise<string | null> {
    let strange = 0;
    for (const [id, call] of this.#answered) {
      if (this.#taken.has(id) || !isDue(call, window)) continue;
      const events = usable(await account.usage({ execution_id: id, page_size: 1 })).at("data.items").items;
      if (events.length > 0) this.#taken.add(id);
      else if (call.isOwn) find(withoutEvent(id, call));
      else strange += 1;
    }
    return strange === 0
      ? null
      : `${strange} Calls without an event show no credentials, and may be another account's; keep the header Authorization in the recording`;
  }
}

/** Whether the books must hold a Call: it succeeded in the window, and its answer does not say that it is free. */
const isDue = ({ body, cost, startedAt }: Call, { start, end }: Window): boolean =>
  body["success"] === true && startedAt > start && startedAt < end && (cost === undefined || cost > 0);

function withoutEvent(id: string, { sent }: Call): Anomaly {
  const { session, search, tool } = sent ?? { session: null, search: null, tool: null };
  return {
    name: "call-without-event",
    clauses: ["BILL-11"],
    title: "a Call that was answered has no usage event",
    fact: condition("one usage event", "none", { kind: "row" }),
    event: { execution_id: id, session_id: session, search_id: search, tool_id: tool },
  };
}

const lostBy = (session: unknown, tool: unknown): string => `${String(session)} ${String(tool)}`;
