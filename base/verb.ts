import { Argument, Command, CommanderError } from "commander";
import { exitStatuses, WrongUse } from "./exit.ts";
import type { Flag } from "./flag.ts";
import { suggestion } from "./yaml/nearest.ts";

export type Flags = Readonly<Record<string, Flag<unknown>>>;

/** The values of a verb's flags, by key. */
export type Values<F extends Flags> = { [Key in keyof F]: F[Key]["value"] };

/** One command of the program. */
export interface Verb {
  /**
   * @param called the words that named it, as in `capability-contract drift spec`
   * @returns the exit status
   * @throws WrongUse, Unreachable
   */
  run(called: string, argv: readonly string[]): Promise<number>;
  /**
   * Its description for the completion of a command line.
   * @param words the words after its name; only the verbs that they name are loaded
   */
  command(called: string, words: readonly string[]): Promise<Command>;
}

/** The values of positional arguments, by key; a key that ends in `...` takes several words. */
type Taken<Takes extends string> = { [Key in Takes]: Key extends `${string}...` ? string[] : string };

interface Declaration<F extends Flags, Takes extends string> {
  flags: F;
  /** Its positional arguments, each with a description. */
  takes?: Readonly<Record<Takes, string>>;
  /** Text shown in its help below the description. */
  about?: string;
  /** Whether a command line of the user follows after `--`. */
  command?: boolean;
  /** @param command the words after `--` */
  run(values: Values<F> & Taken<Takes>, command: readonly string[]): Promise<number> | Promise<void>;
}

/** Declares a verb. */
export function verb<F extends Flags, Takes extends string = never>({
  flags,
  takes,
  about = "",
  command: takesCommand = false,
  run,
}: Declaration<F, Takes>) {
  const words = Object.entries<string>(takes ?? {});
  const declared = (called: string): Command => {
    const command = prepared(called, about);
    if (takesCommand) command.usage("[options] -- COMMAND …");
    for (const [key, flag] of Object.entries(flags)) {
      flag.attributeName = () => key;
      command.addOption(flag);
    }
    for (const [key, help] of words) command.addArgument(new Argument(`<${key.toUpperCase()}>`, help));
    return command;
  };
  /** The parsed command line; undefined after help was printed. @throws WrongUse */
  const read = (argv: readonly string[], called = ""): (Values<F> & Taken<Takes>) | undefined => {
    const command = declared(called);
    if (!understands(command, argv)) return undefined;
    const options = command.opts<Record<string, unknown>>();
    return Object.fromEntries([
      // An empty environment variable counts as absent; it arrives as an empty string.
      ...Object.entries(flags).map(([key, { absent }]) => [
        key,
        options[key] === "" ? absent : (options[key] ?? absent),
      ]),
      ...words.map(([key], index) => [key, command.processedArgs[index] as unknown]),
    ]) as Values<F> & Taken<Takes>;
  };
  return {
    read,
    command: (called: string) => Promise.resolve(declared(called)),
    async run(called: string, argv: readonly string[]): Promise<number> {
      const end = takesCommand ? argv.indexOf("--") : -1;
      const [ownArgv, command] = end < 0 ? [argv, []] : [argv.slice(0, end), argv.slice(end + 1)];
      const options = read(ownArgv, called);
      return (options && (await run(options, command))) ?? 0;
    },
  };
}

/** Verbs by name: a description, and the verb or the module that exports it. */
export type Verbs = Readonly<
  Record<string, readonly [does: string, Verb | (() => Promise<{ default: Verb }>)]>
>;

/** A verb whose next word selects one of several; only the selected one is loaded. */
export const group = (verbs: Verbs, about = ""): Verb => sectioned({ "Commands:": verbs }, about);

/** A group whose help lists the verbs under headings. */
export const sectioned = (sections: Readonly<Record<string, Verbs>>, about = ""): Verb => {
  const verbs: Verbs = Object.assign({}, ...Object.values(sections));
  const loaded = async (name: string): Promise<Verb> => {
    const [, verb] = verbs[name]!;
    return typeof verb === "function" ? (await verb()).default : verb;
  };
  const listed = (called: string): Command => {
    const command = prepared(called, about).helpCommand(false);
    for (const [heading, section] of Object.entries(sections))
      for (const [each, [does]] of Object.entries(section))
        command.command(each).description(does).helpGroup(heading);
    return command;
  };
  return {
    async command(called, [name = "", ...words]) {
      if (!Object.hasOwn(verbs, name)) return listed(called);
      return prepared(called, about).addCommand(await (await loaded(name)).command(name, words));
    },
    async run(called, [name, ...argv]) {
      if (name !== undefined && Object.hasOwn(verbs, name))
        return (await loaded(name)).run(`${called} ${name}`, argv);
      if (name === "help" && argv.length > 0) return this.run(called, [...argv, "--help"]);
      if (name !== undefined && !["-h", "--help", "help"].includes(name)) {
        const known = Object.keys(verbs);
        const meant = suggestion(name, known);
        throw new WrongUse(
          `${called} ${name} is unknown; after ${called} comes one of ${known.join(", ")}.${meant} See --help.`,
        );
      }
      const command = listed(called);
      if (name !== undefined) command.outputHelp();
      else throw new WrongUse(`${called} needs a word that says what to do.\n\n${command.helpInformation()}`);
      return 0;
    },
  };
};

const prepared = (called: string, about: string): Command =>
  new Command(called)
    .description(about)
    .exitOverride()
    .configureOutput({ writeErr: () => undefined, getOutHelpWidth: () => 120 })
    .addHelpText("after", `\n${exitStatuses}`);

/** Parses a command line; false after help was printed. @throws WrongUse with one sentence */
export function understands(command: Command, argv: readonly string[]): boolean {
  try {
    command.parse(argv, { from: "user" });
    return true;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return false;
    const [first = "", ...rest] = error.message.replace(/^error: /, "").replace("\n(Did", " (did");
    throw new WrongUse(`${first.toUpperCase()}${rest.join("").replace(/\.$/, "")}. See --help.`);
  }
}
