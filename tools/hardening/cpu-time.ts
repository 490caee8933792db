import { readFile } from "node:fs/promises";

/**
 * CPU time that a process has used, in ms, with a resolution of 10; null where the system does not show it (/proc).
 * Other work on the machine makes a process slower, and changes this little.
 */
export async function cpuMsOf(pid: number): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (stat === null) return null;
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11);
  return (Number(user) + Number(system)) * 10;
}
