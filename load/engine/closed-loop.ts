import { machineClock, type Clock } from "./clock.ts";
import type { Connections } from "./connections.ts";
import type { Request, Sent } from "./request.ts";

export interface ClosedLoop<R extends Request> {
  connections: Connections;
  /**
   * Each of the concurrent senders sends all of them in turn, starting at a different one; with `once` the senders
   * divide them up.
   */
  requests: readonly R[];
  /** Sends each request exactly once; needs no amount. */
  once?: boolean;
  concurrentRequests: number;
  /** The total number of requests. */
  amount?: number;
  onSent: (sent: Sent<R>) => void;
  /** The clock for the times of requests and answers; the machine's by default. */
  clock?: Clock;
  /** Ends the loop early; requests in flight are awaited. */
  signal?: AbortSignal | undefined;
}

/** The pause of a sender after a request that was not answered, in milliseconds. */
const errorPauseMs = 50;

/**
 * Sends an exact number of requests: each sender sends its next request when the last one is answered.
 * @returns its duration in seconds
 */
export async function closedLoop<R extends Request>(loop: ClosedLoop<R>): Promise<number> {
  const { connections, requests, once = false, clock = machineClock, signal, onSent } = loop;
  const amount = once ? requests.length : (loop.amount ?? requests.length);
  const senders = Math.min(loop.concurrentRequests, amount);
  const startAt = clock.now();
  let begun = 0;

  const sender = (number: number): Promise<void> =>
    new Promise((resolve) => {
      let next = number % requests.length;
      const send = (): void => {
        if (begun >= amount || signal?.aborted === true) return resolve();
        const request = requests[once ? begun : next]!;
        begun += 1;
        next = (next + 1) % requests.length;
        connections.send(request, (sent) => {
          // The next request is sent before this answer is looked at, so that judging does not hold the server up.
          if (sent.answer instanceof Error) setTimeout(send, errorPauseMs);
          else send();
          onSent(sent);
        });
      };
      send();
    });
  await Promise.all(Array.from({ length: senders }, (_, number) => sender(number)));
  return (clock.now() - startAt) / 1000;
}
