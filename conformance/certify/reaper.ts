import { spawn } from "node:child_process";
import type { Writable } from "node:stream";

/** Process groups that are to end with this process, however it ends: Ctrl-C and SIGKILL included. */
const groups = new Set<number>();

/**
 * Reads the groups that are running, a line for each change, and kills the last ones once this process is gone: only
 * then its input ends.
 */
const script = `while read -r running; do groups=$running; done
for group in $groups; do kill -s KILL -- "-$group"; done`;

let watcher: Writable | undefined;

const tell = (): boolean => (watcher ??= started()).write(`${[...groups].join(" ")}\n`);

/** The process that watches: in a group of its own, which Ctrl-C does not reach. */
function started(): Writable {
  const child = spawn("/bin/sh", ["-c", script], { detached: true, stdio: ["pipe", "ignore", "ignore"] });
  child.on("error", () => undefined);
  child.stdin.on("error", () => undefined);
  child.unref();
  // A pipe is a socket, which keeps this process alive unless told otherwise.
  (child.stdin as Writable & { unref(): void }).unref();
  return child.stdin;
}

/**
 * Has a process group end with this process at the latest.
 * @param leader the process id of its first process
 * @returns a function that ends the group now: its first process and all that it started
 */
export function endsWithUs(leader: number): () => void {
  groups.add(leader);
  tell();
  return () => {
    if (!groups.delete(leader)) return;
    try {
      process.kill(-leader, "SIGKILL");
    } catch {
      // All of it has ended.
    }
    tell();
  };
}
