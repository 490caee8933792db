import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";

/** A flag, profile or file that cannot be used: exit status 2. The message says what would be right. */
export class WrongUse extends Error {}

/** The server cannot be reached, or is of another kind: the run ends with exit status 3. */
export class Unreachable extends Error {}

/** Another version of the contract is needed than the one this process uses: the process is restarted with it. */
export class OtherVersion extends Error {
  readonly version: string;

  constructor(version: string) {
    super(`this server is judged by contract ${version}: start with CONTRACT_VERSION=${version}`);
    this.version = version;
  }
}

/** Runs the same command again with another version of the contract. @returns its exit status */
async function again({ version }: OtherVersion): Promise<number> {
  const env = { ...process.env, CONTRACT_VERSION: version };
  const args = [...process.execArgv, ...process.argv.slice(1)];
  // Ctrl-C reaches the other process too, which ends with a report.
  process.on("SIGINT", () => undefined);
  const [status] = (await once(spawn(process.execPath, args, { env, stdio: "inherit" }), "exit")) as [
    number | null,
  ];
  return status ?? 4;
}

/** The exit statuses of every verb, shown at the end of its help. */
export const exitStatuses =
  "Exit status: 0 nothing failed, 1 something failed, 2 wrong use, 3 the server could not be reached, or went away,\n" +
  "4 an error of this program's own.";

/** Whether a package that only the server needs is not installed. */
const lacksPackage = (error: unknown): boolean =>
  error instanceof Error &&
  (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND" &&
  error.message.startsWith("Cannot find package");

/** The packages that a server on one machine needs, with their versions. */
function serverPackages(): string[] {
  const file = new URL("../package.json", import.meta.url);
  const { peerDependencies } = JSON.parse(readFileSync(file, "utf8")) as Record<
    string,
    Record<string, string>
  >;
  return Object.entries(peerDependencies!)
    .filter(
      ([name]) => !["pg", "redis", "vitest"].includes(name) && !/^@(aws-sdk|opentelemetry)\//.test(name),
    )
    .map(([name, version]) => `"${name}@${version}"`);
}

/** Runs a program and sets the exit status from its result or from the error it throws. */
export async function exitingWith(program: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await program();
  } catch (error) {
    if (error instanceof OtherVersion) process.exitCode = await again(error);
    else if (lacksPackage(error)) {
      console.error(
        `This needs packages that judging does without: npm install ${serverPackages().join(" ")}`,
      );
      process.exitCode = 2;
    } else if (error instanceof WrongUse || error instanceof Unreachable) {
      console.error(error.message);
      process.exitCode = error instanceof WrongUse ? 2 : 3;
    } else {
      console.error("The program itself failed; this says nothing about the server:");
      console.error(error);
      process.exitCode = 4;
    }
  }
}
