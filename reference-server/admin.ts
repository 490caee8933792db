import { parseArgs } from "node:util";
import { BookRefusal } from "./billing/book.ts";
import { commands, UsageError, type Command, type Flags, type Result } from "./operator/commands.ts";
import { openDataFolder } from "./parts-default.ts";
import { readConfig, SettingError } from "./settings.ts";

/** Every flag of any command, and the settings that say which data folder is meant. */
const flagNames = [...new Set(commands.flatMap(({ needs, may }) => [...needs, ...may]))];
const folderFlags = ["data", "database-url"] as const;

const help = (): string =>
  [
    "npm run admin -- COMMAND [flags]: the operator's commands, also while the server runs",
    "",
    ...commands.map(({ words, needs, may, help: text }) => {
      const flags = [...needs.map((name) => `--${name} …`), ...may.map((name) => `[--${name} …]`)].join(" ");
      return `  ${words} ${flags}\n      ${text}`;
    }),
    "",
    "  --data FOLDER (default: data), --database-url URL: which server's data; --json: the answer as JSON",
  ].join("\n");

/** The command that the words name, with its flags. */
function understand(args: readonly string[]): { command: Command; flags: Flags; json: boolean } | "help" {
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        ...Object.fromEntries(
          [...flagNames, ...folderFlags].map((name) => [name, { type: "string" as const }]),
        ),
        json: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(". ")[0]}. See --help.`);
  }
  const { values, positionals } = parsed;
  if (values.help === true || positionals.length === 0) return "help";
  const words = positionals.join(" ");
  const command = commands.find((each) => each.words === words);
  if (command === undefined) {
    const known = commands.map((each) => each.words).join(", ");
    throw new UsageError(`There is no command "${words}". The commands: ${known}.`);
  }
  const flags = values as Flags;
  for (const name of command.needs) {
    if (flags[name] === undefined) throw new UsageError(`"${words}" needs --${name}. See --help.`);
  }
  for (const name of Object.keys(flags)) {
    const fits = name === "json" || [...command.needs, ...command.may, ...folderFlags].includes(name);
    if (!fits) throw new UsageError(`"${words}" has no flag --${name}. See --help.`);
  }
  return { command, flags, json: values.json === true };
}

function print(result: Result, json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
    return;
  }
  const records = Array.isArray(result) ? result : [result];
  for (const record of records) {
    const fields = Object.entries(record).filter(([, value]) => value !== null);
    const line = Array.isArray(result)
      ? fields.map(([name, value]) => `${name}=${String(value)}`).join("  ")
      : fields.map(([name, value]) => `${name}: ${String(value)}`).join("\n");
    process.stdout.write(`${line}\n`);
  }
}

async function main(): Promise<number> {
  try {
    const understood = understand(process.argv.slice(2));
    if (understood === "help") {
      process.stdout.write(`${help()}\n`);
      return 0;
    }
    const { command, flags, json } = understood;
    const config = readConfig(
      { data: flags.data, "database-url": flags["database-url"], "log-level": "error" },
      process.env,
    );
    const folder = await openDataFolder(config);
    try {
      print(await command.run(flags, folder), json);
    } finally {
      await folder.storage.close();
    }
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    const wrongUse =
      error instanceof UsageError || error instanceof SettingError || error instanceof BookRefusal;
    return wrongUse ? 2 : 4;
  }
}

process.exitCode = await main();
