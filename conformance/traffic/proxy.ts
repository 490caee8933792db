import http from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { Budget } from "../judge/budget.ts";
import type { Report } from "../report/report.ts";
import { contractVersion } from "../../generated/contract.ts";
import { Copy } from "./copy.ts";
import type { Crossed } from "./crossed.ts";
import { JudgeThread } from "./judge-thread.ts";
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

/** Headers that belong to one connection, not to the message (RFC 9110, 7.6.1). */
const ofConnection = new Set(["connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade"]);

/** What TLS says of a certificate that nobody trusts. */
const distrust = /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|CERT_UNTRUSTED/;

/**
 * Starts a reverse proxy that judges what it passes on. Requests and answers go through byte by byte as they come; the
 * judgement happens in another thread, in the order in which answers end. With `enforce`, an answer waits for it.
 */
export async function startProxy(options: ProxyOptions): Promise<Proxy> {
  const {
    party,
    enforce = false,
    strict = false,
    complete = false,
    now = Date.now,
    host = "127.0.0.1",
  } = options;
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
  const budget = new Budget(options.most ?? mostKept);

  const server = http.createServer((request, response) => {
    const startedAt = now();
    const started = performance.now();
    const method = request.method ?? "GET";
    const path = request.url ?? "/";
    const sent = new Copy(budget);
    const received = new Copy(budget);
    let isOver = false;

    /** What crossed, told once: at the end of the answer, or when it can no longer come. */
    const over = (answer: http.IncomingMessage | null, error: string | null): Crossed | null => {
      if (isOver) return null;
      isOver = true;
      return {
        startedAt,
        durationMs: performance.now() - started,
        method,
        url: target.origin + path,
        headers: request.rawHeaders,
        sent: sent.bytes(),
        answer: answer && {
          status: answer.statusCode ?? 0,
          headers: answer.rawHeaders,
          body: received.bytes(),
        },
        error,
        partial: !sent.isWhole || !request.complete || (answer !== null && !received.isWhole),
      };
    };
    /** Leaves what crossed to the judge; the copies stay in the budget until they are judged. */
    const judgeLater = (crossed: Crossed): void => {
      const heads = sizeOfHeads(crossed);
      const letGo = (): void => {
        sent.drop();
        received.drop();
      };
      if (!budget.take(heads)) {
        letGo();
        thread.missed();
        return;
      }
      thread.later(crossed, () => {
        letGo();
        budget.give(heads);
      });
    };
    const lost = (error: string): void => {
      const crossed = over(null, error);
      if (crossed !== null) judgeLater(crossed);
    };

    const passing = send(
      { ...upstream, method, path, headers: messageHeaders(request.rawHeaders, target.host) },
      (incoming) => {
        let isHeld = enforce;
        let hasBody = false;
        const breakOff = (error: Error): void => {
          lost(`the answer broke off: ${error.message}`);
          response.destroy();
        };
        /** Passes the head on; false when it is none that HTTP permits. */
        const begin = (): boolean => {
          response.sendDate = false;
          try {
            const heads = messageHeaders(incoming.rawHeaders);
            response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, heads);
            return true;
          } catch (error) {
            breakOff(error as Error);
            incoming.destroy();
            return false;
          }
        };
        if (!isHeld) {
          if (!begin()) return;
          // A head whose body takes its time must not wait for it.
          setImmediate(() => {
            if (!hasBody && !response.destroyed) response.flushHeaders();
          });
        }
        incoming.on("data", (chunk: Buffer) => {
          hasBody = true;
          if (!isOver && !received.add(chunk)) {
            const before = received.drop();
            if (isHeld) {
              // There is no room to hold it back any longer: it passes, its body unjudged, as without `enforce`.
              isHeld = false;
              if (!begin()) return;
              for (const one of before) response.write(one);
            }
          }
          if (isHeld) return;
          if (!response.write(chunk)) {
            incoming.pause();
            response.once("drain", () => incoming.resume());
          }
        });
        incoming.on("error", breakOff);
        incoming.on("end", () => {
          const crossed = over(incoming, null);
          if (crossed === null) return;
          if (!isHeld) {
            response.end();
            judgeLater(crossed);
            return;
          }
          void thread.now(crossed).then(
            ({ live, tooLarge }) => {
              sent.drop();
              const chunks = received.drop();
              if (tooLarge !== null)
                return refuse(response, `The answer cannot be judged: its body is ${tooLarge}.`);
              const broken = live.find(({ level }) => strict || level === "must");
              if (broken !== undefined) return refuse(response, sentenceOf(broken, party));
              if (!begin()) return;
              for (const chunk of chunks) response.write(chunk);
              response.end();
            },
            () => refuse(response, "The judge of the proxy has failed, so that nothing can be let through."),
          );
        });
      },
    );
    passing.on("error", (error: NodeJS.ErrnoException) => {
      if (isOver) return;
      lost(error.message);
      const hint = distrust.test(error.code ?? "") ? "; --ca FILE names the authority that signed it" : "";
      const sentence = `${target.origin} gave no answer: ${error.message}${hint}`;
      options.onTrouble?.(sentence);
      if (response.headersSent) response.destroy();
      else refuse(response, sentence);
    });
    response.on("close", () => {
      if (response.writableFinished) return;
      lost("the client left before the answer was there");
      passing.destroy();
    });
    request.on("data", (chunk: Buffer) => {
      if (!isOver && !sent.add(chunk)) sent.drop();
      if (!passing.write(chunk)) {
        request.pause();
        passing.once("drain", () => request.resume());
      }
    });
    request.on("end", () => passing.end());
    request.on("error", () => passing.destroy());
  });
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

const sentenceOf = ({ rule, breach }: Live, party: Party): string =>
  `The ${party === "client" ? "request" : "answer"} breaks ${rule.clauses[0]}, ${rule.title}: expected ${breach.expected}, received ${breach.received}.`;

/** An answer of the proxy's own: the contract's error object. */
function refuse(response: http.ServerResponse, message: string): void {
  const body = JSON.stringify({ status: "failure", message, status_code: 502, data: null });
  response
    .writeHead(502, {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Length": Buffer.byteLength(body),
      "X-Service-Api-Version": contractVersion,
    })
    .end(body);
}

/** The headers as they came, names and order unchanged, but for those of the connection. */
function messageHeaders(raw: readonly string[], host?: string): string[] {
  const headers: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!;
    const lower = name.toLowerCase();
    if (ofConnection.has(lower) || (lower === "transfer-encoding" && host === undefined)) continue;
    headers.push(name, lower === "host" && host !== undefined ? host : raw[index + 1]!);
  }
  return headers;
}

/** About how much memory an exchange takes beside its bodies, in bytes. */
function sizeOfHeads({ url, headers, answer }: Crossed): number {
  let size = 1024 + url.length;
  for (const text of headers) size += text.length;
  for (const text of answer?.headers ?? []) size += text.length;
  return size;
}
