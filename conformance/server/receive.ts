import type { Budget } from "../judge/budget.ts";
import type { ClientRequest, IncomingMessage } from "node:http";

/** The limits of an answer. */
export interface Bounds {
  /** Milliseconds of silence. */
  silenceMs: number;
  /** Milliseconds from the request to the end of the answer; four times the silence by default. */
  wholeMs?: number;
  /** Maximum size of the body, in bytes. */
  bytes: number;
  /** Budget for the bodies of all answers in transit; unlimited by default. */
  together?: Budget;
}

const inSeconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;

/** An answer that ends before it is complete. */
export class CutShort extends Error {
  readonly incoming: IncomingMessage;
  /** The part of the body that was received. */
  readonly bytes: Buffer;

  constructor(reason: string, incoming: IncomingMessage, bytes: Buffer) {
    super(reason);
    this.incoming = incoming;
    this.bytes = bytes;
  }
}

/** Maximum nesting depth of a body; beyond it, processing overflows the stack. */
const maxLevels = 200;

/**
 * Reads the complete answer to a request.
 * @throws Error naming why there is none: refused, reset, silent, endless, too large; CutShort when it ends too early
 */
export async function receive(
  request: ClientRequest,
  { silenceMs, wholeMs = 4 * silenceMs, bytes: maxBytes, together }: Bounds,
): Promise<{ incoming: IncomingMessage; bytes: Buffer }> {
  let size = 0;
  const timers: NodeJS.Timeout[] = [];
  try {
    return await new Promise((resolve, reject) => {
      const giveUp = (reason: string): void => {
        reject(new Error(reason));
        request.destroy();
      };
      const after = (ms: number, reason: string): NodeJS.Timeout => {
        const timer = setTimeout(() => giveUp(reason), ms);
        timers.push(timer);
        return timer;
      };
      after(wholeMs, `the answer did not end within ${inSeconds(wholeMs)}`);
      // The request's timeout would be that of the agent, which closes idle sockets, until the socket is connected.
      const silence = after(silenceMs, `no answer within the deadline of ${inSeconds(silenceMs)}`);
      request.on("error", reject);
      request.on("response", (incoming) => {
        const chunks: Buffer[] = [];
        silence.refresh();
        incoming.on("data", (chunk: Buffer) => {
          silence.refresh();
          if (size + chunk.length > maxBytes) {
            giveUp(`the answer is larger than ${maxBytes >> 20} MiB, the most that is read`);
          } else if (together?.take(chunk.length) === false) {
            giveUp("the answer is too large together with the others that are under way");
          } else {
            size += chunk.length;
            chunks.push(chunk);
          }
        });
        incoming.on("error", ({ message }) => reject(new CutShort(message, incoming, Buffer.concat(chunks))));
        incoming.on("end", () => resolve({ incoming, bytes: Buffer.concat(chunks) }));
      });
    });
  } finally {
    timers.forEach(clearTimeout);
    together?.give(size);
  }
}

const [quote, backslash, openList, closeList, openObject, closeObject] = [...'"\\[]{}'].map((character) =>
  character.charCodeAt(0),
);

/** The end of a JSON string that begins at an offset; the end of the text if it has none. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

/** Whether a text has enough opening brackets to be nested too deeply: few answers do. */
function mayBeDeep(text: string): boolean {
  let opened = 0;
  for (const bracket of "[{") {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) opened += 1;
    if (opened > maxLevels) return true;
  }
  return false;
}

/** @throws Error when a text, as JSON, is nested too deeply to process */
export function requireShallow(text: string): void {
  if (!/^\s*[[{]/.test(text) || !mayBeDeep(text)) return;
  let level = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) at = endOfString(text, at);
    else if (character === openList || character === openObject) level += 1;
    else if (character === closeList || character === closeObject) level -= 1;
    if (level > maxLevels) throw new Error(`the body is nested deeper than ${maxLevels} levels`);
  }
}
