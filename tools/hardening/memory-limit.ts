import { access, constants, mkdir, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The path of the kernel's memory controller, and the name of its limit: cgroup v1, then v2. */
const controllers = [
  { folder: "/sys/fs/cgroup/memory", limit: "memory.limit_in_bytes" },
  { folder: "/sys/fs/cgroup", limit: "memory.max" },
] as const;

/** Whether this process may limit the memory of others: as root on Linux, not within most containers. */
export const canLimitMemory = async (): Promise<boolean> => (await controller()) !== null;

/**
 * Limits the memory of a process as a container does: beyond it, the kernel kills the process.
 * @returns a function that removes the limit once the process has ended; null where none can be set
 */
export async function limitMemory(pid: number, bytes: number): Promise<(() => Promise<void>) | null> {
  const found = await controller();
  if (found === null) return null;
  const group = join(found.folder, `capability-contract-${pid}`);
  await mkdir(group);
  await writeFile(join(group, found.limit), String(bytes));
  await writeFile(join(group, "cgroup.procs"), String(pid));
  return () => rmdir(group).catch(() => undefined);
}

async function controller(): Promise<(typeof controllers)[number] | null> {
  for (const each of controllers) {
    const probe = join(each.folder, `capability-contract-probe-${process.pid}`);
    try {
      await mkdir(probe);
    } catch {
      continue;
    }
    const isThere = await access(join(probe, each.limit), constants.W_OK).then(
      () => true,
      () => false,
    );
    await rmdir(probe);
    if (isThere) return each;
  }
  return null;
}
