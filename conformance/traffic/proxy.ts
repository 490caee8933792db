import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { Budget } from "../judge/budget.ts";
import type { Report } from "../report/report.ts";
import { JudgeThread } from "./judge-thread.ts";
import { Passage, type Way } from "./passage.ts";
import type { Counts, Live, Party } from "./traffic-judge.ts";

export interface ProxyOptions {
  /** The server behind the proxy: its origin, or its base URL when that is not simply the origin plus /api/v1. */
  target: string;
  /** 0 selects a free port. */
  port?: number;
  host?: string;
  party: Party;
  /** The traffic is everything its clients do, from start to end. */
  complete?: boolean;
  /** Answers 502 in place of an answer that broke a `must`; each answer waits for the judge. */
  enforce?: boolean;
  /** Also enforces every `should`. */
  strict?: boolean;
  /** The certificate authority of the target's certificate, in PEM. */
  ca?: string | Buffer;
  /** Where all that passes goes as a HAR file, secrets masked. */
  har?: string;
  /** At the end, asks the usage audit with the key of each client whose Calls have an unknown outcome. */
  audit?: boolean;
  /** Called with each breach as it is found. */
  onBreach?: (live: Live) => void;
  /** Called with the reason when the target gives no answer. */
  onTrouble?: (sentence: string) => void;
  /** Epoch milliseconds; by default the system clock. */
  now?: () => number;
  /** Maximum number of bytes kept for judgement; see `maxKept`. */
  maxBytes?: number;
}

/** What remains of a closed proxy. */
export interface Closed {
  report: Report;
  counts: Counts;
  /** Why the audits of some clients could not be read. */
  unread: string[];
}

export interface Proxy {
  port: number;
  baseUrl: string;
  /** Waits until all forwarded traffic is judged. */
  settled: () => Promise<Counts>;
  /** Stops forwarding and reports; returns the same report each time. */
  close: () => Promise<Closed>;
  /** Rejects when the judge itself fails. Traffic is still forwarded then. */
  failed: Promise<never>;
}

/**
 * Maximum number of bytes kept for judgement, over all connections. Beyond it, traffic is still forwarded: bodies are
 * dropped and judgement is partial; when even the headers are too many, exchanges are counted as missed.
 */
const maxKept = 64 * 1024 * 1024;
/** Idle timeout of connections to the target, in ms: shorter than the servers' own, which might close one in use. */
const idleMs = 4000;

/**
 * Starts a reverse proxy that judges what it forwards. Requests and answers are streamed unchanged; judgement happens
 * in another thread, in the order in which answers end. With `enforce`, each answer waits for it.
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
  const thread = await JudgeThread.start(
    { party, complete, baseUrl: target.origin + prefix, har: options.har },
    (live) => options.onBreach?.(live),
  );
  const way: Way = {
    target,
    secure,
    send: (message, onAnswer) => send({ ...upstream, ...message }, onAnswer),
    thread,
    budget: new Budget(options.maxBytes ?? maxKept),
    party,
    enforce: options.enforce ?? false,
    strict: options.strict ?? false,
    now: options.now ?? Date.now,
    onTrouble: options.onTrouble,
  };
  const server = http.createServer((request, response) => new Passage(way, request, response).begin());
  // The target decides how long a request may take to arrive.
  server.requestTimeout = 0;

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, host, resolve);
  }).catch(async (error: unknown) => {
    await thread.end(target.origin, "");
    throw error;
  });
  const { port } = server.address() as AddressInfo;
  const close = async (): Promise<Closed> => {
    const ended = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await ended;
    agent.destroy();
    const unread = options.audit ? await thread.audit(options.ca?.toString()) : [];
    return { ...(await thread.end(options.target, `the proxy before ${options.target}`)), unread };
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
