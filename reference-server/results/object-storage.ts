import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { createReadStream, type ReadStream } from "node:fs";
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { isIP, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Logger } from "pino";
import { keptSecret } from "../kept-secret.ts";
import type { Clock, ObjectStorage, Random } from "../parts.ts";
import { systemClock } from "../system-clock.ts";
import { caFileIn, keptCertificate, serverCertificate } from "./certificates.ts";

/** Lifetime of a signed address by default (open points: Discover, Inspect, Probe, Call). */
export const signedUrlLifetimeMs = 120 * 60_000;

/** The embedded object storage: a folder behind an HTTPS listener of its own. */
export interface EmbeddedStorage extends ObjectStorage {
  /** `https://host:port` of all its addresses. */
  origin: string;
  /** The CA certificate that clients must trust; available once the storage is `ready`. */
  caFile: string;
  /** Creates the certificate if none is kept yet; storing content waits for it. */
  ready(): Promise<void>;
  /** Deletes expired content, and the oldest content beyond the size limits. Returns the number of files deleted. */
  sweep(): Promise<number>;
  close(): Promise<void>;
}

interface EmbeddedStorageOptions {
  /** Folder for the content, the signing secret and the certificates; created if it is missing. */
  folder: string;
  /** The listening address. */
  host: string;
  /** 0 for a free port. */
  port: number;
  /** Host name in the signed addresses; by default the listening address, or localhost for a wildcard. */
  publicHost?: string | null;
  /** The most bytes of content kept: in total, and for one account. */
  maxBytes?: number;
  maxBytesOfAccount?: number;
  /** Lifetime of a signed address. */
  lifetimeMs?: number;
  /** Called with each request before it is answered. */
  onRequest?: (request: IncomingMessage, response: ServerResponse) => void;
  /** Called with each connection, before its client trusts the certificate. */
  onConnection?: (socket: Socket) => void;
}

const extensions: Readonly<Record<string, string>> = { "application/json": "json", "text/plain": "txt" };
const contentTypes: Readonly<Record<string, string>> = {
  json: "application/json",
  txt: "text/plain; charset=utf-8",
};
const signedPath = /^\/results\/([A-Za-z0-9_-]+\.[a-z]+)\?expires=([0-9]+)&signature=([0-9a-f]{64})$/;
/** Every file name begins with the expiry time and the owner, even that of a file whose writer has died. */
const readName = (file: string): { expires: number; owner: string } => {
  const [, expires = "0", owner = ""] = /^([0-9]+)-[0-9a-f]+-(?:([0-9a-f]{16})-)?/.exec(file) ?? [];
  return { expires: Number(expires), owner };
};

/** Represents an account in the names of its files, which clients see. */
const ownerOf = (accountId: string): string =>
  createHash("sha256").update(accountId).digest("hex").slice(0, 16);

/** The most bytes of content that are kept for one account, unless the operator says otherwise. */
export const defaultBytesOfAccount = 67_108_864;

/**
 * The share of the limit that stays used when space is freed: a sweep reads the whole folder, so it frees more than
 * needed.
 */
const keptShare = 0.8;

/**
 * Starts the embedded object storage. The signature of an address covers every byte of name and expiry time; a changed
 * address gets 403, an expired one 410. The secret and the certificates are created on first use and kept in the
 * folder; creating the certificates takes so long that a start does not wait for it.
 */
export async function startObjectStorage(
  {
    folder,
    host,
    port,
    publicHost,
    maxBytes = 1_073_741_824,
    maxBytesOfAccount = defaultBytesOfAccount,
    lifetimeMs = signedUrlLifetimeMs,
    onRequest,
    onConnection,
  }: EmbeddedStorageOptions,
  parts: { clock: Clock; random: Random; log: Logger },
): Promise<EmbeddedStorage> {
  const { clock, random, log } = parts;
  const content = new Content(
    join(folder, "content"),
    { all: maxBytes, account: maxBytesOfAccount, lifetimeMs },
    parts,
  );
  await content.open();
  const secret = await keptSecret(join(folder, "url-secret"), random);
  const sign: Sign = (file, expires) =>
    createHmac("sha256", secret).update(`GET\n${file}\n${expires}`).digest();
  const server = createServer((request, response) => {
    onRequest?.(request, response);
    answer(request, response, { content, sign, clock }).catch((error: unknown) => {
      log.error({ error }, "object storage could not answer");
      response.destroy();
    });
  });
  if (onConnection !== undefined) server.on("connection", onConnection);
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
    async put(objectName, text, contentType, accountId) {
      await ready();
      const { file, expires } = await content.put(objectName, text, contentType, ownerOf(accountId));
      return `${origin}/results/${file}?expires=${expires}&signature=${sign(file, expires).toString("hex")}`;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await content.swept();
    },
  };
}

type Sign = (file: string, expires: string) => Buffer;

/**
 * Gives the server its kept certificate immediately; returns how to create one if there is none. Clients judge it by
 * their own clocks, which a test clock does not move.
 */
async function certifying(
  server: Server,
  folder: string,
  name: string,
  { random }: { random: Random },
): Promise<() => Promise<void>> {
  const hosts = [...new Set([name, "localhost", "127.0.0.1", "::1"])];
  const kept = await keptCertificate(folder, hosts, systemClock.now());
  if (kept !== null) server.setSecureContext(kept);
  let certified: Promise<void> | null = kept === null ? null : Promise.resolve();
  const certify = async () =>
    server.setSecureContext(await serverCertificate(folder, hosts, { now: systemClock.now(), random }));
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
  response.setHeader("Date", new Date(clock.now()).toUTCString());
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
  // Closes the file even if the client leaves before the end.
  await pipeline(content.read(file), response).catch(() => response.destroy());
}

interface Kept {
  file: string;
  expires: number;
  size: number;
  owner: string;
}

/** The most bytes of all content and of one account's, and how long it is kept. */
interface Limits {
  all: number;
  account: number;
  lifetimeMs: number;
}

/** A folder of files named after their expiry time in epoch seconds, and deleted after it. */
class Content {
  readonly #folder: string;
  readonly #most: Limits;
  readonly #parts: { clock: Clock; random: Random; log: Logger };
  #heldBy = new Map<string, number>();
  #sweptAt = 0;
  #sweeping: Promise<number> | null = null;

  constructor(folder: string, most: Limits, parts: { clock: Clock; random: Random; log: Logger }) {
    this.#folder = folder;
    this.#most = most;
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

  /** @throws RangeError if the text is larger than the limit */
  async put(
    name: string,
    text: string,
    contentType: string,
    owner: string,
  ): Promise<{ file: string; expires: string }> {
    const { clock, random } = this.#parts;
    const size = Buffer.byteLength(text);
    const most = Math.min(this.#most.all, this.#most.account);
    if (size > most) throw new RangeError(`${name} has ${size} bytes; at most ${most} are kept`);
    const expires = String(Math.floor((clock.now() + this.#most.lifetimeMs) / 1000));
    const label = name
      .replace(/\.[a-z]+$/, "")
      .replace(/[^A-Za-z0-9_-]/g, "_")
      .slice(0, 80);
    const random16 = random.bytes(16).toString("hex");
    const file = `${expires}-${random16}-${owner}-${label}.${extensions[contentType] ?? "bin"}`;
    // A reader never sees a partial file.
    const draft = join(this.#folder, `${file}.partial`);
    await writeFile(draft, text, { mode: 0o600 });
    await rename(draft, join(this.#folder, file));
    const held = (this.#heldBy.get(owner) ?? 0) + size;
    this.#heldBy.set(owner, held);
    const isFull = held > this.#most.account || sumOf(this.#heldBy.values()) > this.#most.all;
    if (isFull) await this.sweep();
    else if (clock.now() - this.#sweptAt >= 60_000) this.#sweepBeside();
    return { file, expires };
  }

  /** Sweeps while Calls go on: a folder of many files takes longer than a Call waits for its address. */
  #sweepBeside(): void {
    this.sweep().catch((error: unknown) => {
      this.#parts.log.warn({ error }, "expired results could not be deleted");
    });
  }

  /** Resolves when no sweep is under way. */
  async swept(): Promise<void> {
    await this.#sweeping?.catch(() => undefined);
  }

  /** Deletes expired content, and frees space if one account, or all together, exceed their limit. */
  sweep(): Promise<number> {
    return (this.#sweeping ??= this.#sweep().finally(() => (this.#sweeping = null)));
  }

  async #sweep(): Promise<number> {
    const { clock, log } = this.#parts;
    const kept: Kept[] = [];
    let removed = 0;
    const remove = async (file: string) => {
      await rm(join(this.#folder, file), { force: true });
      removed += 1;
    };
    for (const file of await readdir(this.#folder)) {
      const { expires, owner } = readName(file);
      if (expires * 1000 <= clock.now()) await remove(file);
      else kept.push({ file, expires, owner, size: await this.size(file) });
    }
    const { surplus, heldBy } = surplusOf(kept, this.#most);
    for (const { file, owner } of surplus) {
      log.warn(
        { file, owner },
        "object storage is full: an account's oldest result is deleted before its time",
      );
      await remove(file);
    }
    this.#heldBy = heldBy;
    this.#sweptAt = clock.now();
    return removed;
  }
}

const sumOf = (sizes: Iterable<number>): number => [...sizes].reduce((sum, size) => sum + size, 0);

/**
 * The files to delete: the oldest of each account above its limit. Then, while the total is above its limit, the oldest
 * of the account with the most content: no account loses a result because of a larger one.
 */
function surplusOf(
  kept: readonly Kept[],
  most: { all: number; account: number },
): { surplus: Kept[]; heldBy: Map<string, number> } {
  const oldestFirst = kept.toSorted((a, b) => a.expires - b.expires);
  const filesOf = Map.groupBy(oldestFirst, ({ owner }) => owner);
  const heldBy = new Map([...filesOf].map(([owner, files]) => [owner, sumOf(files.map(({ size }) => size))]));
  const surplus: Kept[] = [];
  const dropOldest = (owner: string): void => {
    const file = filesOf.get(owner)?.shift();
    if (file === undefined) return void heldBy.delete(owner);
    surplus.push(file);
    heldBy.set(owner, heldBy.get(owner)! - file.size);
  };
  for (const [owner, held] of heldBy) {
    if (held <= most.account) continue;
    while ((heldBy.get(owner) ?? 0) > keptShare * most.account) dropOldest(owner);
  }
  if (sumOf(heldBy.values()) > most.all) {
    while (sumOf(heldBy.values()) > keptShare * most.all) {
      dropOldest([...heldBy].reduce((largest, holder) => (holder[1] > largest[1] ? holder : largest))[0]);
    }
  }
  return { surplus, heldBy };
}

/** The size of a file in bytes; -1 if it does not exist. */
async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return -1;
    throw error;
  }
}
