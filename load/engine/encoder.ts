import { validateHeaderValue } from "node:http";
import type { Request } from "./request.ts";

/** Encodes requests to a server, each of them once. */
export function encoder(url: URL): (request: Request) => Buffer {
  const prefix = url.pathname.replace(/\/+$/, "");
  const encoded = new WeakMap<Request, Buffer>();
  const encode = (request: Request): Buffer => {
    const { method, path, headers, body } = request;
    const lines = [`${method} ${prefix}${path} HTTP/1.1`, `host: ${url.host}`, "connection: keep-alive"];
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderValue(name, value);
      lines.push(`${name}: ${value}`);
    }
    if (body !== null) lines.push(`content-length: ${Buffer.byteLength(body)}`);
    const bytes = Buffer.concat([
      Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"),
      Buffer.from(body ?? "", "utf8"),
    ]);
    encoded.set(request, bytes);
    return bytes;
  };
  return (request) => encoded.get(request) ?? encode(request);
}
