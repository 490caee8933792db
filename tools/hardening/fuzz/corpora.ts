import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

/** Header fields in their order and case on the wire; text is sent byte for byte as Latin-1. */
export type Fields = readonly (readonly [name: string, value: string])[];

/** A hostile body with a name, so that a counterexample is readable, and its header fields in `fields`. */
export interface HostileBody {
  bytes: () => Buffer;
  fields?: Fields;
  /** The bytes after decoding, where they differ from their appearance. */
  meaning?: string;
}

const text = (content: string): HostileBody => ({ bytes: () => Buffer.from(content) });
const bytes = (...values: number[]): HostileBody => ({ bytes: () => Buffer.from(values) });
/** Compresses once: the bombs take most of a second each. */
function encoded(encoding: string, make: () => Buffer, meaning?: string): HostileBody {
  let made: Buffer | undefined;
  return {
    bytes: () => (made ??= make()),
    fields: [["Content-Encoding", encoding]],
    ...(meaning !== undefined && { meaning }),
  };
}
const typed = (type: string, content = '{"query": "weather"}'): HostileBody => ({
  bytes: () => Buffer.from(content),
  fields: [["Content-Type", type]],
});

const plain = '{"query": "weather", "tool_ids": [], "parameters": {}}';
const zeros = (mebibytes: number): Buffer => Buffer.alloc(mebibytes * 1024 * 1024, "0");
const query = (inside: string): string => `{"query": ${inside}, "tool_ids": [], "parameters": {}}`;

/** Bodies designed to do harm. */
export const hostileBodies: Readonly<Record<string, HostileBody>> = {
  "no byte": text(""),
  "blanks only": text(" \n\t "),
  null: text("null"),
  true: text("true"),
  "a number": text("7"),
  "a string": text('"query"'),
  "an array": text("[]"),
  "an open brace": text("{"),
  "a trailing comma": text('{"query": "a",}'),
  "a comment": text('{"query": "a" /* why */}'),
  "single quotes": text("{'query': 'a'}"),
  "two documents": text('{"query": "a"}{"query": "b"}'),
  "NaN and Infinity": text('{"query": NaN, "limit": Infinity}'),
  "a leading zero": text('{"query": "a", "limit": 01}'),
  "deep arrays": text("[".repeat(100_000) + "]".repeat(100_000)),
  "deep arrays, left open": text("[".repeat(500_000)),
  "deep objects": text('{"a":'.repeat(50_000) + "1" + "}".repeat(50_000)),
  "deep parameters": text(
    `{"parameters": ${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}, "query": "a", "tool_ids": []}`,
  ),
  "parameters 200 deep": text(
    `{"parameters": ${'{"a":'.repeat(200)}1${"}".repeat(200)}, "tool_id": "weather.current.v1"}`,
  ),
  "a long string": text(query(JSON.stringify("x".repeat(900_000)))),
  "a body over the limit": text(query(JSON.stringify("x".repeat(1_100_000)))),
  "many keys": text(`{${Array.from({ length: 50_000 }, (_, key) => `"k${key}":${key}`).join(",")}}`),
  "many parameters": text(
    `{"tool_id": "weather.current.v1", "parameters": {${Array.from({ length: 5_000 }, (_, key) => `"k${key}":0`).join(",")}}}`,
  ),
  "many tool ids": text(`{"tool_ids": [${Array(100_000).fill('"a"').join(",")}]}`),
  "an array of 200,000 numbers": text(`[${Array(200_000).fill("1").join(",")}]`),
  __proto__: text('{"__proto__": {"query": "a", "limit": 1, "isAdmin": true}}'),
  "__proto__ in parameters": text(
    '{"tool_id": "weather.current.v1", "tool_ids": ["__proto__"], "query": "a", "parameters": {"__proto__": {"city": "Vienna"}}}',
  ),
  "constructor.prototype": text('{"query": "a", "constructor": {"prototype": {"polluted": true}}}'),
  "duplicate keys": text(
    '{"query": "a", "query": 7, "tool_ids": ["a"], "tool_ids": 7, "parameters": {}, "parameters": 7}',
  ),
  "a duplicate tool": text(
    '{"tool_id": "weather.current.v1", "parameters": {"city": "a"}, "tool_id": "currency.list.v1"}',
  ),
  "a huge exponent": text(
    '{"query": "a", "limit": 1e400, "max_credits": 1e999999, "max_response_size": -1e400}',
  ),
  "a number of 100,000 digits": text(`{"query": "a", "limit": ${"9".repeat(100_000)}}`),
  "a tiny number": text('{"capability_id": "market.quote", "max_credits": 0.1e-400}'),
  "minus zero": text('{"query": "a", "limit": -0, "max_response_size": -0, "parameters": {}}'),
  "integers beyond 2^53": text(
    '{"query": "a", "limit": 9007199254740993, "max_response_size": 9007199254740993, "parameters": {}}',
  ),
  "an escaped lone surrogate": text(
    '{"query": "\\ud800", "agent_name": "\\udfff", "session_id": "\\ud83d", "tool_ids": ["\\ud800"]}',
  ),
  "an escaped NUL": text(
    '{"query": "a\\u0000b", "agent_name": "\\u0000", "session_id": "\\u0000", "search_id": "a\\u0000", "tool_id": "a\\u0000", "tool_ids": ["\\u0000"], "parameters": {"\\u0000": "\\u0000"}}',
  ),
  "a raw NUL": bytes(0x7b, 0x22, 0x00, 0x22, 0x3a, 0x31, 0x7d),
  "a raw control character": text('{"query": "a\u0001b"}'),
  "a byte order mark": text('\ufeff{"query": "weather"}'),
  "UTF-16": { bytes: () => Buffer.from('\ufeff{"query": "weather"}', "utf16le") },
  "UTF-16, declared": {
    bytes: () => Buffer.from('{"query": "weather"}', "utf16le"),
    fields: [["Content-Type", "application/json; charset=utf-16le"]],
  },
  "UTF-32, declared": typed("application/json; charset=utf-32"),
  "Latin-1": { bytes: () => Buffer.from('{"query": "Zürich"}', "latin1") },
  "Latin-1, declared": {
    bytes: () => Buffer.from('{"query": "Zürich"}', "latin1"),
    fields: [["Content-Type", "application/json; charset=iso-8859-1"]],
  },
  "overlong UTF-8": bytes(0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d),
  "surrogates in UTF-8": bytes(0x22, 0xed, 0xa0, 0x80, 0x22),
  "a cut character": bytes(0x22, 0xe2, 0x82, 0x22),
  "bytes of no encoding": {
    bytes: () => Buffer.from(Array.from({ length: 512 }, (_, at) => (at * 197) % 256)),
  },
  "an unknown charset": typed("application/json; charset=martian"),
  "a form": typed("application/x-www-form-urlencoded", "query=weather&limit=1"),
  "a multipart form": typed(
    "multipart/form-data; boundary=x",
    '--x\r\nContent-Disposition: form-data; name="query"\r\n\r\na\r\n--x--',
  ),
  "a multipart form without a boundary": typed("multipart/form-data"),
  XML: typed(
    "application/xml",
    '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>',
  ),
  "an invalid type": typed("////;;;=,\u00e9"),
  "a very long type": typed(`application/json; a=${"b".repeat(8_000)}`),
  gzip: encoded("gzip", () => gzipSync(plain), plain),
  brotli: encoded("br", () => brotliCompressSync(plain), plain),
  deflate: encoded("deflate", () => deflateSync(plain), plain),
  "invalid gzip": encoded("gzip", () => Buffer.from('{"query": "weather"}')),
  "gzip, cut": encoded("gzip", () => gzipSync('{"query": "weather"}').subarray(0, 15)),
  "a gzip bomb of 64 MiB": encoded("gzip", () => gzipSync(zeros(64))),
  "a brotli bomb of 64 MiB": encoded("br", () => brotliCompressSync(zeros(64))),
  "gzip in gzip": encoded("gzip, gzip", () => gzipSync(gzipSync("{}"))),
  "an unknown encoding": encoded("zstd-of-mars", () => Buffer.from("{}")),
};

const many = (count: number): Fields =>
  Array.from({ length: count }, (_, at) => [`X-Field-${at}`, "1"] as const);

/** Header fields designed to do harm, added to the necessary ones. */
export const hostileFields: Readonly<Record<string, Fields>> = {
  "90 fields": many(90),
  "500 fields": many(500),
  "2,100 fields": many(2_100),
  "a field of 15 KiB": [["X-Long", "x".repeat(15_000)]],
  "a field of 64 KiB": [["X-Long", "x".repeat(65_536)]],
  "an empty Authorization": [["Authorization", ""]],
  "another scheme": [["Authorization", "Basic YTpi"]],
  "two Authorizations": [
    ["Authorization", "Bearer a"],
    ["Authorization", "Bearer b"],
  ],
  "Latin-1 in Authorization": [["Authorization", "Bearer \u00e9\u00ff"]],
  "a very long token": [["Authorization", `Bearer ${"a".repeat(15_000)}`]],
  "a token of dots": [["Authorization", "Bearer ..."]],
  "a token without signature": [["Authorization", "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0."]],
  "endless languages": [["Accept-Language", "en;q=0.1,".repeat(1_500)]],
  "an invalid language": [["Accept-Language", ";;;q=,q=NaN,*;q=-1,zh;q=1e9"]],
  "an endless cache mode": [["X-Service-Cache-Mode", "bypass".repeat(1_000)]],
  "forwarded addresses": [
    ["X-Forwarded-For", "127.0.0.1, ::1, unknown, 999.1.1.1"],
    ["Forwarded", "for=127.0.0.1"],
  ],
  "another method": [["X-HTTP-Method-Override", "DELETE"]],
  "another host": [["Host", "169.254.169.254"]],
  "an invalid host": [["Host", "a b\u00e9//"]],
  "a cookie": [["Cookie", `a=${"b".repeat(4_000)}; __proto__=1`]],
  "an expectation": [["Expect", "100-continue"]],
  "an unknown expectation": [["Expect", "magic"]],
  "an upgrade": [
    ["Connection", "Upgrade"],
    ["Upgrade", "websocket"],
  ],
  "an unacceptable type": [["Accept", "image/png"]],
  "prototype fields": [
    ["__proto__", "a"],
    ["constructor", "b"],
  ],
  "two lengths": [["Content-Length", "1"]],
  "a length beyond numbers": [["Content-Length", "99999999999999999999"]],
  "length and chunks": [["Transfer-Encoding", "chunked, identity"]],
  "a folded field": [["X-Folded", "a\r\n b"]],
  "a field with NUL": [["X-Null", "a\u0000b"]],
  "a name with a blank": [["X Blank", "a"]],
};

/** Query strings designed to do harm, without the question mark. */
export const hostileQueries: readonly string[] = [
  "",
  "&&&&",
  "=",
  "%",
  "%zz=%f",
  "%00=%00",
  "page=%00",
  "session_id=%ff%fe",
  "start_date=%ff",
  "tool_id=%ed%a0%80",
  "page=1&page=2",
  "page[]=1",
  "page[a]=1",
  "page[__proto__]=1",
  "__proto__=1&constructor=2&toString=3",
  "__proto__[polluted]=1",
  "tool_id[]=a&tool_id[]=b",
  "page=1e1",
  "page=0x10",
  "page=+1",
  "page=9007199254740993",
  "page=999999999999999",
  "page=999999999999999&page_size=500",
  "page_size=50000&page=999999999999",
  "page_size=-1",
  "limit=0",
  "limit=99999999999999",
  "min_credits=-0",
  "min_credits=1e308",
  "min_credits=NaN&max_credits=Infinity",
  "min_credits=0.0000000000000000001&max_credits=9999999999999999999999",
  "min_credits=2&max_credits=1",
  "start_date=0001-01-01&end_date=9999-12-31&summary=true&bucket=hour",
  "start_date=9999-12-31&end_date=0001-01-01&summary=true",
  "start_date=-271821-04-20&summary=true",
  "end_date=275760-09-13T00:00:00.001Z",
  "start_date=2026-02-30",
  "start_date=2026-11-20T00:00:00%2B99:99",
  "start_date=2026-11-20T00:00:00+00:00",
  "bucket=minute&summary=true",
  "bucket=%F0%9F%98%80",
  "direction=both",
  "cursor=AAAA",
  "cursor=%00",
  "cursor=MTc5NTE4ODMwMDAwMDAwMDoxMg",
  "cursor=OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTo5OTk5OTk5OTk5OTk5OTk5OTk5OTk",
  "cursor=LTE6LTE",
  "api_key_id=not-a-uuid",
  "event_type=model_call' OR 1=1 --",
  "oauth_client_id=" + "a".repeat(2_049),
  "credential_type=" + "a".repeat(33),
  "summary=TRUE",
  "success=1",
  "a=" + "b".repeat(7_000),
  Array.from({ length: 1_500 }, (_, at) => `a${at}=`).join("&"),
  "session_id=a;b=c",
  "q=?#%23",
  "q=\u00e9",
  "q=a b",
];

/** Hostile values for an id in a path, already encoded. */
export const hostileIds: readonly string[] = [
  "",
  ".",
  "..",
  "%2e%2e",
  "..%2f..%2fetc%2fpasswd",
  "%00",
  "a%00b",
  "%ff",
  "%ed%a0%80",
  "%",
  "%zz",
  "%20",
  "%e3%80%80",
  "__proto__",
  "constructor",
  "toString",
  "00000000-0000-0000-0000-000000000000",
  "0e4f6a52-7b31-4d8c-a1f9-5c2d8e7b6a40",
  "0E4F6A52-7B31-4D8C-A1F9-5C2D8E7B6A40",
  "'%20OR%20'1'='1",
  "*",
  "export",
  "summary",
  "a".repeat(7_000),
  "\u00e9",
  "a;b",
  "a%2fb",
  "1e400",
  "market.quote",
  "weather.current",
];
