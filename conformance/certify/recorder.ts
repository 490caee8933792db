import type { IncomingMessage, ServerResponse } from "node:http";
import type { Headers } from "../judge/exchange.ts";

/** An answer as it was written. */
export interface Written {
  status: number;
  headers: Headers;
  body: string;
}

/** Overhears what the server reads of a request, without reading it itself. */
export function heard(request: IncomingMessage): () => string {
  const chunks: Buffer[] = [];
  const emit = request.emit.bind(request) as (event: string, ...values: unknown[]) => boolean;
  request.emit = (event: string, ...values: unknown[]): boolean => {
    if (event === "data") chunks.push(Buffer.from(values[0] as Buffer));
    return emit(event, ...values);
  };
  return () => Buffer.concat(chunks).toString("utf8");
}

/**
 * Copies what is written to a response from here on.
 * @param ended called when everything has been written
 * @returns what was written so far
 */
export function copied(response: ServerResponse, ended = (): void => undefined): () => Written {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown): void => {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const write = response.write.bind(response) as (...args: unknown[]) => boolean;
  const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
  const writeHead = response.writeHead.bind(response);
  let status: number | undefined;
  let isEnded = false;
  response.writeHead = ((code: number, ...rest: unknown[]) => {
    status = code;
    const headers = rest.find((argument) => typeof argument === "object" && argument !== null) ?? {};
    for (const [name, value] of Object.entries(headers as Record<string, string>)) {
      response.setHeader(name, value);
    }
    return writeHead(code);
  }) as typeof response.writeHead;
  response.write = ((...args: unknown[]) => {
    keep(args[0]);
    return write(...args);
  }) as typeof response.write;
  response.end = ((...args: unknown[]) => {
    keep(args[0]);
    status ??= response.statusCode;
    if (!isEnded) ended();
    isEnded = true;
    return end(...args);
  }) as typeof response.end;
  return () => ({
    status: status ?? response.statusCode,
    headers: Object.fromEntries(
      Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]),
    ),
    body: Buffer.concat(chunks).toString("utf8"),
  });
}
