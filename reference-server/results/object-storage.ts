import { createHmac, timingSafeEqual } from "node:crypto";
import { createReadStream, type ReadStream } from "node:fs";
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
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
  parts: { clock: Clock; random: Random; log: Logger },
): Promise<EmbeddedStorage> {
  const { clock, random, log } = parts;
  const content = new Content(join(folder, "content"), maxBytes, parts);
  await content.open();
  const secret = await keptSecret(join(folder, "url-secret"), random);
  const sign: Sign = (file, expires) =>
    createHmac("sha256", secret).update(`GET\n${file}\n${expires}`).digest();
  const server = createServer((request, response) => {
    answer(request, response, { content, sign, clock }).catch((error: unknown) => {
      log.error({ error }, "object storage could not answer");
      response.destroy();
    });
  });
  const name = publicHost ?? (host === "0.0.0.0" || host === "::" ? "localhost" : host);
  const ready = await certifying(server, folder, name, parts);
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
    sweep: () => content.sweep(),
    async put(objectName, text, contentType) {
      await ready();
      const { file, expires } = await content.put(objectName, text, contentType);
      return `${origin}/results/${file}?expires=${expires}&signature=${sign(file, expires).toString("hex")}`;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Sign = (file: string, expires: string) => Buffer;

/** Gives the server its certificate at once where one is kept; answers how to make one otherwise. */
async function certifying(
  server: Server,
  folder: string,
  name: string,
  { clock, random }: { clock: Clock; random: Random },
): Promise<() => Promise<void>> {
  const hosts = [...new Set([name, "localhost", "127.0.0.1", "::1"])];
  const kept = await keptCertificate(folder, hosts, clock.now());
  if (kept !== null) server.setSecureContext(kept);
  let certified: Promise<void> | null = kept === null ? null : Promise.resolve();
  const certify = async () =>
    server.setSecureContext(await serverCertificate(folder, hosts, { now: clock.now(), random }));
  return () =>
    (certified ??= certify().catch((error: unknown) => {
      certified = null;
      throw error;
    }));
}

/** Answers one request for a signed address. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { content, sign, clock }: { content: Content; sign: Sign; clock: Clock },
): Promise<void> {
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
  const [, file = "", expires = "", signature = ""] = signedPath.exec(request.url ?? "") ?? [];
  if (file === "" || !timingSafeEqual(sign(file, expires), Buffer.from(signature, "hex"))) {
    return refuse(
      403,
      "This is not an address that was signed here. Use full_content_file_url exactly as returned.",
    );
  }
  if (Number(expires) * 1000 <= clock.now()) {
    return refuse(410, "This address has expired. Make the call again for a new one.");
  }
  const size = await content.size(file);
  if (size < 0) return refuse(410, "This content is no longer kept. Make the call again for a new address.");
  response.writeHead(200, {
    "Content-Type": contentTypes[file.slice(file.lastIndexOf(".") + 1)] ?? "application/octet-stream",
    "Content-Length": size,
  });
  if (request.method === "HEAD") return void response.end();
  content
    .read(file)
    .on("error", (error) => response.destroy(error))
    .pipe(response);
}

/** A folder of files that begin with their end, in epoch seconds, and are deleted after it. */
class Content {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #parts: { clock: Clock; random: Random; log: Logger };
  #held = 0;
  #sweptAt = 0;
  #sweeping: Promise<number> | null = null;

  constructor(folder: string, maxBytes: number, parts: { clock: Clock; random: Random; log: Logger }) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
    this.#parts = parts;
  }

  async open(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await this.sweep();
  }

  size(file: string): Promise<number> {
    return sizeOf(join(this.#folder, file));
  }

  read(file: string): ReadStream {
    return createReadStream(join(this.#folder, file));
  }

  /** @throws RangeError when the text is larger than the whole folder may be */
  async put(name: string, text: string, contentType: string): Promise<{ file: string; expires: string }> {
    const { clock, random } = this.#parts;
    const size = Buffer.byteLength(text);
    if (size > this.#maxBytes)
      throw new RangeError(`${name} has ${size} bytes; at most ${this.#maxBytes} are kept`);
    const expires = String(Math.floor((clock.now() + signedUrlLifetimeMs) / 1000));
    const label = name
      .replace(/\.[a-z]+$/, "")
      .replace(/[^A-Za-z0-9_-]/g, "_")
      .slice(0, 80);
    const file = `${expires}-${random.bytes(16).toString("hex")}-${label}.${extensions[contentType] ?? "bin"}`;
    // A reader never sees half of it.
    const draft = join(this.#folder, `${file}.partial`);
    await writeFile(draft, text, { mode: 0o600 });
    await rename(draft, join(this.#folder, file));
    this.#held += size;
    if (this.#held > this.#maxBytes || clock.now() - this.#sweptAt >= 60_000) await this.sweep();
    return { file, expires };
  }

  /** Deletes what has expired, and the oldest where the folder holds more than it may. Answers how many files. */
  sweep(): Promise<number> {
    return (this.#sweeping ??= this.#sweep().finally(() => (this.#sweeping = null)));
  }

  async #sweep(): Promise<number> {
    const { clock, log } = this.#parts;
    const kept: { file: string; expires: number; size: number }[] = [];
    let removed = 0;
    const remove = async (file: string) => {
      await rm(join(this.#folder, file), { force: true });
      removed += 1;
    };
    for (const file of await readdir(this.#folder)) {
      const expires = endOf(file);
      if (expires * 1000 <= clock.now()) await remove(file);
      else kept.push({ file, expires, size: await this.size(file) });
    }
    this.#held = kept.reduce((sum, { size }) => sum + size, 0);
    for (const { file, size } of kept.sort((a, b) => a.expires - b.expires)) {
      if (this.#held <= this.#maxBytes) break;
      const { held, maxBytes } = { held: this.#held, maxBytes: this.#maxBytes };
      log.warn(
        { file, held, maxBytes },
        "object storage is full: the oldest result is deleted before its time",
      );
      await remove(file);
      this.#held -= size;
    }
    this.#sweptAt = clock.now();
    return removed;
  }
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
