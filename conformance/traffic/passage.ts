import type http from "node:http";
import { contractVersion } from "../../generated/contract.ts";
import type { Budget } from "../judge/budget.ts";
import { moment, type Moment } from "../judge/moment.ts";
import { Copy } from "./copy.ts";
import type { Crossed } from "./crossed.ts";
import type { JudgeThread } from "./judge-thread.ts";
import type { Judged } from "./judge-worker.ts";
import type { Live, Party } from "./traffic-judge.ts";

/** State shared by the exchanges of one proxy. */
export interface Way {
  target: URL;
  /** Whether connections to the target use TLS. */
  secure: boolean;
  /** Sends a request to the target. */
  send: (
    message: { method: string; path: string; headers: string[] },
    onAnswer: (incoming: http.IncomingMessage) => void,
  ) => http.ClientRequest;
  thread: JudgeThread;
  budget: Budget;
  party: Party;
  enforce: boolean;
  strict: boolean;
  now: () => number;
  onTrouble: ((sentence: string) => void) | undefined;
}

/** Hop-by-hop headers (RFC 9110, 7.6.1). */
const ofConnection = new Set(["connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade"]);

/** TLS error codes for an untrusted certificate. */
const distrust = /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|CERT_UNTRUSTED/;

/** One request on its way to the target, and its answer on the way back. */
export class Passage {
  readonly #way: Way;
  readonly #request: http.IncomingMessage;
  readonly #response: http.ServerResponse;
  readonly #begun: Moment;
  readonly #sent: Copy;
  readonly #received: Copy;
  /** Whether the answer waits for the judge. */
  #isHeld: boolean;
  #isOver = false;
  /** Whether the target accepted the connection. */
  #isConnected = false;

  constructor(way: Way, request: http.IncomingMessage, response: http.ServerResponse) {
    this.#way = way;
    this.#request = request;
    this.#response = response;
    this.#begun = moment(way.now);
    this.#sent = new Copy(way.budget);
    this.#received = new Copy(way.budget);
    this.#isHeld = way.enforce;
  }

  /** Forwards the request as it arrives. */
  begin(): void {
    const { target, send } = this.#way;
    const request = this.#request;
    const headers = messageHeaders(request.rawHeaders, target.host);
    const passing = send({ method: this.#method, path: this.#path, headers }, (incoming) =>
      this.#passBack(incoming),
    );
    const { secure } = this.#way;
    passing.on("socket", (socket) => {
      const connected = (): void => void (this.#isConnected = true);
      if (passing.reusedSocket) connected();
      else socket.once(secure ? "secureConnect" : "connect", connected);
    });
    passing.on("error", (error: NodeJS.ErrnoException) => this.#fail(error));
    this.#response.on("close", () => {
      if (this.#response.writableFinished) return;
      this.#lost("the client left before the answer arrived");
      passing.destroy();
    });
    request.on("data", (chunk: Buffer) => {
      if (!this.#isOver && !this.#sent.add(chunk)) this.#sent.drop();
      if (!passing.write(chunk)) {
        request.pause();
        passing.once("drain", () => request.resume());
      }
    });
    request.on("end", () => passing.end());
    request.on("error", () => passing.destroy());
  }

  get #method(): string {
    return this.#request.method ?? "GET";
  }

  get #path(): string {
    return this.#request.url ?? "/";
  }

  /**
   * Handles a target that gives no answer. A connection that was made and then closed or reset ends for the client in
   * the same way; the proxy itself answers only if none was made.
   */
  #fail({ message, code, syscall }: NodeJS.ErrnoException): void {
    if (this.#isOver) return;
    this.#lost(message);
    if (this.#isConnected && code === "ECONNRESET") return this.#close(syscall === "read");
    const hint = distrust.test(code ?? "") ? "; --ca FILE names the authority that signed it" : "";
    const sentence = `${this.#way.target.origin} gave no answer: ${message}${hint}`;
    this.#way.onTrouble?.(sentence);
    if (this.#response.headersSent) this.#response.destroy();
    else refuse(this.#response, sentence);
  }

  /** Closes the client's connection as the target closed its own. */
  #close(byReset: boolean): void {
    if (byReset) this.#request.socket.resetAndDestroy();
    else this.#response.destroy();
  }

  /** Forwards the answer as it arrives, or holds it until it is judged. */
  #passBack(incoming: http.IncomingMessage): void {
    let hasBody = false;
    if (!this.#isHeld) {
      if (!this.#passHead(incoming)) return;
      // Send the headers now, since the body may take a while.
      setImmediate(() => {
        if (!hasBody && !this.#response.destroyed) this.#response.flushHeaders();
      });
    }
    incoming.on("data", (chunk: Buffer) => {
      hasBody = true;
      this.#passChunk(incoming, chunk);
    });
    incoming.on("error", (error) => this.#breakOff(error));
    incoming.on("end", () => {
      const crossed = this.#over(incoming, null);
      if (crossed === null) return;
      if (this.#isHeld) {
        void this.#way.thread.now(crossed).then(
          (judged) => this.#release(incoming, judged),
          () => refuse(this.#response, "The judge of the proxy has failed, so nothing can be let through."),
        );
      } else {
        this.#response.end();
        this.#judgeLater(crossed);
      }
    });
  }

  #passChunk(incoming: http.IncomingMessage, chunk: Buffer): void {
    const response = this.#response;
    if (!this.#isOver && !this.#received.add(chunk)) {
      const before = this.#received.drop();
      if (this.#isHeld) {
        // No room to hold it any longer: forward it with its body unjudged, as without `enforce`.
        this.#isHeld = false;
        if (!this.#passHead(incoming)) return;
        for (const piece of before) response.write(piece);
      }
    }
    if (this.#isHeld) return;
    if (!response.write(chunk)) {
      incoming.pause();
      response.once("drain", () => incoming.resume());
    }
  }

  /** Sends the held answer, or a refusal in its place. */
  #release(incoming: http.IncomingMessage, { live, tooLarge }: Judged): void {
    const { strict, party } = this.#way;
    const response = this.#response;
    this.#sent.drop();
    const chunks = this.#received.drop();
    if (tooLarge !== null) return refuse(response, `The answer cannot be judged: its body is ${tooLarge}.`);
    const broken = live.find(({ level }) => strict || level === "must");
    if (broken !== undefined) return refuse(response, sentenceOf(broken, party));
    if (!this.#passHead(incoming)) return;
    for (const chunk of chunks) response.write(chunk);
    response.end();
  }

  /** Forwards the answer's status and headers; false when HTTP does not permit them. */
  #passHead(incoming: http.IncomingMessage): boolean {
    this.#response.sendDate = false;
    try {
      const heads = messageHeaders(incoming.rawHeaders);
      this.#response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, heads);
      return true;
    } catch (error) {
      this.#breakOff(error as NodeJS.ErrnoException);
      incoming.destroy();
      return false;
    }
  }

  #breakOff(error: NodeJS.ErrnoException): void {
    this.#lost(`the answer broke off: ${error.message}`);
    this.#close(error.syscall === "read");
  }

  #lost(error: string): void {
    const crossed = this.#over(null, error);
    if (crossed !== null) this.#judgeLater(crossed);
  }

  /** The completed exchange, emitted once: at the end of the answer, or when it can no longer arrive. */
  #over(answer: http.IncomingMessage | null, error: string | null): Crossed | null {
    if (this.#isOver) return null;
    this.#isOver = true;
    return {
      startedAt: this.#begun.at,
      durationMs: performance.now() - this.#begun.since,
      method: this.#method,
      url: this.#way.target.origin + this.#path,
      headers: this.#request.rawHeaders,
      sent: this.#sent.bytes(),
      answer: answer && {
        status: answer.statusCode ?? 0,
        headers: answer.rawHeaders,
        body: this.#received.bytes(),
      },
      error,
      missing: [
        ...(this.#sent.isWhole && this.#request.complete ? [] : (["sent"] as const)),
        ...(answer === null || this.#received.isWhole ? [] : (["body"] as const)),
      ],
    };
  }

  /** Submits the exchange to the judge; its copies count against the budget until it is judged. */
  #judgeLater(crossed: Crossed): void {
    const { budget, thread } = this.#way;
    const heads = sizeOfHeads(crossed);
    const letGo = (): void => {
      this.#sent.drop();
      this.#received.drop();
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
  }
}

const sentenceOf = ({ rule, breach }: Live, party: Party): string =>
  `The ${party === "client" ? "request" : "answer"} breaks ${rule.clauses[0]}, ${rule.title}: expected ${breach.expected}, received ${breach.received}.`;

/** An answer by the proxy itself: the contract's error object. */
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

/** The headers unchanged in names and order, without hop-by-hop headers. */
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

/** Approximate memory use of an exchange without its bodies, in bytes. */
function sizeOfHeads({ url, headers, answer }: Crossed): number {
  let size = 1024 + url.length;
  for (const text of headers) size += text.length;
  for (const text of answer?.headers ?? []) size += text.length;
  return size;
}
