import type { Config } from "../config.ts";
import { baseUrl, defaultParts } from "../parts-default.ts";
import type { Parts } from "../parts.ts";
import { createServer, type ServerOptions } from "../server.ts";

/** What a process answers to the program that started it, by question. */
export type Answers = Readonly<Record<string, (given: never) => unknown>>;

/**
 * Says what the program that started this process waits for, answers its questions, and ends when it asks to or is gone.
 * started.ts is the other half.
 */
export function serve(said: object, stop: () => Promise<void>, answers: Answers = {}): void {
  const end = (): void => void stop().then(() => process.exit(0));
  process.on("message", ([question, given]: [string, never]) => {
    if (question === "stop") return end();
    void Promise.resolve(answers[question]!(given)).then((value) => process.send!({ value }));
  });
  process.on("disconnect", end);
  process.send!(said);
}

/**
 * Serves the reference server of a configuration, and says its address as `baseUrl`.
 * @param changes.given parts instead of the default ones
 * @param changes.alter wraps the parts
 */
export async function serveReference(
  config: Config,
  changes: {
    given?: Parameters<typeof defaultParts>[1];
    alter?: (parts: Parts) => Parts;
    options?: ServerOptions;
    answers?: Answers;
  } = {},
): Promise<void> {
  const { parts, close } = await defaultParts(config, changes.given);
  const server = createServer(config, changes.alter?.(parts) ?? parts, changes.options);
  const port = await server.start();
  const stop = async (): Promise<void> => {
    await server.stop();
    await close();
  };
  serve({ baseUrl: baseUrl(config.host, port) }, stop, changes.answers);
}
