import type { RequestHandler, Response } from "express";
import type { Config } from "../config.ts";
import type { Caller, Parts } from "../parts.ts";
import type { Admission, Holding } from "./admission.ts";
import type { Contract } from "./contract.ts";
import { CannotServe } from "./errors.ts";
import { textOf } from "./kept-text.ts";
import { failure, type MoreItems } from "./operation.ts";
import type { PublishedOperation } from "./published-operations.ts";
import { encodedText, type EncodedText, type Sending } from "./sending.ts";

/** The values that the gates of one request pass on. */
export interface Locals {
  operation?: string;
  caller?: Caller;
  /** Sends an answer without the validator's `response.json`, which cannot stream. */
  send?: Send;
  /** Items to send after those of the body. Only the first page has been validated. */
  more?: MoreItems;
  /** Set by the validator if the body about to be sent breaks the spec. */
  brokenAnswer?: string;
}

/** The values of a request, by its answer. */
export const locals = (response: Response): Locals => response.locals as Locals;

/** Sends the body of an answer: a value, or a text in parts. */
type Send = (response: Response, body: unknown) => void;

/** Answers belong to one account, and must not be taken for another content type. */
const privateHeaders = new Map([
  ["Cache-Control", "no-store"],
  ["X-Content-Type-Options", "nosniff"],
]);

/** Replaces `response.json` before the validator wraps it, so that the verdict is known before a byte is sent. */
export const installSender =
  (operation: PublishedOperation, send: Send): RequestHandler =>
  (_request, response, next) => {
    response.setHeaders(privateHeaders);
    locals(response).operation = operation.id;
    locals(response).send = send;
    response.json = (body: unknown) => {
      send(response, body);
      return response;
    };
    next();
  };

/**
 * Sends an answer that keeps the contract; one that breaks it is handled as configured. The answer to a GET is refused
 * while it has no room; any other has had effects, and is owed.
 */
export function sender(
  operation: PublishedOperation,
  contract: Contract,
  { admission, sending }: { admission: Admission; sending: Sending },
  config: Config,
  parts: Parts,
): Send {
  return (response, body) => {
    const stream = isStream(body) ? body : null;
    if (stream === null) response.setHeader("Content-Type", "application/json; charset=utf-8");
    const broken =
      locals(response).brokenAnswer ??
      contract.judge(operation, {
        status: response.statusCode,
        headers: response.getHeaders(),
        ...(stream === null && { body }),
      });
    if (broken !== null) {
      brokenAnswers.count += 1;
      parts.metrics?.brokenAnswer(operation.id);
      parts.log.error(
        { operation: operation.id, status: response.statusCode, broken, total: brokenAnswers.count },
        "an answer breaks the contract",
      );
      if (config.brokenAnswers === "refuse") {
        response.status(500).set("Content-Type", "application/json; charset=utf-8");
        response.end(
          JSON.stringify(failure(500, `The server's answer would break the contract: ${broken}.`)),
        );
        return;
      }
    }
    const holding = admission.holding(response);
    const { more } = locals(response);
    // A refusal for lack of room has none.
    delete locals(response).more;
    const isOwed = operation.method !== "GET" || response.statusCode >= 400;
    let sent: Promise<void>;
    if (stream === null && more === undefined) {
      const whole = encodedText(textOf(body, broken === null));
      holding.answer(whole.bytes, isOwed);
      sent = sending.text(response, whole);
    } else {
      const beginning = { text: stream === null ? textOf(body, broken === null) : "" };
      const iterator = (stream ?? continued(beginning, more!))[Symbol.asyncIterator]();
      holding.answer(roomOf(encodedText(beginning.text)), isOwed);
      const read = (): Promise<Next> => whileOpen(response, iterator.next());
      sent = sending.parts(response, counted(read, holding));
    }
    sent.catch((error: unknown) => {
      const level = hasLeft(error) || error instanceof CannotServe ? "debug" : "error";
      parts.log[level]({ operation: operation.id, error }, "an answer ended early");
    });
  };
}

/** The room that a part of a streamed answer takes, of characters of two bytes; few are larger than the minimum. */
const roomOf = ({ bytes }: EncodedText): number => Math.max(262_144, 2 * bytes);

/**
 * Counts each part until the next is there: the stream holds it while it waits. A part without room ends the answer;
 * for the beginning of a list it was there before.
 */
async function* counted(read: () => Promise<Next>, holding: Holding): AsyncGenerator<EncodedText> {
  let next: Next;
  while (!(next = await read()).done) {
    const part = encodedText(next.value);
    holding.answer(roomOf(part), false);
    yield part;
  }
}

type Next = IteratorResult<string, unknown>;

/** Waits for a part; none follows once the reader leaves. A race of promises would keep every part. */
function whileOpen(response: Response, part: Promise<Next>): Promise<Next> {
  const { promise, resolve, reject } = Promise.withResolvers<Next>();
  const leave = (): void => resolve({ done: true, value: undefined });
  if (response.closed) leave();
  response.on("close", leave);
  part.then(resolve, reject);
  return promise.finally(() => response.off("close", leave));
}

/** Streams a JSON text that ends in a list, with more items appended. Keeps neither the text nor the items. */
async function* continued(beginning: { text: string }, more: MoreItems): AsyncGenerator<string> {
  const end = /\]\}*$/.exec(beginning.text)?.[0];
  if (end === undefined) throw new Error("a body with more items must end in a list");
  yield beginning.text.slice(0, -end.length);
  beginning.text = end;
  const textOfMore = (items: object[]): string => items.map((item) => `,${JSON.stringify(item)}`).join("");
  for await (const items of more) yield textOfMore(items.splice(0));
  yield end;
}

/** The number of answers that broke the contract since the process started. */
const brokenAnswers = { count: 0 };

/** Whether a streamed answer ended because its client disconnected, which is allowed. */
const hasLeft = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  ["ERR_STREAM_PREMATURE_CLOSE", "ERR_STREAM_UNABLE_TO_PIPE"].includes(String(error.code));

const isStream = (body: unknown): body is AsyncIterable<string> =>
  typeof body === "object" && body !== null && Symbol.asyncIterator in body;
