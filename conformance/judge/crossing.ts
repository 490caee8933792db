import type { ClauseId } from "../../generated/clauses.ts";
import type { Exchange } from "./exchange.ts";
import type { Breach, Judgement } from "./rule.ts";
import type { Seen } from "./seen.ts";
import type { ClientMemory } from "./memory.ts";

/** One exchange of a recording, as a rule across exchanges sees it. */
export interface Passing {
  exchange: Exchange;
  /** The answer, parsed; null when none came, or when the recording leaves out what it holds. */
  seen: Seen | null;
  /** Nobody knows what was answered, because no whole answer crossed the wire. */
  lost: boolean;
  /** Epoch milliseconds at which the answer was there, or the waiting ended. */
  ended: number;
}

/** What is known about a recording as a whole. */
export interface Recording {
  /** It holds everything that its clients did, from their start to their end; may turn out not to. */
  readonly complete: boolean;
  /** What the clients have been told so far; the exchange at hand is not yet in it. */
  readonly memory: ClientMemory;
}

/** What a rule says of the exchange at hand; where several breaches come to light at once, the first. */
export type Follow = (passing: Passing) => Judgement;

/** A rule that looks across exchanges: a fold over a recording, in the order in which the exchanges ended. */
export interface Crossing {
  id: string;
  clauses: readonly ClauseId[];
  title: string;
  /** A fold of its own for each recording; `end` says what only the end of a complete recording shows. */
  begin: (recording: Recording) => Follow | { follow: Follow; end: () => Iterable<Ending> };
}

/** What the end of a recording shows of an exchange that stood in it. */
export interface Ending {
  judgement: true | Breach;
  exchange: Exchange;
}

/** Declares a rule across exchanges; its id is the clause and the word `across`, or `name` where a clause has several. */
export const crossing = (
  clauses: ClauseId | readonly ClauseId[],
  title: string,
  begin: Crossing["begin"],
  name = "across",
): Crossing => {
  const list: readonly ClauseId[] = typeof clauses === "string" ? [clauses] : clauses;
  return { id: `${list[0]}/${name}`, clauses: list, title, begin };
};

/** Characters of a body that are kept of an exchange which is shown at the end. */
const briefBody = 2000;

/** An exchange that is kept to be shown at the end. The texts are copied, so that they do not hold on to the whole ones. */
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
