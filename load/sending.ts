import { recorder, type Reply } from "./recorder.ts";
import type { Clock } from "./engine/clock.ts";
import { closedLoop, type ClosedLoop } from "./engine/closed-loop.ts";
import { openConnections, type Connections } from "./engine/connections.ts";
import type { Planned } from "./planned.ts";

/** Sends planned requests, and records the exchanges. */
export interface Sending {
  connections: Connections;
  /**
   * Sends one request; an answer that does not arrive gives an exchange without one.
   * @param localAddress the client address to send from
   * @throws Ended if the run has ended
   */
  send(planned: Planned, localAddress?: string): Promise<Reply>;
  /**
   * Sends as fast as the server allows.
   * @returns its duration in seconds
   * @throws Ended if the run ended meanwhile, after what was answered has been passed on
   */
  closedLoop(
    loop: Omit<ClosedLoop<Planned>, "connections" | "clock" | "signal" | "onSent"> & {
      onReply: (reply: Reply) => void;
    },
  ): Promise<number>;
  close(): void;
}

export function openSending(baseUrl: string, clock: Clock, signal?: AbortSignal, ca?: string): Sending {
  const record = recorder(baseUrl);
  const connections = openConnections(baseUrl, { clock, ca });
  return {
    connections,
    async send(planned, localAddress) {
      signal?.throwIfAborted();
      return new Promise((resolve) =>
        connections.send(planned, (sent) => resolve(record(sent)), localAddress),
      );
    },
    async closedLoop({ onReply, ...loop }) {
      const seconds = await closedLoop({
        ...loop,
        connections,
        clock,
        signal,
        onSent: (sent) => onReply(record(sent)),
      });
      signal?.throwIfAborted();
      return seconds;
    },
    close: () => connections.close(),
  };
}
