import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { Budget } from "../judge/budget.ts";
import type { Report } from "../report/report.ts";
import { JudgeThread } from "./judge-thread.ts";
import { Passage, type Way } from "./passage.ts";
import type { Counts, Live, Party } from "./traffic-judge.ts";

export interface ProxyOptions {
  /** The server behind it: its origin, or its base URL where that does not end in /api/v1 right after the origin. */
  target: string;
  /** 0 takes a free one. */
  port?: number;
  host?: string;
  party: Party;
  /** The traffic is all that its clients do, from their start to their end. */
  complete?: boolean;
  /** Answers 502 in the place of an answer by which a `must` was broken; the answer waits for the judge. */
  enforce?: boolean;
  /** A broken `should` is enforced as well. */
  strict?: boolean;
  /** A certificate authority that signed the target's certificate, in PEM. */
  ca?: Buffer;
  /** Told of every breach as it is found. */
  onBreach?: (live: Live) => void;
  /** Told why the target gave no answer. */
  onTrouble?: (sentence: string) => void;
  /** Epoch milliseconds; the system's clock unless told. */
  now?: () => number;
  /** Bytes that may be kept for judgement at the same time; see `mostKept`. */
  most?: number;
}

export interface Proxy {
  port: number;
  baseUrl: string;
  /** Waits until all that has passed is judged. */
  settled: () => Promise<Counts>;
  /** Lets nothing more pass, and reports. The same report each time. */
  close: () => Promise<{ report: Report; counts: Counts }>;
  /** Rejects when the judge itself fails. Traffic still passes then. */
  failed: Promise<never>;
}

/**
 * Bytes that are kept for judgement at the same time, of all connections. Beyond them, traffic passes all the same: its
 * bodies are let go, so that it is judged in part; and where even the heads are too many, it is counted as missed.
 */
const mostKept = 64 * 1024 * 1024;
/** How long a connection to the target may be idle, in ms: less than servers permit, which would close it in use. */
const idleMs = 4000;

/**
 * Starts a reverse proxy that judges what it passes on. Requests and answers go through byte by byte as they come; the
 * judgement happens in another thread, in the order in which answers end. With `enforce`, an answer waits for it.
 */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const { party, complete = false, host = "127.0.0.1" } = options;
  const target = new URL(options.target);
  const secure = target.protocol === "https:";
  const prefix = target.pathname.replace(/\/+$/, "") || "/api/v1";
  const agent = new (secure ? https : http).Agent({ keepAlive: true, maxSockets: 1024, timeout: idleMs });
  const send = secure ? https.request : http.request;
  const upstream = {
    hostname: target.hostname.replace(/^\[|\]$/g, ""),
    port: target.port,
    agent,
    ...(options.ca && { ca: options.ca }),
  };
  const thread = await JudgeThread.start({ party, complete, baseUrl: target.origin + prefix }, (live) =>
    options.onBreach?.(live),
  );
  const way: Way = {
    target,
    send: (message, onAnswer) => send({ ...upstream, ...message }, onAnswer),
    thread,
    budget: new Budget(options.most ?? mostKept),
    party,
    enforce: options.enforce ?? false,
    strict: options.strict ?? false,
    now: options.now ?? Date.now,
    onTrouble: options.onTrouble,
  };
  const server = http.createServer((request, response) => new Passage(way, request, response).begin());
  // How long a request may take to come is for the target to decide.
  server.requestTimeout = 0;

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, host, resolve);
  }).catch(async (error: unknown) => {
    await thread.end(target.origin, "");
    throw error;
  });
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<{ report: Report; counts: Counts }> => {
    const ended = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await ended;
    agent.destroy();
    return thread.end(options.target, `the proxy before ${options.target}`);
  };
  let closed: ReturnType<Proxy["close"]> | undefined;
  return {
    port,
    baseUrl: `http://${host.includes(":") ? `[${host}]` : host}:${port}${prefix}`,
    settled: () => thread.settled(),
    close: () => (closed ??= close()),
    failed: thread.failed,
  };
}
