import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Exchange } from "../judge/exchange.ts";
import { operations, responseHeaders, type OperationId } from "../../generated/contract.ts";
import type { Missing } from "../judge/missing.ts";
import { operationOf } from "../judge/operations.ts";
import { seenOf } from "../judge/seen.ts";
import { WrongUse } from "../../base/exit.ts";
import { recordedOf, withOperation, type Recorded } from "./har-entry.ts";
import { entriesIn } from "./har-file.ts";
import { Masking } from "./masking.ts";

/** An exchange of a recording, ordered by its end. */
export interface Traffic {
  exchange: Exchange;
  /** What the recording omits of it: rules that need it do not apply. */
  missing: Missing;
  /** The answer broke off, so that its client does not know the outcome. */
  isCut?: boolean;
  /** Its beginning and end may be off by this, in ms; infinite where only the order is known. */
  doubtMs?: number;
}

/** What is known of a recording as a whole. */
export interface Survey {
  /** The base URL of the server in it. */
  baseUrl: string;
  /** The contract version that the server announces; undefined when it announces none. */
  announced: string | undefined;
  /** Number of entries. */
  entries: number;
  /** Entries that cannot be judged, by reason. */
  skipped: ReadonlyMap<string, number>;
  /** The resolution of its times, in ms; infinite where they are not those of the requests. */
  resolutionMs: number;
}

/** Maximum number of entries, and of their characters, buffered for sorting by their end. */
const maxWaiting = { entries: 500, characters: 16 * 1024 * 1024 };

/** The entries of a recording as exchanges. @param skip counts an entry that cannot be judged @throws WrongUse */
export async function* recordedIn(
  file: string,
  baseUrl?: string,
  skip: (reason: string) => void = () => undefined,
): AsyncGenerator<Recorded> {
  const attached = (name: string): Buffer | null => {
    try {
      return readFileSync(join(dirname(file), basename(name)));
    } catch {
      return null;
    }
  };
  for await (const { value, cut } of entriesIn(file, baseUrl)) {
    const recorded = recordedOf(value, attached);
    if (typeof recorded === "string") skip(recorded);
    else if (cut) yield { ...recorded, missing: new Set([...recorded.missing, "sent", "body"]) };
    else yield recorded;
  }
}

/**
 * Reads a recording once, to know its server: the one under whose address requests of the contract got answers of this
 * API.
 * @param given the base URL, if it is known
 * @throws WrongUse when there is no server of this API, or several
 */
export async function surveyOf(file: string, given?: string): Promise<Survey> {
  const candidates = new Map<string, Candidate>();
  const skipped = new Map<string, number>();
  const times = new Set<number>();
  let isWhole = true;
  let entries = 0;
  const skip = (reason: string): void => void skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
  for await (const { exchange } of recordedIn(file, given, skip)) {
    entries += 1;
    const { started_at: at } = exchange;
    if (times.size < 2 && !Number.isNaN(at)) times.add(at);
    isWhole &&= Number.isNaN(at) || at % 1000 === 0;
    consider(candidates, exchange, given === undefined ? null : originOf(given));
  }
  const total = entries + [...skipped.values()].reduce((sum, count) => sum + count, 0);
  const baseUrl = given === undefined ? likelyIn(file, candidates, total, skipped) : originOf(given);
  return {
    baseUrl,
    announced: candidates.get(baseUrl)?.announced,
    entries: total,
    skipped,
    // Insomnia dates every request at its export.
    resolutionMs: entries > 1 && times.size < 2 ? Infinity : isWhole ? 1000 : 0,
  };
}

interface Candidate {
  matching: number;
  recognised: number;
  announced: string | undefined;
}

const versionHeader = responseHeaders.apiVersion.toLowerCase();

function consider(
  candidates: Map<string, Candidate>,
  exchange: Recorded["exchange"],
  given: string | null,
): void {
  const { request, response } = exchange;
  const base = baseOf(request.method, request.url, given);
  if (base === null || (!candidates.has(base.url) && candidates.size >= 100)) return;
  const candidate = candidates.get(base.url) ?? { matching: 0, recognised: 0, announced: undefined };
  candidates.set(base.url, candidate);
  candidate.matching += 1;
  candidate.announced ??= response?.headers[versionHeader];
  const seen = seenOf({ ...exchange, operation: base.operation, account: null });
  if (seen?.recognised || seen?.headers[versionHeader] !== undefined) candidate.recognised += 1;
}

function likelyIn(
  file: string,
  candidates: ReadonlyMap<string, Candidate>,
  entries: number,
  skipped: Survey["skipped"],
): string {
  const recognised = [...candidates].filter(([, count]) => count.recognised > 0);
  const likely = recognised.length > 0 ? recognised : [...candidates];
  if (likely.length === 1) return likely[0]![0];
  if (likely.length === 0) {
    const left = skipped.size === 0 ? "" : ` (of ${entries} entries, ${inReasons(skipped)} cannot be judged)`;
    throw new WrongUse(
      `${file} holds no request of this API${left}; if its address is unusual, give it with --base-url`,
    );
  }
  const listed = likely.map(([url, { matching }]) => `${url} (${matching} requests)`).join(", ");
  throw new WrongUse(`${file} holds requests to several servers: choose one with --base-url: ${listed}`);
}

/** Counts by reason in words, as in "2 never sent, 1 WebSockets". */
export const inReasons = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([reason, count]) => `${count} ${reason}`).join(", ");

/** A base URL as it is compared: as URL parsers write it, without a slash at its end. */
const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).href : url).replace(/\/+$/, "");

const paths = Object.values(operations).map(({ path }) =>
  path.replace(/\{[^}]+\}/, "[^/?#]+").replaceAll("/", "\\/"),
);
const anyOperation = new RegExp(`^(https?:\\/\\/[^?#]*?\\/api\\/v1)((?:${paths.join("|")}))(?:[?#]|$)`);

/** The base URL and operation of a request, if it is one of the contract. */
function baseOf(
  method: string,
  address: string,
  given: string | null,
): { url: string; operation: OperationId } | null {
  const [, url, path] =
    given === null
      ? (anyOperation.exec(address) ?? [])
      : address.startsWith(`${given}/`)
        ? [address, given, address.slice(given.length).replace(/[?#].*$/s, "")]
        : [];
  const operation = url === undefined ? null : operationOf(method, path!);
  return operation === null ? null : { url: url!, operation };
}

/** The exchanges of a recording, secrets masked, ordered by their end; buffers a few hundred of them. */
export async function* readHar(file: string, survey: Survey): AsyncGenerator<Traffic> {
  const masking = new Masking();
  const order = new Order(survey.resolutionMs);
  for await (const recorded of recordedIn(file, survey.baseUrl)) {
    const exchange = withOperation(recorded.exchange, survey.baseUrl);
    for (const next of order.put({ ...recorded, exchange })) yield masked(next, masking, survey);
  }
  for (const next of order.rest()) yield masked(next, masking, survey);
}

const masked = (
  { exchange, missing, isCut, doubtMs }: Waiting,
  masking: Masking,
  { resolutionMs }: Survey,
): Traffic => ({
  exchange: masking.mask(exchange),
  // Times that are not those of the requests say nothing of the day either.
  missing: resolutionMs === Infinity ? new Set([...missing, "clock"]) : missing,
  isCut,
  doubtMs,
});

type Waiting = Recorded & { ended: number; doubtMs: number; size: number };

/**
 * Puts exchanges into the order of their ends. Where times are too coarse to tell, the order of the file is kept, and each
 * exchange begins after the one before it.
 */
class Order {
  readonly #resolutionMs: number;
  readonly #waiting: Waiting[] = [];
  #characters = 0;
  #latestStart = 0;
  #latestEnd = 0;

  constructor(resolutionMs: number) {
    this.#resolutionMs = resolutionMs;
  }

  *put(recorded: Recorded): Generator<Waiting> {
    const entry = this.#timed(recorded);
    const waiting = this.#waiting;
    let place = waiting.length;
    while (place > 0 && waiting[place - 1]!.ended > entry.ended) place -= 1;
    waiting.splice(place, 0, entry);
    this.#characters += entry.size;
    while (waiting.length > maxWaiting.entries || this.#characters > maxWaiting.characters)
      yield this.#next();
  }

  *rest(): Generator<Waiting> {
    while (this.#waiting.length > 0) yield this.#next();
  }

  #next(): Waiting {
    const entry = this.#waiting.shift()!;
    this.#characters -= entry.size;
    return entry;
  }

  #timed(recorded: Recorded): Waiting {
    const { exchange } = recorded;
    const isUndated = Number.isNaN(exchange.started_at) || this.#resolutionMs === Infinity;
    const stated = isUndated ? this.#latestStart : exchange.started_at;
    const mayFollow = isUndated || this.#latestEnd < stated + this.#resolutionMs;
    const startedAt = mayFollow ? Math.max(stated, this.#latestEnd) : stated;
    const ended = startedAt + exchange.duration_ms;
    this.#latestStart = Math.max(this.#latestStart, startedAt);
    this.#latestEnd = Math.max(this.#latestEnd, ended);
    const { request, response } = exchange;
    return {
      ...recorded,
      exchange: { ...exchange, started_at: startedAt },
      ended,
      doubtMs: isUndated ? Infinity : this.#resolutionMs,
      size: (request.body?.length ?? 0) + (response?.body.length ?? 0),
    };
  }
}
