import { connect, type Socket } from "node:net";
import { Unreachable } from "../../base/exit.ts";
import { pause } from "../server/session.ts";

const retryMs = 100;

/**
 * Waits until a server was away and is back. One connection is held: a process that ends closes it immediately.
 * @param asked resolves when the user asks to go on without that
 * @param onAway called once the server is away
 */
export async function serverIsBack(
  baseUrl: string,
  asked: Promise<unknown>,
  onAway: () => void = () => undefined,
): Promise<void> {
  const { hostname, port, protocol } = new URL(baseUrl);
  const host = hostname.replace(/^\[|\]$/g, "");
  const at = { host, port: Number(port || (protocol === "https:" ? 443 : 80)) };
  let held: Socket | undefined;
  let [wasAway, isAsked] = [false, false];
  const going = asked.then(() => {
    isAsked = true;
    held?.destroy();
  });
  const look = async (): Promise<void> => {
    while (!isAsked) {
      held = connect(at);
      const isThere = await new Promise<boolean>((is) => {
        held!.once("connect", () => is(true)).once("error", () => is(false));
        held!.once("close", () => is(false));
      });
      if (isThere && wasAway) break;
      if (!isThere && !wasAway) onAway();
      wasAway ||= !isThere;
      if (isThere) await new Promise((closed) => held!.once("close", closed).resume());
      else await pause(retryMs);
    }
    held?.destroy();
  };
  await Promise.race([look(), going]);
}

/** The parts of a loop over runs. */
interface Watching {
  /** Judges what the ids name, or all that the user chose; `wrong` names what was not right. */
  judge: (only: readonly string[] | undefined) => Promise<{ status: number; wrong: string[] }>;
  /** Resolves when the server may have changed its answers, or waiting for that is over. */
  changed: (over: AbortSignal) => Promise<void>;
  say: (text: string) => void;
}

/**
 * Judges, then again what was not right each time the server is back, and everything once that is right.
 * @returns the exit status when nothing is left to fix
 */
export async function watch({ judge, changed, say }: Watching): Promise<number> {
  const unreached = (error: unknown): null => {
    if (!(error instanceof Unreachable)) throw error;
    say(error.message);
    return null;
  };
  let only: string[] | undefined;
  for (;;) {
    const over = new AbortController();
    // Begins before the run, since a server may be restarted while it is judged.
    const change = changed(over.signal);
    try {
      const judged = await judge(only).catch(unreached);
      if (judged?.wrong.length !== 0) {
        only = judged?.wrong ?? only;
        say("Waiting until the server is started again; Enter judges now, Ctrl-C ends.");
        await change;
      } else if (only === undefined) {
        return judged.status;
      } else {
        only = undefined;
        say("Every failure is fixed; everything is checked again.");
      }
    } finally {
      over.abort();
    }
  }
}
