import { limitedOperations, operations, type OperationId } from "../../../generated/contract.ts";
import type { WireAnswer } from "../../changes/wire.ts";
import { isJson } from "./body.ts";
import type { Point } from "./point.ts";
import { lineOf } from "./words.ts";

type Headers = WireAnswer["headers"];

/** A lawful change of an operation's answers as messages. */
type Variant = Pick<Point, "permittedBy" | "aspect" | "at" | "headers" | "body">;

const all = Object.keys(operations) as OperationId[];
const isLimited = (operation: OperationId): boolean =>
  (limitedOperations as readonly OperationId[]).includes(operation);

const unrecognized = 'RFC 9110, 5.1: recipients "SHOULD ignore unrecognized header and trailer fields"';

/** Adds headers, and keeps the existing ones. */
const adding = (permittedBy: string, added: Headers): Variant => ({
  permittedBy,
  aspect: "header",
  at: Object.keys(added).join(),
  headers: (headers) => ({ ...added, ...headers }),
});

/** Changes the content type of JSON bodies. */
const contentType = (permittedBy: string, write: (type: string) => string): Variant => ({
  permittedBy,
  aspect: "header",
  at: "content-type",
  headers: (headers, answer) =>
    isJson(answer) ? { ...headers, "content-type": write(headers["content-type"]!) } : headers,
});

const insensitive = 'RFC 9110, 5.1: "Field names are case-insensitive"';
const typed = 'RFC 9110, 8.3.1: "The type and subtype tokens are case-insensitive."';
const parameters =
  'RFC 8259, 11: "No \\"charset\\" parameter is defined"; RFC 6838, 4.3: unknown parameters are ignored';

const messages: Record<string, Variant> = {
  "with an unknown header": adding(unrecognized, { "x-trace": "1-67891233-abcdef012345" }),
  "with a header of several values": adding('RFC 9110, 5.3: "multiple field lines with the same name"', {
    vary: "accept, accept-language, *",
  }),
  "with an entity tag": adding('RFC 9110, 8.8.3: "An origin server SHOULD send an ETag"', {
    etag: 'W/"0815"',
  }),
  "with rules for caches": adding("RFC 9111, 5.2: Cache-Control in any response", {
    "cache-control": "private, no-store, max-age=0",
  }),
  "with a cookie": adding(
    'RFC 6265, 3: "Origin servers MAY send a Set-Cookie response header with any response."',
    { "set-cookie": "id=a3fWa; Secure; HttpOnly" },
  ),
  "with a language": adding("RFC 9110, 8.5: Content-Language in any response", { "content-language": "en" }),
  "with a server's name": adding('RFC 9110, 10.2.4: "An origin server MAY generate a Server header field"', {
    server: "edge/1.0 (unix)",
  }),
  "with headers of security": adding(unrecognized, {
    "strict-transport-security": "max-age=31536000",
    "content-security-policy": "default-src 'none'",
  }),
  "with headers for pages of other origins": adding(unrecognized, {
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "*",
  }),
  "with a link": adding(unrecognized, { link: '<https://example.com/docs>; rel="help"' }),
  "on a connection that ends": {
    permittedBy:
      'RFC 9112, 9.6: "The \\"close\\" connection option is defined as a signal that the sender will close this connection"',
    aspect: "header",
    at: "connection",
    headers: (headers) => ({ ...headers, connection: "close" }),
  },
  "without a charset": contentType(parameters, () => "application/json"),
  "with a charset in quotation marks": contentType(
    'RFC 9110, 8.3.1: parameter = token "=" ( token / quoted-string )',
    () => 'application/json;charset="UTF-8"',
  ),
  "with a content type in capitals": contentType(typed, () => "Application/JSON; Charset=UTF-8"),
  "with a further parameter of its content type": contentType(parameters, (type) => `${type}; v=1`),
};

/** Applied after everything else that reads headers by their names in lower case. */
const cases: Record<string, Variant> = {
  "with the names of headers in capitals": {
    permittedBy: insensitive,
    aspect: "header",
    at: "case of names",
    headers: (headers) => renamed(headers, (name) => name.toUpperCase()),
  },
  "with the names of headers in title case": {
    permittedBy: insensitive,
    aspect: "header",
    at: "case of names",
    headers: (headers) =>
      renamed(headers, (name) => name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())),
  },
};

const renamed = (headers: Headers, rename: (name: string) => string): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [rename(name), value]));

const optional = lineOf("Rate-limit response headers:");

/** Where the headers of a rate limit appear, apart from the answers within the quota and the 429. */
const limitHeaders: Record<string, Variant> = {
  "with rate-limit headers on successes and 429 alone": {
    permittedBy: optional,
    aspect: "header",
    at: "x-ratelimit",
    headers: (headers, { status }) =>
      status === 200 || status === 429
        ? headers
        : Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("x-ratelimit-"))),
  },
  "without Retry-After where requests remain": {
    permittedBy: optional,
    aspect: "header",
    at: "retry-after",
    headers: ({ "retry-after": after, ...headers }, { status }) =>
      status === 429 && after !== undefined ? { ...headers, "retry-after": after } : headers,
  },
};

const space =
  'RFC 8259, 2: "Insignificant whitespace is allowed before or after any of the six structural characters."';

const text = (permittedBy: string, at: string, write: (body: string) => string): Variant => ({
  permittedBy,
  aspect: "white space",
  at,
  body: (body, answer) => (isJson(answer) ? write(body) : body),
});

const texts: Record<string, Variant> = {
  "with a line break at its end": text(space, "around", (body) => `${body}\n`),
  "with white space around": text(space, "around", (body) => `\r\n\t ${body} \n\n`),
  "with white space within": text(space, "within", (body) => spaced(body, " ")),
  "with a line for each member": text(space, "within", (body) => spaced(body, "\r\n\t")),
};

/** White space after each structural character outside of strings; the text of numbers and strings stays. */
function spaced(body: string, blank: string): string {
  return body.replace(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g, (token) =>
    token.startsWith('"') ? token : `${blank}${token}${blank}`,
  );
}

/** Each operation's answers in each other form that HTTP and JSON give them. */
export const httpPoints: readonly Point[] = all.flatMap((operation) =>
  Object.entries({ ...messages, ...(isLimited(operation) && limitHeaders), ...texts, ...cases }).map(
    ([way, variant]) => ({
      id: `${operation} ${way}`,
      way,
      operation,
      ...variant,
    }),
  ),
);
