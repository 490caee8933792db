import net from "node:net";
import { once } from "node:events";

/** Why a load ends before it is done; what was seen until then is judged and reported. */
export class Ended extends Error {
  /** `interrupt`: Ctrl-C; `server`: it went away; `condition`: one of --abort-on; `budget`: what the run may use is spent. */
  readonly by: "interrupt" | "server" | "condition" | "budget";

  constructor(by: Ended["by"], text: string) {
    super(text);
    this.by = by;
  }
}

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
