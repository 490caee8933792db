import net from "node:net";
import { once } from "node:events";

/** Why a load ends before it is done; what was seen until then is judged and reported. */
export class Ended extends Error {
  /** `interrupt`: Ctrl-C; `server`: it went away; `condition`: one of --abort-on; `budget`: what the run may use is spent; `setting`: the profile does not fit the server. */
  readonly by: "interrupt" | "server" | "condition" | "budget" | "setting";

  constructor(by: Ended["by"], text: string) {
    super(text);
    this.by = by;
  }
}

/** The status of a Call that its account cannot pay. */
export const noCredits = 402;

/** A Call that was to succeed was refused for lack of credits: the server is right, and the profile does not fit. */
export const lackingCredits = (account: string): Ended =>
  new Ended(
    "setting",
    `${account} has no credits for a Call (402); a profile gives what can pay: credentials: {account: KEY} of an account with credits, or tools: {included: TOOL_ID} without credentials, for Calls that cost nothing`,
  );

/** How long a server may refuse connections, as during a restart, before it counts as gone; and between attempts. */
const patienceMs = 5_000;
const betweenMs = 250;

/** Watches whether a server that left a request without an answer still accepts connections. */
export function presence(baseUrl: string, signal: AbortSignal) {
  const url = new URL(baseUrl);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  let asking: Promise<boolean> | null = null;

  const accepts = async (): Promise<boolean> => {
    const socket = net.connect({ host, port });
    try {
      await once(socket, "connect", { signal: AbortSignal.timeout(patienceMs) });
      return true;
    } catch {
      return false;
    } finally {
      socket.destroy();
    }
  };
  const ask = async (): Promise<boolean> => {
    for (const until = performance.now() + patienceMs; ;) {
      if (await accepts()) return true;
      if (performance.now() > until || signal.aborted) return false;
      await new Promise((resolve) => setTimeout(resolve, betweenMs));
    }
  };
  return {
    /** Whether the server accepts connections, within some seconds. */
    isThere: (): Promise<boolean> => (asking ??= ask().finally(() => (asking = null))),
  };
}
