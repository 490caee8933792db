import tab from "@bomb.sh/tab/commander";
import { understands, type Verb } from "./verb.ts";

/**
 * Prints a shell's script, as in `complete zsh`, or what may come next, for which that script asks with the words so far
 * behind `complete --`.
 */
export async function completed(verb: Verb, called: string, argv: readonly string[]): Promise<number> {
  const command = await verb.command(called, argv.slice(2));
  tab(command);
  understands(command, argv);
  return 0;
}
