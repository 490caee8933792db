import type { ClauseId } from "../../generated/clauses.ts";
import type { Exchange } from "./exchange.ts";
import type { Breach, Judgement } from "./rule.ts";
import type { ClientMemory } from "./memory.ts";
import { isSurelyAfter, type Passing } from "./passing.ts";
import type { Row } from "./rows.ts";

export { isSurelyAfter, type Passing };

/** What is known about the recording as a whole. */
export interface Recording {
  /** The recording holds everything its clients did, from start to end. May become false later. */
  readonly complete: boolean;
  /** What clients have learned so far, not including the current exchange. */
  readonly memory: ClientMemory;
  /** The usage events of accounts, by label, where the audit was asked at the end. */
  readonly audit: ReadonlyMap<string, readonly Row[]>;
}

/** How the current exchange breaks a rule; the first breach when it reveals several. */
export type Follow = (passing: Passing) => Judgement;

/** A rule across exchanges: a fold over a recording, in the order in which the exchanges ended. */
export interface Crossing {
  id: string;
  clauses: readonly ClauseId[];
  title: string;
  /** A fresh fold for each recording; `end` reports what only the end of a complete recording shows. */
  begin: (recording: Recording) => Follow | { follow: Follow; end: () => Iterable<Ending> };
}

/** What the end of a recording shows about an earlier exchange. */
export interface Ending {
  judgement: true | Breach;
  exchange: Exchange;
}

/** Declares a rule across exchanges; its id is the clause and `across`, or `name` where a clause has several. */
export const crossing = (
  clauses: ClauseId | readonly ClauseId[],
  title: string,
  begin: Crossing["begin"],
  name = "across",
): Crossing => {
  const list: readonly ClauseId[] = typeof clauses === "string" ? [clauses] : clauses;
  return { id: `${list[0]}/${name}`, clauses: list, title, begin };
};

/** Characters kept of each body of an exchange that is reported at the end. */
const briefBody = 2000;

/** An exchange kept for reporting at the end. Texts are copied, so that slices do not retain the whole body. */
export function brief(exchange: Exchange): Exchange {
  const { request, response } = exchange;
  const cut = (text: string): string =>
    text.length <= briefBody ? text : Buffer.from(text.slice(0, briefBody)).toString();
  return {
    ...exchange,
    request: { ...request, body: request.body === null ? null : cut(request.body) },
    response: response && { ...response, body: cut(response.body) },
  };
}
