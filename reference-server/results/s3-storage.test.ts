import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sampleTools } from "../catalog/sample-roles.ts";
import { startS3Server, type S3Server } from "./s3-server.fixture.ts";
import { createS3Storage, parseS3Url } from "./s3-storage.ts";

const program = new URL("../../cli/cli.ts", import.meta.url).pathname;

/** A server in its own process, since a process reads its trusted CAs at the start. */
async function serve(s3: S3Server, folder: string, secretAccessKey: string) {
  const results = `s3://${s3.bucket}/full?region=eu-central-1&path_style=true&endpoint=${s3.endpoint}`;
  const child = spawn(
    process.execPath,
    [program, "start", "--port", "0", "--data", folder, "--log-level", "silent"],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: {
        ...process.env,
        RESULTS_URL: results,
        NODE_EXTRA_CA_CERTS: s3.caFile,
        AWS_ACCESS_KEY_ID: s3.credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: secretAccessKey,
      },
    },
  );
  const ended = once(child, "exit");
  let printed = "";
  for await (const line of createInterface(child.stdout)) {
    printed += `${line}\n`;
    if (line.startsWith("Full results")) break;
  }
  const [, base] = / listens at (\S+)/.exec(printed) ?? [];
  const [, key] = /Its key, shown once: (\S+)/.exec(printed) ?? [];
  return {
    printed,
    async call(body: object) {
      const response = await fetch(`${base}/tools/execute`, {
        method: "POST",
        headers: { Authorization: `Bearer ${key}` },
        body: JSON.stringify({
          tool_id: sampleTools.large_result.id,
          parameters: sampleTools.large_result.parameters,
          ...body,
        }),
      });
      return ((await response.json()) as { result: Record<string, unknown> }).result;
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

let folder: string;
let s3: S3Server;
let ca: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "s3-"));
  s3 = await startS3Server(folder);
  ca = await readFile(s3.caFile, "utf8");
});
afterAll(async () => {
  await s3.stop();
  await rm(folder, { recursive: true });
});

const fetched = (url: string) =>
  new Promise<{ status: number; type: string | undefined; text: string }>((resolve, reject) => {
    request(url, { ca, agent: false })
      .on("error", reject)
      .on("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode!, type: response.headers["content-type"], text }),
        );
      })
      .end();
  });

describe("a server whose full results are kept in S3", () => {
  let server: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    server = await serve(s3, join(folder, "right"), s3.credentials.secretAccessKey);
  });
  afterAll(() => server.stop());

  test("hands out an address that opens the whole content, and opens nothing when it is changed", async () => {
    expect(server.printed).toContain("Full results are served from the S3 bucket results.");
    const whole = (await server.call({ max_response_size: -1 }))["data"];
    const result = await server.call({ max_response_size: 100 });
    const url = String(result["full_content_file_url"]);
    expect(url.startsWith(`${s3.endpoint}/results/full/`)).toBe(true);
    const { status, type, text } = await fetched(url);
    expect([status, type]).toEqual([200, "application/json"]);
    expect(JSON.parse(text)).toEqual(whole);
    expect(text.startsWith(String(result["truncated_content"]))).toBe(true);

    expect((await fetched(url.replace("/full/", "/full/x"))).status).toBe(403);
    expect((await fetched(url.replace(/X-Amz-Expires=\d+/, "X-Amz-Expires=604800"))).status).toBe(403);
    expect((await fetched(url.split("?")[0]!)).status).toBe(403);
  });

  test("hands it out with a summary too, and for 120 minutes", async () => {
    const url = String((await server.call({ respond_with: "summary" }))["full_content_file_url"]);
    s3.pass(119 * 60_000);
    expect((await fetched(url)).status).toBe(200);
    s3.pass(2 * 60_000);
    expect(await fetched(url)).toMatchObject({
      status: 403,
      text: expect.stringContaining("expired") as string,
    });
    s3.pass(-121 * 60_000);
  });
});

test("if S3 refuses the storage, the client still gets the whole result", async () => {
  const kept = s3.objects.size;
  const server = await serve(s3, join(folder, "wrong"), "no such secret");
  try {
    const result = await server.call({ max_response_size: 100 });
    expect(result["data"]).toEqual((await server.call({ max_response_size: -1 }))["data"]);
    expect(s3.objects.size).toBe(kept);
  } finally {
    await server.stop();
  }
});

const environment = { AWS_ACCESS_KEY_ID: "AKIATEST", AWS_SECRET_ACCESS_KEY: "secret" };
const random = { bytes: (size: number) => randomBytes(size) };

test("without credentials one sentence says which are missing", () => {
  const create = () => createS3Storage(parseS3Url("s3://b"), { random, clock: Date, environment: {} });
  expect(create).toThrow("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
});

test("an account over its limit loses its oldest content, and other accounts lose none", async () => {
  const objects = new Set<string>();
  const send = ({ method, url }: Request): Promise<Response> => {
    if (method === "PUT") objects.add(url);
    else objects.delete(url);
    return Promise.resolve(new Response());
  };
  let now = 0;
  const parts = { random, clock: { now: () => now }, environment, send };
  const storage = createS3Storage({ ...parseS3Url("s3://b"), maxBytesOfAccount: 10 }, parts);
  const put = async (account: string) =>
    (await storage.put("result.txt", "four", "text/plain", account)).split("?")[0]!;
  const other = await put("other");
  const [first, second, third] = [await put("one"), await put("one"), await put("one")];
  expect([...objects]).toEqual([other, second, third]);
  expect(objects.has(first)).toBe(false);

  // Expired content does not count: the bucket's own rule deletes it.
  now = 121 * 60_000;
  await put("one");
  expect(objects.size).toBe(4);
  await expect(storage.put("large.txt", "eleven bytes", "text/plain", "one")).rejects.toThrow("at most 10");
});

test("content is sent to no other address than the configured one, whatever S3 answers", async () => {
  const sent: { url: string; redirect: string }[] = [];
  const send = ({ url, redirect }: Request): Promise<Response> => {
    sent.push({ url, redirect });
    return Promise.resolve(
      new Response(null, { status: 307, headers: { Location: "http://elsewhere.example/" } }),
    );
  };
  const storage = createS3Storage(parseS3Url("s3://b"), { random, clock: Date, environment, send });
  await expect(storage.put("result.txt", "four", "text/plain", "one")).rejects.toThrow(
    "S3 redirects PUT to another address, which is not followed: http://elsewhere.example/",
  );
  expect(sent).toEqual([{ url: expect.stringContaining("https://b.s3.us-east-1."), redirect: "manual" }]);
});

test("an endpoint that is not HTTPS is refused, since result addresses are", () => {
  const options = parseS3Url("s3://b?endpoint=http://minio");
  expect(() => createS3Storage(options, { random, clock: Date, environment })).toThrow("https://");
});

test("an S3 address names bucket, prefix, region and endpoint", () => {
  expect(
    parseS3Url("s3://b/a/c/?region=eu-central-1&endpoint=https://minio.example&path_style=true"),
  ).toEqual({
    bucket: "b",
    prefix: "a/c/",
    region: "eu-central-1",
    endpoint: "https://minio.example",
    forcePathStyle: true,
  });
  expect(parseS3Url("s3://b")).toMatchObject({ prefix: "", region: "us-east-1", endpoint: null });
  expect(() => parseS3Url("https://b")).toThrow("must be s3://bucket");
  expect(() => parseS3Url("s3://b?zone=1")).toThrow("zone; known are region");
});
