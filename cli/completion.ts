import { existsSync, readdirSync } from "node:fs";
import tab from "@bomb.sh/tab/commander";
import type { Command } from "commander";
import { understands, type Verb } from "../base/verb.ts";

/**
 * Prints a shell's script, as in `complete zsh`, or the possible next words, which that script requests with the words
 * so far after `complete --`.
 */
export async function completed(verb: Verb, called: string, argv: readonly string[]): Promise<number> {
  const words = argv.slice(2);
  const command = await verb.command(called, words);
  if (wantsFile(command, words)) return offerFiles(words.at(-1)!);
  tab(command);
  understands(command, argv);
  return 0;
}

/** Whether a file or a folder is next: as the value of a flag, or in its place after the verb. */
function wantsFile(command: Command, words: readonly string[]): boolean {
  const [before, begun] = words.slice(-2);
  if (begun === undefined || begun.startsWith("-")) return false;
  let current = command;
  for (const word of words)
    current = current.commands.find((subcommand) => subcommand.name() === word) ?? current;
  const flag = current.options.find(({ long, required }) => required && long === before);
  const names =
    flag === undefined ? current.registeredArguments.map((argument) => argument.name()) : [flag.flags];
  return names.some((name) => /FILE|HAR|FOLDER|DIR|OLD|NEW/.test(name));
}

/** Lists the files itself, since the library does not let the shell do it. */
function offerFiles(begun: string): number {
  const folder = begun.replace(/[^/]*$/, "");
  const entries = existsSync(folder || ".") ? readdirSync(folder || ".", { withFileTypes: true }) : [];
  const names = entries
    .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? "/" : ""}`)
    .filter((name) => name.startsWith(begun));
  // No files from the shell; and no space after a folder, since its path continues.
  const directive = names.some((name) => name.endsWith("/")) ? 4 + 2 : 4;
  console.log([...names, `:${directive}`].join("\n"));
  return 0;
}
