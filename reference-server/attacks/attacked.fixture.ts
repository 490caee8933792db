import { mkdtemp, rm } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { duplexPair, Writable, type Duplex } from "node:stream";
import { pino } from "pino";
import { defaultConfig, type Config } from "../config.ts";
import type { Parts } from "../parts.ts";
import { baseUrl, defaultParts } from "../parts-default.ts";
import { createServer } from "../server.ts";
import type { Connecting } from "../storage/open.ts";

export interface Answered {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, unknown>;
}

/** A server to attack: its address, its parts, and its log. */
export interface Attacked {
  base: string;
  folder: string;
  parts: Parts;
  logged(): string;
  ask(
    method: string,
    path: string,
    more?: { body?: unknown; token?: string | null; headers?: Record<string, string> },
  ): Promise<Answered>;
  /** Sends bytes that no HTTP client would send; returns everything received until the server closes. */
  raw(bytes: string): Promise<string>;
  /** A connection without the kernel's buffers: bytes that its client does not read wait in the server. */
  connect(): Duplex;
  /** The key and the claim code of a trial account. */
  trial(): Promise<{ key: string; claimCode: string }>;
  stop(): Promise<void>;
}

const unlimited = 1_000_000;

/** Starts a server on its own folder with the most verbose log; parts and the writer's connection can be replaced. */
export async function startAttacked(
  change: (parts: Parts) => Parts = (parts) => parts,
  given: Partial<Config> = {},
  connect?: Connecting,
): Promise<Attacked> {
  const folder = await mkdtemp(join(tmpdir(), "attacked-"));
  const quotas = {
    discover: unlimited,
    inspect: unlimited,
    probe: unlimited,
    call: unlimited,
    anonymous: unlimited,
  };
  const config: Config = { ...defaultConfig, dataFolder: folder, quotas, ...given };
  const lines: string[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const defaults = await defaultParts(config, {
    log: pino({ level: "trace" }, sink),
    ...(connect && { connect }),
  });
  const parts = change(defaults.parts);
  const server = createServer(config, parts);
  const port = await server.start(0);
  const base = baseUrl(config.host, port);
  const ask: Attacked["ask"] = async (method, path, { body, token = null, headers = {} } = {}) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: {
        ...(token !== null && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && {
        body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (text.startsWith("{") ? JSON.parse(text) : {}) as Answered["body"],
    };
  };
  return {
    base,
    folder,
    parts,
    logged: () => lines.join(""),
    ask,
    raw: (bytes) =>
      new Promise((resolve, reject) => {
        const socket = net.connect(port, "127.0.0.1", () => socket.write(bytes));
        let answer = "";
        socket.on("data", (chunk) => (answer += chunk.toString()));
        socket.on("end", () => resolve(answer));
        socket.on("error", reject);
      }),
    connect() {
      const [client, accepted] = duplexPair();
      client.on("close", () => accepted.destroy());
      server.listener.emit("connection", accepted);
      return client;
    },
    async trial() {
      const { body } = await ask("POST", "/agent/anonymous-register", { body: {} });
      const { api_key: key, claim_code: claimCode } = body["data"] as { api_key: string; claim_code: string };
      return { key, claimCode };
    },
    async stop() {
      await server.stop();
      await defaults.close();
      await rm(folder, { recursive: true });
    },
  };
}
