import { createPrivateKey, X509Certificate } from "node:crypto";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "../parts.ts";
import type { Certified } from "./making-certificates.ts";

const day = 86_400_000;

/** The certificate of an HTTPS listener, and the file of the CA that its clients must trust. */
interface ServerCertificate {
  key: string;
  /** The server's certificate, followed by its CA's. */
  cert: string;
  caFile: string;
}

/** The file of the CA that clients of the listener must trust. */
export const caFileIn = (folder: string): string => join(folder, "ca.pem");

const caFiles = (folder: string): Certified => ({ cert: caFileIn(folder), key: join(folder, "ca-key.pem") });
const serverFiles = (folder: string): Certified => ({
  cert: join(folder, "server.pem"),
  key: join(folder, "server-key.pem"),
});

/**
 * The certificate of an HTTPS listener, signed by a CA of its own. Both are created on first use and kept in the
 * folder; the server's is renewed when it expires within 30 days or does not name the hosts.
 * @param hosts names and addresses under which the listener is reached
 */
export async function serverCertificate(
  folder: string,
  hosts: readonly string[],
  { now, random }: { now: number; random: Random },
): Promise<ServerCertificate> {
  const kept = await keptCertificate(folder, hosts, now);
  if (kept !== null) return kept;
  return alone(folder, async () => {
    const meanwhile = await keptCertificate(folder, hosts, now);
    if (meanwhile !== null) return meanwhile;
    // The library for certificates is large, and needed once in two years.
    const { makeCa, makeServer } = await import("./making-certificates.ts");
    let ca = await load(caFiles(folder), now);
    if (ca === null) {
      ca = await makeCa({ now, random });
      await keep(ca, caFiles(folder));
    }
    const server = await makeServer(ca, hosts, { now, random });
    await keep(server, serverFiles(folder));
    return forListener(folder, server, ca);
  });
}

/** The interval in ms between checks whether another process has created the certificates, and their number. */
const lookMs = 100;
const maxLooks = 600;

/**
 * Lets one process at a time create certificates in a shared folder: otherwise each would have its own CA. The lock of
 * a process that died is removed after a minute.
 */
async function alone<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const lock = join(folder, "making-certificates.lock");
  for (let looks = 0; ; looks += 1) {
    try {
      await writeFile(lock, "", { flag: "wx" });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    if (looks === maxLooks) await rm(lock, { force: true });
    else await pause(lookMs);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

/** The certificate kept in the folder; null if it must be created. */
export async function keptCertificate(
  folder: string,
  hosts: readonly string[],
  now: number,
): Promise<ServerCertificate | null> {
  const [ca, server] = [await load(caFiles(folder), now), await load(serverFiles(folder), now)];
  if (ca === null || server === null) return null;
  const certificate = new X509Certificate(server.cert);
  const names = (host: string) =>
    isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host);
  const fits = certificate.checkIssued(new X509Certificate(ca.cert)) && hosts.every(names);
  return fits ? forListener(folder, server, ca) : null;
}

const forListener = (folder: string, server: Certified, ca: Certified): ServerCertificate => ({
  key: server.key,
  cert: `${server.cert}\n${ca.cert}`,
  caFile: caFileIn(folder),
});

async function keep(certified: Certified, files: Certified): Promise<void> {
  await writeFile(files.key, certified.key, { mode: 0o600 });
  await chmod(files.key, 0o600);
  await writeFile(files.cert, certified.cert);
}

/** The kept files, unless one is missing, the certificate expires within 30 days, or the key does not match. */
async function load(files: Certified, now: number): Promise<Certified | null> {
  let certified: Certified;
  try {
    certified = { cert: await readFile(files.cert, "utf8"), key: await readFile(files.key, "utf8") };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  const certificate = new X509Certificate(certified.cert);
  const lasts = Date.parse(certificate.validTo) >= now + 30 * day;
  return lasts && certificate.checkPrivateKey(createPrivateKey(certified.key)) ? certified : null;
}
