import { createHmac, timingSafeEqual } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { isIP, type AddressInfo } from "node:net";
import { join } from "node:path";
import type { Logger } from "pino";
import { keptSecret } from "../kept-secret.ts";
import type { Clock, ObjectStorage, Random } from "../parts.ts";
import { caFileIn, keptCertificate, serverCertificate } from "./certificates.ts";

/** How long a signed address opens its content (open points: Discover, Inspect, Probe, Call). */
export const signedUrlLifetimeMs = 120 * 60_000;

/** The embedded object storage: a folder behind an HTTPS listener of its own. */
export interface EmbeddedStorage extends ObjectStorage {
  /** `https://host:port` of every address it hands out. */
  origin: string;
  /** The certificate of the CA that clients must trust; there once the storage is `ready`. */
  caFile: string;
  /** Makes the certificate where none is kept yet; whoever puts something waits for it. */
  ready(): Promise<void>;
  /** Deletes expired content, and the oldest where the folder holds more than it may. Answers how many files. */
  sweep(): Promise<number>;
  close(): Promise<void>;
}

interface EmbeddedStorageOptions {
  /** Folder for the content, the signing secret and the certificates; made when it is missing. */
  folder: string;
  /** Address to listen at. */
  host: string;
  /** 0 takes a free port. */
  port: number;
  /** Host name in the addresses handed out; the listening address, or localhost for a wildcard, when absent. */
  publicHost?: string | null;
  /** Most bytes of content kept. */
  maxBytes?: number;
}

const extensions: Readonly<Record<string, string>> = { "application/json": "json", "text/plain": "txt" };
const contentTypes: Readonly<Record<string, string>> = {
  json: "application/json",
  txt: "text/plain; charset=utf-8",
};
const signedPath = /^\/results\/([A-Za-z0-9_-]+\.[a-z]+)\?expires=([0-9]+)&signature=([0-9a-f]{64})$/;
/** Every file begins with its end, also one whose writer has died. */
const endOf = (file: string): number => Number(/^([0-9]+)-/.exec(file)?.[1] ?? 0);

/**
 * Starts the embedded object storage. Its addresses are signed over every byte of name and end; a changed one answers
 * 403, one past its end 410. The secret and the certificates are made at first and kept in the folder; making the
 * certificates takes so long that a start does not wait for it.
 */
export async function startObjectStorage(
  { folder, host, port, publicHost, maxBytes = 1_073_741_824 }: EmbeddedStorageOptions,
  { clock, random, log }: { clock: Clock; random: Random; log: Logger },
): Promise<EmbeddedStorage> {
  const content = join(folder, "content");
  await mkdir(content, { recursive: true, mode: 0o700 });
  const secret = await keptSecret(join(folder, "url-secret"), random);
  const name = publicHost ?? (host === "0.0.0.0" || host === "::" ? "localhost" : host);
  const hosts = [...new Set([name, "localhost", "127.0.0.1", "::1"])];

  const sign = (file: string, expires: string): Buffer =>
    createHmac("sha256", secret).update(`GET\n${file}\n${expires}`).digest();

  async function sweep(): Promise<number> {
    const kept: { file: string; expires: number; size: number }[] = [];
    let removed = 0;
    const remove = async (file: string) => {
      await rm(join(content, file), { force: true });
      removed += 1;
    };
    for (const file of await readdir(content)) {
      const expires = endOf(file);
      if (expires * 1000 <= clock.now()) await remove(file);
      else kept.push({ file, expires, size: await sizeOf(join(content, file)) });
    }
    held = kept.reduce((sum, { size }) => sum + size, 0);
    for (const { file, size } of kept.sort((a, b) => a.expires - b.expires)) {
      if (held <= maxBytes) break;
      log.warn(
        { file, held, maxBytes },
        "object storage is full: the oldest result is deleted before its time",
      );
      await remove(file);
      held -= size;
    }
    sweptAt = clock.now();
    return removed;
  }

  let held = 0;
  let sweptAt = 0;
  let sweeping: Promise<number> | null = null;
  const sweepOnce = () => (sweeping ??= sweep().finally(() => (sweeping = null)));
  await sweepOnce();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader("Cache-Control", "private, no-store");
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Content-Security-Policy", "default-src 'none'; sandbox");
    const refuse = (status: number, message: string) => {
      response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8" });
      response.end(message + "\n");
    };
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("Allow", "GET, HEAD");
      return refuse(405, "Only GET and HEAD are answered here.");
    }
    const [, file, expires, signature] = signedPath.exec(request.url ?? "") ?? [];
    if (
      !file ||
      !expires ||
      !signature ||
      !timingSafeEqual(sign(file, expires), Buffer.from(signature, "hex"))
    ) {
      return refuse(
        403,
        "This is not an address that was signed here. Use full_content_file_url exactly as returned.",
      );
    }
    if (Number(expires) * 1000 <= clock.now()) {
      return refuse(410, "This address has expired. Make the call again for a new one.");
    }
    const path = join(content, file);
    const size = await sizeOf(path);
    if (size < 0)
      return refuse(410, "This content is no longer kept. Make the call again for a new address.");
    response.writeHead(200, {
      "Content-Type": contentTypes[file.slice(file.lastIndexOf(".") + 1)] ?? "application/octet-stream",
      "Content-Length": size,
    });
    if (request.method === "HEAD") return void response.end();
    createReadStream(path)
      .on("error", (error) => response.destroy(error))
      .pipe(response);
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      log.error({ error }, "object storage could not answer");
      response.destroy();
    });
  });
  let certified: Promise<void> | null = null;
  const certify = async () =>
    server.setSecureContext(await serverCertificate(folder, hosts, { now: clock.now(), random }));
  const ready = () =>
    (certified ??= certify().catch((error: unknown) => {
      certified = null;
      throw error;
    }));
  const kept = await keptCertificate(folder, hosts, clock.now());
  if (kept !== null) {
    server.setSecureContext(kept);
    certified = Promise.resolve();
  }
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  const origin = `https://${isIP(name) === 6 ? `[${name}]` : name}:${bound}`;

  return {
    origin,
    caFile: caFileIn(folder),
    ready,
    sweep: sweepOnce,
    async put(objectName, text, contentType) {
      const size = Buffer.byteLength(text);
      if (size > maxBytes)
        throw new RangeError(`${objectName} has ${size} bytes; at most ${maxBytes} are kept`);
      await ready();
      const expires = String(Math.floor((clock.now() + signedUrlLifetimeMs) / 1000));
      const label = objectName
        .replace(/\.[a-z]+$/, "")
        .replace(/[^A-Za-z0-9_-]/g, "_")
        .slice(0, 80);
      const file = `${expires}-${random.bytes(16).toString("hex")}-${label}.${extensions[contentType] ?? "bin"}`;
      // A reader never sees half of it.
      await writeFile(join(content, `${file}.partial`), text, { mode: 0o600 });
      await rename(join(content, `${file}.partial`), join(content, file));
      held += size;
      if (held > maxBytes || clock.now() - sweptAt >= 60_000) await sweepOnce();
      return `${origin}/results/${file}?expires=${expires}&signature=${sign(file, expires).toString("hex")}`;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Bytes of a file; -1 where there is none. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return -1;
    throw error;
  }
}
