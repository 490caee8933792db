import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { WrongUse } from "../../base/exit.ts";
import type { Profile } from "./profile.ts";

/** Sets the server's clock ahead by seconds. */
export type Advance = (seconds: number) => Promise<void>;

/** How long the clock may take to be set, in ms. */
const patienceMs = 30_000;

/**
 * The profile's clock, once it has been set ahead by 0 seconds.
 * @throws WrongUse with one sentence when that fails
 */
export async function openClock(clock: NonNullable<Profile["clock"]>): Promise<Advance> {
  const advance = "url" in clock ? byRequest(clock.url) : byCommand(clock.command);
  try {
    await advance(0);
  } catch (error) {
    throw new WrongUse((error as Error).message, { cause: error });
  }
  return advance;
}

/** A clock that takes `{"seconds": N}` by POST, and answers 2xx once it has advanced. */
const byRequest =
  (url: string): Advance =>
  async (seconds) => {
    const request = {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ seconds }),
      signal: AbortSignal.timeout(patienceMs),
    };
    const response = await fetch(url, request).catch((cause: unknown) => {
      throw new Error(`clock.url ${url} does not answer`, { cause });
    });
    const said = (await response.text()).slice(0, 200);
    if (!response.ok) throw new Error(`clock.url ${url} answers ${response.status} to a POST: ${said}`);
  };

/** A clock that a command advances: its last argument is the seconds, and it ends once the clock has advanced. */
const byCommand =
  (command: string): Advance =>
  async (seconds) => {
    const args = ["-c", `${command} "$1"`, "clock", String(seconds)];
    await promisify(execFile)("/bin/sh", args, { timeout: patienceMs }).catch((cause: unknown) => {
      const { stderr = "" } = cause as { stderr?: string };
      throw new Error(`clock.command ${command} ${seconds} fails: ${stderr.trim().slice(0, 200)}`, { cause });
    });
  };
