import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { plain } from "./plain.ts";

/** A flag, profile or file that cannot be used: exit status 2. The message says what would be right. */
export class WrongUse extends Error {}

/** The server cannot be reached, or is of another kind: the run ends with exit status 3. */
export class Unreachable extends Error {}

/** This process uses another version of the contract than the one needed: it is restarted with that one. */
export class OtherVersion extends Error {
  readonly version: string;

  constructor(version: string) {
    super(`this server is checked against contract ${version}: start with CONTRACT_VERSION=${version}`);
    this.version = version;
  }
}

/** Runs the same command again with another version of the contract. @returns its exit status */
async function again({ version }: OtherVersion): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    env: { ...process.env, CONTRACT_VERSION: version },
    stdio: "inherit",
  });
  // Ctrl-C reaches the other process too, which ends with a report; SIGTERM may not.
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  const [status] = (await once(child, "exit")) as [number | null];
  return status ?? 4;
}

/** Stops at Ctrl-C, and at SIGTERM, which ends a container. @returns a function that stops listening */
export function onStop(stop: () => void): () => void {
  // A second Ctrl-C ends the process immediately; senders of SIGTERM have SIGKILL for that.
  process.once("SIGINT", stop);
  process.on("SIGTERM", stop);
  return () => void process.off("SIGINT", stop).off("SIGTERM", stop);
}

/** The exit statuses of every verb, shown at the end of its help. */
export const exitStatuses =
  "Exit status: 0 nothing failed, 1 something failed, 2 wrong use, 3 the server could not be reached, went away,\n" +
  "or nothing could be checked, 4 an error of this program.";

/** The package of the reference server, with the dependencies that judging does not need. */
const serverPackage = "capability-contract-server";

/** The package that an import did not find, or that of the server, which the judge's package omits; else null. */
function missingFrom(error: unknown): string | null {
  if (!(error instanceof Error) || (error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND")
    return null;
  const [, name] = /^Cannot find package '((?:@[^/']+\/)?[^/']+)/.exec(error.message) ?? [];
  return name ?? (/[\\/]reference-server[\\/]/.test(error.message) ? serverPackage : null);
}

/** Runs the same command as the server's package has it, where that is installed. @returns its exit status */
async function handOver(): Promise<number> {
  const program = [import.meta.url, pathToFileURL(resolve("package.json"))]
    .map((from) => {
      try {
        return createRequire(from).resolve(serverPackage);
      } catch {
        return undefined;
      }
    })
    .find((found) => found !== undefined);
  if (program === undefined) {
    const [verb = "", ...words] = process.argv.slice(2);
    const ownWords = words.includes("--") ? words.slice(0, words.indexOf("--")) : words;
    if (ownWords.includes("--help") || ownWords.includes("-h")) {
      console.log(
        `capability-contract ${verb} runs the reference server, a separate package: npm install ${serverPackage}.\n` +
          `With it installed, capability-contract ${verb} --help lists its flags.`,
      );
      return 0;
    }
    console.error(`This runs the reference server, a separate package: npm install ${serverPackage}`);
    return 2;
  }
  // In this process: another one would not end with it, whatever ends it.
  process.argv[1] = program;
  await import(pathToFileURL(program).href);
  return Number(process.exitCode ?? 0);
}

/** Runs a program and sets the exit status from its result or from the error it throws. */
export async function exitingWith(program: () => Promise<number>): Promise<void> {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // A reader that has seen enough, as in `--help | head`, is not an error.
    if (error.code !== "EPIPE") throw error;
  });
  process.exitCode = await statusOf(program);
}

/** Runs a program, and prints the error that it throws. @returns the exit status */
export async function statusOf(program: () => Promise<number>): Promise<number> {
  try {
    return await program();
  } catch (error) {
    if (error instanceof OtherVersion) return again(error);
    const missing = missingFrom(error);
    if (missing === serverPackage) return handOver();
    if (missing !== null) {
      console.error(`This needs a package that is not installed: npm install ${missing}`);
      return 2;
    }
    if (error instanceof WrongUse || error instanceof Unreachable) {
      console.error(plain(error.message));
      return error instanceof WrongUse ? 2 : 3;
    }
    console.error("The program itself failed; this says nothing about the server:");
    console.error(error);
    return 4;
  }
}
