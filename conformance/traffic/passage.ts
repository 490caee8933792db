import type http from "node:http";
import { contractVersion } from "../../generated/contract.ts";
import type { Budget } from "../judge/budget.ts";
import { Copy } from "./copy.ts";
import type { Crossed } from "./crossed.ts";
import type { JudgeThread } from "./judge-thread.ts";
import type { Judged } from "./judge-worker.ts";
import type { Live, Party } from "./traffic-judge.ts";

/** What the exchanges that pass through one proxy share. */
export interface Way {
  target: URL;
  /** Sends a request on to the target. */
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

/** Headers that belong to one connection, not to the message (RFC 9110, 7.6.1). */
const ofConnection = new Set(["connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade"]);

/** What TLS says of a certificate that nobody trusts. */
const distrust = /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)|CERT_UNTRUSTED/;

/** One request on its way to the target, and its answer on the way back. */
export class Passage {
  readonly #way: Way;
  readonly #request: http.IncomingMessage;
  readonly #response: http.ServerResponse;
  readonly #startedAt: number;
  readonly #started = performance.now();
  readonly #sent: Copy;
  readonly #received: Copy;
  /** The answer waits for the judge. */
  #isHeld: boolean;
  #isOver = false;

  constructor(way: Way, request: http.IncomingMessage, response: http.ServerResponse) {
    this.#way = way;
    this.#request = request;
    this.#response = response;
    this.#startedAt = way.now();
    this.#sent = new Copy(way.budget);
    this.#received = new Copy(way.budget);
    this.#isHeld = way.enforce;
  }

  /** Passes the request on as it comes. */
  begin(): void {
    const { target, send } = this.#way;
    const request = this.#request;
    const headers = messageHeaders(request.rawHeaders, target.host);
    const passing = send({ method: this.#method, path: this.#path, headers }, (incoming) =>
      this.#passBack(incoming),
    );
    passing.on("error", (error: NodeJS.ErrnoException) => this.#fail(error));
    this.#response.on("close", () => {
      if (this.#response.writableFinished) return;
      this.#lost("the client left before the answer was there");
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

  /** The target gave no answer. */
  #fail({ message, code }: NodeJS.ErrnoException): void {
    if (this.#isOver) return;
    this.#lost(message);
    const hint = distrust.test(code ?? "") ? "; --ca FILE names the authority that signed it" : "";
    const sentence = `${this.#way.target.origin} gave no answer: ${message}${hint}`;
    this.#way.onTrouble?.(sentence);
    if (this.#response.headersSent) this.#response.destroy();
    else refuse(this.#response, sentence);
  }

  /** Passes the answer back as it comes, or keeps it until it is judged. */
  #passBack(incoming: http.IncomingMessage): void {
    let hasBody = false;
    if (!this.#isHeld) {
      if (!this.#passHead(incoming)) return;
      // A head whose body takes its time must not wait for it.
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
          () =>
            refuse(this.#response, "The judge of the proxy has failed, so that nothing can be let through."),
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
        // There is no room to hold it back any longer: it passes, its body unjudged, as without `enforce`.
        this.#isHeld = false;
        if (!this.#passHead(incoming)) return;
        for (const one of before) response.write(one);
      }
    }
    if (this.#isHeld) return;
    if (!response.write(chunk)) {
      incoming.pause();
      response.once("drain", () => incoming.resume());
    }
  }

  /** Sends the answer that was held back, or a refusal in its place. */
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

  /** Passes the head of an answer on; false when it is none that HTTP permits. */
  #passHead(incoming: http.IncomingMessage): boolean {
    this.#response.sendDate = false;
    try {
      const heads = messageHeaders(incoming.rawHeaders);
      this.#response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, heads);
      return true;
    } catch (error) {
      this.#breakOff(error as Error);
      incoming.destroy();
      return false;
    }
  }

  #breakOff(error: Error): void {
    this.#lost(`the answer broke off: ${error.message}`);
    this.#response.destroy();
  }

  #lost(error: string): void {
    const crossed = this.#over(null, error);
    if (crossed !== null) this.#judgeLater(crossed);
  }

  /** What crossed, told once: at the end of the answer, or when it can no longer come. */
  #over(answer: http.IncomingMessage | null, error: string | null): Crossed | null {
    if (this.#isOver) return null;
    this.#isOver = true;
    return {
      startedAt: this.#startedAt,
      durationMs: performance.now() - this.#started,
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
      partial: !this.#sent.isWhole || !this.#request.complete || (answer !== null && !this.#received.isWhole),
    };
  }

  /** Leaves what crossed to the judge; the copies stay in the budget until they are judged. */
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
