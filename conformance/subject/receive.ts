import type { ClientRequest, IncomingMessage } from "node:http";

/** Bytes that a body may have. */
const mostBytes = 64 * 1024 * 1024;

/** How many times as long as a silence a whole answer may take. */
const wholeAnswer = 4;

/** Levels of objects and lists that a body may have: beyond them whoever looks at it runs out of stack. */
const mostLevels = 200;

/**
 * Reads the answer to a request whole.
 * @param deadline milliseconds of silence
 * @throws Error that says why there is none: refused, reset, silent, without end, too large
 */
export async function receive(
  request: ClientRequest,
  deadline: number,
): Promise<{ incoming: IncomingMessage; bytes: Buffer }> {
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const giveUp = (reason: string): void => {
        reject(new Error(reason));
        request.destroy();
      };
      timer = setTimeout(
        () => giveUp(`the answer did not end within ${Math.round((wholeAnswer * deadline) / 1000)} s`),
        wholeAnswer * deadline,
      );
      request.setTimeout(deadline, () => giveUp("no answer within the deadline"));
      request.on("error", reject);
      request.on("response", (incoming) => {
        const chunks: Buffer[] = [];
        let size = 0;
        incoming.on("data", (chunk: Buffer) => {
          size += chunk.length;
          if (size > mostBytes) giveUp(`the answer is larger than ${mostBytes >> 20} MiB`);
          else chunks.push(chunk);
        });
        incoming.on("error", reject);
        incoming.on("end", () => resolve({ incoming, bytes: Buffer.concat(chunks) }));
      });
    });
  } finally {
    clearTimeout(timer);
  }
}

const [quote, backslash, openList, closeList, openObject, closeObject] = [...'"\\[]{}'].map((one) =>
  one.charCodeAt(0),
);

/** @throws Error when a text, as JSON, is nested too deep to be looked at */
export function requireShallow(text: string): void {
  if (text.length <= mostLevels || !/^\s*[[{]/.test(text)) return;
  let level = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === quote) quoted = !quoted;
    else if (quoted) at += Number(character === backslash);
    else if (character === openList || character === openObject) level += 1;
    else if (character === closeList || character === closeObject) level -= 1;
    if (level > mostLevels) throw new Error(`the body is nested deeper than ${mostLevels} levels`);
  }
}
