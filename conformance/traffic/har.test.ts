import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contractVersion } from "../../generated/contract.ts";
import type { Exchange } from "../judge/exchange.ts";
import { readHar, surveyOf, type Traffic } from "./har.ts";
import { harEntryOf } from "./write-har.ts";
import judge from "./judge.ts";
import { TrafficJudge } from "./traffic-judge.ts";

const program = fileURLToPath(new URL("../../cli/cli.ts", import.meta.url));
let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "capability-contract-har-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const base = "https://api.example.com/api/v1";
const key = "sk_live_0123456789abcdef";

type Dict = Record<"request" | "response", Record<string, unknown>>;
const shorten = (content: { text: string }): void => void (content.text = content.text.slice(0, 9));

const exchangeOf = (
  given: Partial<Exchange> & { url?: string; body?: string; received?: string } = {},
): Exchange => ({
  operation: null,
  account: null,
  started_at: 1_800_000_000_000,
  duration_ms: 5,
  request: {
    method: "POST",
    url: given.url ?? `${base}/search`,
    headers: { authorization: `Bearer ${key}` },
    body: given.body ?? JSON.stringify({ query: "weather", api_key: key }),
  },
  response: {
    status: 200,
    headers: { "content-type": "application/json", "x-service-api-version": contractVersion },
    body:
      given.received ?? JSON.stringify({ query: "weather", search_id: "s1", claim_code: "CLAIM-123456789" }),
  },
  error: null,
  ...given,
});

const harOf = (...entries: object[]): string =>
  JSON.stringify({ log: { version: "1.2", entries, pages: [] } });

async function write(name: string, content: string | Buffer): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, content);
  return file;
}

async function read(file: string): Promise<Traffic[]> {
  const all: Traffic[] = [];
  for await (const traffic of readHar(file, await surveyOf(file, base))) all.push(traffic);
  return all;
}

// A file of any size is judged in bounded memory: har.proof.ts.
describe("a HAR file", () => {
  it("is read with its secrets masked, and its sender known by them", async () => {
    const file = await write("plain.har", harOf(harEntryOf(exchangeOf())));
    const [{ exchange }] = (await read(file)) as [Traffic];
    expect(exchange.operation).toBe("discover");
    expect(exchange.account).toBe("«key 1»");
    expect(exchange.request.headers["authorization"]).toBe("Bearer «key 1»");
    expect(JSON.stringify(exchange)).not.toContain(key);
    expect(JSON.stringify(exchange)).not.toContain("CLAIM-123456789");
  });

  it("may be gzip, begin with a byte-order mark, and hold bodies in base64, themselves gzip", async () => {
    const entry = structuredClone(harEntryOf(exchangeOf())) as {
      response: { content: Record<string, unknown> };
    };
    const body = '{"search_id":"süß"}';
    entry.response.content = { encoding: "base64", text: gzipSync(body).toString("base64"), size: 9 };
    const file = await write("packed.har.gz", gzipSync(`\uFEFF${harOf(entry)}`));
    const [{ exchange, missing }] = (await read(file)) as [Traffic];
    expect(exchange.response?.body).toBe(body);
    expect([...missing]).toEqual([]);
  });

  it.each([
    ["br", brotliCompressSync],
    ["br", (text: string) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_LGWIN]: 24 } })],
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    ["zstd", zstdCompressSync],
    ["deflate", deflateSync],
    ["deflate", deflateRawSync],
    ["gzip", Buffer.from],
    ["br", Buffer.from],
    ["zstd", Buffer.from],
  ] as [string, (text: string) => Buffer][])(
    "may hold bodies in base64 with the coding %s, or already without it",
    async (coding, encode) => {
      const body = `{"search_id":"süß","padding":"${"x".repeat(500)}"}`;
      const entry = structuredClone(harEntryOf(exchangeOf())) as {
        response: { headers: object[]; content: Record<string, unknown> };
      };
      entry.response.headers.push({ name: "Content-Encoding", value: coding });
      entry.response.content = { encoding: "base64", text: encode(body).toString("base64") };
      const [{ exchange, missing }] = (await read(await write("coded.har", harOf(entry)))) as [Traffic];
      expect(exchange.response?.body).toBe(body);
      expect([...missing]).toEqual([]);
    },
  );

  it.each([
    ["in capitals", { encoding: "BASE64" }],
    ["left out", {}],
  ])("may name the encoding of a body %s", async (_, encoding) => {
    const body = '{"search_id":"süß"}';
    const entry = structuredClone(harEntryOf(exchangeOf())) as {
      response: { content: Record<string, unknown> };
    };
    const text = Buffer.from(body).toString("base64");
    entry.response.content = { mimeType: "application/json", text, ...encoding };
    const [{ exchange }] = (await read(await write("encoding.har", harOf(entry)))) as [Traffic];
    expect(exchange.response?.body).toBe(body);
  });

  it.each([
    [1, { beforeRequest: null, afterRequest: null }],
    [1, {}],
    [0, { afterRequest: null }],
    [0, { afterRequest: { lastAccess: "", eTag: "", hitCount: 1 } }],
  ])("has %i exchange of the network in an entry with cache %j", async (count, cache) => {
    const file = await write("cache.har", harOf({ ...harEntryOf(exchangeOf()), cache }));
    expect(await read(file)).toHaveLength(count);
  });

  it("with a body in an unknown coding is judged without it", async () => {
    const entry = structuredClone(harEntryOf(exchangeOf())) as {
      response: { headers: object[]; content: Record<string, unknown> };
    };
    entry.response.headers.push({ name: "Content-Encoding", value: "compress" });
    entry.response.content = { encoding: "base64", text: Buffer.from([31, 157, 144]).toString("base64") };
    const [{ missing }] = (await read(await write("unknown.har", harOf(entry)))) as [Traffic];
    expect([...missing]).toEqual(["body"]);
  });

  it("may come through the standard input", async () => {
    const judging = (text: string): Promise<{ status: number | null; said: string }> =>
      new Promise((resolve) => {
        const child = spawn(process.execPath, [program, "judge", "-"]);
        let said = "";
        for (const stream of [child.stdout, child.stderr]) {
          stream.setEncoding("utf8").on("data", (chunk: string) => (said += chunk));
        }
        child.on("close", (status) => resolve({ status, said }));
        child.stdin.end(text);
      });
    const { said } = await judging(harOf(harEntryOf(exchangeOf())));
    expect(said).toContain("1 exchanges of the API");
    expect(await judging("")).toEqual({ status: 2, said: "The standard input is empty\n" });
  });

  it.each([
    ["that lacks its byte-order mark is whole", "id,amount\n", false],
    ["of JSON that lacks three bytes was cut", '{"id":1}\n{"id"', true],
  ])("a body %s", async (_, text, isCut) => {
    const exchange = exchangeOf({ received: text });
    exchange.response!.headers["content-length"] = String(text.length + 3);
    expect(await read(await write("mark.har", harOf(harEntryOf(exchange))))).toMatchObject([{ isCut }]);
  });

  it("whose secrets were masked, or cut out by hand, is as whole as before", async () => {
    const exchange = exchangeOf({ body: '{"query":"…"}', received: '{"search_id":"s1"}' });
    exchange.request.headers["content-length"] = "500";
    exchange.response!.headers["content-length"] = "500";
    const entry = structuredClone(harEntryOf(exchange)) as { response: { content: { size: number } } };
    entry.response.content.size = 500;
    const [{ missing, isCut }] = (await read(await write("masked.har", harOf(entry)))) as [Traffic];
    expect([...missing]).toEqual([]);
    expect(isCut).toBe(false);
  });

  it("is put into the order in which its exchanges ended", async () => {
    const slow = exchangeOf({ started_at: 1_800_000_000_000, duration_ms: 900 });
    const fast = exchangeOf({ started_at: 1_800_000_000_100, duration_ms: 50 });
    const file = await write("order.har", harOf(harEntryOf(slow), harEntryOf(fast)));
    expect((await read(file)).map(({ exchange }) => exchange.duration_ms)).toEqual([50, 900]);
  });

  it("shows which server is meant, whatever other hosts are in it", async () => {
    const other = exchangeOf({ url: "https://elsewhere.example/api/v1/search", received: "{}" });
    const stranger = { ...other, response: { ...other.response!, headers: {}, body: "<html>" } };
    const file = await write("hosts.har", harOf(harEntryOf(stranger), harEntryOf(exchangeOf())));
    expect((await surveyOf(file)).baseUrl).toBe(base);
    const judge = new TrafficJudge("server", false);
    for (const traffic of await read(file)) judge.see(traffic);
    expect(judge.counts).toMatchObject({ judged: 1, foreign: 1 });
  });

  it.each<[part: string, lost: string, leave: (entry: Dict) => void]>([
    ["body", "DISC-02/discover-200-search_id", ({ response }) => (response["content"] = { size: 812 })],
    [
      "body",
      "DISC-02/discover-200-search_id",
      ({ response }) => shorten(response["content"] as { text: string }),
    ],
    ["body", "DISC-02/discover-200-search_id", ({ response }) => delete response["content"]],
    ["headers", "VERS-01/always", ({ response }) => delete response["headers"]],
    ["sent", "", ({ request }) => delete request["postData"]],
    ["sent", "", ({ request }) => Object.assign(request, { postData: undefined, bodySize: -1 })],
    ["duration", "", (entry) => delete (entry as Record<string, unknown>)["time"]],
  ])("that leaves out the %s takes away the rules that need it, and no other", async (part, lost, leave) => {
    const wrong = exchangeOf({ received: '{"query":"weather"}' });
    wrong.response!.headers["x-service-api-version"] = "0";
    const entry = structuredClone(harEntryOf(wrong)) as Dict;
    leave(entry);
    const judge = new TrafficJudge("server", false);
    const traffic = await read(await write("part.har", harOf(entry)));
    for (const entry of traffic) judge.see(entry);
    expect([...traffic[0]!.missing]).toEqual([part]);
    expect(judge.counts).toMatchObject({ judged: 1, partial: 1 });
    const broken = judge.findings().flatMap(({ id, verdict }) => (verdict === "fail" ? [id] : []));
    const others = ["VERS-01/always", "DISC-02/discover-200-search_id"].filter((id) => id !== lost);
    expect(broken).toEqual(expect.arrayContaining(others));
    expect(broken).not.toContain(lost);
  });

  it.each([
    ["empty.har", "", /is empty/],
    ["text.har", "no JSON at all", /not valid JSON/],
    ["other.har", '{"log": {"version": "1.2"}}', /not a HAR file: it has no log\.entries/],
    ["cut.har", harOf(harEntryOf(exchangeOf())).slice(0, -20), /ends in the middle/],
    [
      "inside.har",
      harOf(harEntryOf(exchangeOf()), harEntryOf(exchangeOf())).slice(0, -300),
      /ends in the middle after 1 entries/,
    ],
    [
      "cut.har.gz",
      gzipSync(harOf(harEntryOf(exchangeOf()))).subarray(0, 200),
      /gzip is cut off|ends in the middle/,
    ],
    ["foreign.har", harOf(harEntryOf(exchangeOf({ url: "https://example.com/" }))), /no request of this API/],
  ])("that cannot be used is refused in a sentence: %s", async (name, content, sentence) => {
    await expect(judge.run("judge", [await write(name, content)])).rejects.toThrow(sentence);
  });

  it("that does not exist, or is a folder, is refused in a sentence", async () => {
    await expect(judge.run("judge", [join(folder, "none.har")])).rejects.toThrow(/cannot be read/);
    await expect(judge.run("judge", [folder])).rejects.toThrow(/is a folder/);
    await expect(judge.run("judge", [])).rejects.toThrow(/Missing required argument 'FILE'/);
  });
});
