import { spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { WrongUse } from "../../base/exit.ts";
import { endsWithUs } from "./reaper.ts";
import type { Ended, Run } from "./trial.ts";

/** The command's time, in ms: for its first run, and then as a multiple of that. */
const firstMs = 300_000;
const factor = 3;
/** What every run gets beyond that: the longest waits of a scenario, twice. */
const waitsMs = 150_000;

/** Characters kept of a command's output. */
const outputLength = 4000;

/**
 * Begins the command once it is watched: one that began before could outlive this process, if that is killed in between.
 * Says on the same descriptor where there is no such program.
 */
const gate = `read -r go <&3 || exit
found=$(command -v "$1") && case $found in
  */*) [ -f "$found" ] && [ -x "$found" ] ;;
esac || { echo none >&3; exit 127; }
exec "$@" 3<&-`;

/** Variables that name the authorities to trust: results of Calls come over HTTPS, under the trial's authority. */
export const trust = ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"];

/** Variables that keep a proxy of the environment away from the trial, which is on this machine. */
const direct = ["NO_PROXY", "no_proxy"];

/** Lines of standard error that are shown. */
const shownLines = 12;

const lastLines = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .slice(-shownLines);

/**
 * Runs a command with the trial's address and key in its environment.
 * @throws WrongUse if there is no such command
 */
export function commandRun(
  command: readonly string[],
  { envUrl, envKey }: { envUrl: string; envKey: string },
): Run {
  const [program = "", ...words] = command;
  let usualMs = firstMs / factor;
  return ({ baseUrl, key, caFile }) =>
    new Promise<Ended>((resolve, reject) => {
      const started = performance.now();
      const child = spawn("/bin/sh", ["-c", gate, "sh", program, ...words], {
        env: {
          ...process.env,
          ...Object.fromEntries(trust.map((name) => [name, caFile])),
          ...Object.fromEntries(direct.map((name) => [name, [process.env[name], "127.0.0.1"].join()])),
          [envUrl]: baseUrl,
          [envKey]: key,
        },
        stdio: ["ignore", "pipe", "pipe", "pipe"],
        // Its own process group, so that what it started ends with it.
        detached: true,
      });
      let output = "";
      const keep = (chunk: Buffer): void => {
        output = (output + chunk.toString()).slice(-2 * outputLength);
      };
      child.stdout!.on("data", keep);
      child.stderr!.on("data", keep);
      let errors = "";
      child.stderr!.on(
        "data",
        (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-outputLength)),
      );
      const end = endsWithUs(child.pid!);
      const opened = child.stdio[3] as Duplex;
      opened.on("error", () => undefined);
      opened.on("data", () => reject(new WrongUse(`${program} cannot be run: there is no such program`)));
      opened.write("go\n");
      const timer = setTimeout(end, factor * usualMs + waitsMs);
      child.on("exit", (status) => {
        clearTimeout(timer);
        end();
        const durationMs = performance.now() - started;
        if (usualMs === firstMs / factor) usualMs = durationMs;
        // The last of the output may arrive after the exit.
        setImmediate(() =>
          resolve({
            status,
            output: output.replaceAll(key, "«key»").slice(-outputLength),
            errors: lastLines(errors.replaceAll(key, "«key»")),
            durationMs,
          }),
        );
      });
    });
}
