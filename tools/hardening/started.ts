import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { limitMemory } from "./memory-limit.ts";

/** A program of this folder in a process of its own, as serving.ts makes it. */
export interface Started<Said = { baseUrl: string }> {
  /** Its report once it was ready. */
  said: Said;
  process: ChildProcess;
  /** Settles when the process has ended. */
  gone: Promise<unknown>;
  /** How it ended without being asked to; null while it runs. */
  ended(): string | null;
  /** Asks one of its questions. Rejects if it ends before it answers. */
  ask<Value = number>(question: string, given?: unknown): Promise<Value>;
  stop(): Promise<void>;
}

export interface StartOptions {
  nodeFlags?: readonly string[];
  /** Variables besides those of this process. */
  env?: Readonly<Record<string, string>>;
  /** The most memory that the kernel gives it, in bytes, where this process may set a limit. */
  memoryBytes?: number;
}

/** Starts a program, and waits until it is ready. Rejects if it ends before that. */
export async function startProcess<Said = { baseUrl: string }>(
  script: URL,
  args: readonly string[],
  { nodeFlags = [], env, memoryBytes }: StartOptions = {},
): Promise<Started<Said>> {
  const child = fork(script, args, { execArgv: [...nodeFlags], env: { ...process.env, ...env } });
  const unlimit = memoryBytes === undefined ? null : await limitMemory(child.pid!, memoryBytes);
  let end: string | null = null;
  let isStopping = false;
  const gone = once(child, "exit").then(async ([code, signal]) => {
    if (!isStopping) end = signal === null ? `status ${String(code)}` : `signal ${String(signal)}`;
    await unlimit?.();
  });
  const message = async <Message>(): Promise<Message> => {
    const early = gone.then(() => {
      throw new Error(`a process of ${script.pathname} ended with ${end ?? "a stop"}`);
    });
    const [first] = (await Promise.race([once(child, "message"), early])) as [Message];
    return first;
  };
  let turn: Promise<unknown> = Promise.resolve();
  const ask = <Value>(question: string, given?: unknown): Promise<Value> => {
    const mine = turn.then(async () => {
      const answer = message<{ value: Value }>();
      child.send([question, given]);
      return (await answer).value;
    });
    turn = mine.catch(() => undefined);
    return mine;
  };
  return {
    said: await message<Said>(),
    process: child,
    gone,
    ended: () => end,
    ask,
    async stop() {
      isStopping = true;
      if (child.connected) child.send(["stop"]);
      await gone;
    },
  };
}
