import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { startProxy, type Proxy, type ProxyOptions } from "./proxy.ts";
import { sendOnce } from "./clients/recorder.fixture.ts";
import type { Live } from "./traffic-judge.ts";

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function upstream(listener: http.RequestListener): Promise<string> {
  const server = http.createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endings.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function proxied(
  options: Pick<ProxyOptions, "target"> & Partial<ProxyOptions>,
): Promise<{ proxy: Proxy; breaches: Live[] }> {
  const breaches: Live[] = [];
  const proxy = await startProxy({ party: "server", onBreach: (live) => breaches.push(live), ...options });
  endings.push(() => proxy.close());
  return { proxy, breaches };
}

const search = (proxy: Proxy) => ({
  method: "POST" as const,
  url: `${proxy.baseUrl}/search`,
  headers: { authorization: "Bearer secret-of-a-client", "content-type": "application/json" },
  body: '{"query":"weather"}',
});

const noVersion: http.RequestListener = (request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "application/json", "x-Own": "Kept" }).end('{"search_id": "s1"}');
};

it("passes on bytes as they are, and says what they break", async () => {
  const { proxy, breaches } = await proxied({ target: await upstream(noVersion) });
  const answer = await sendOnce(search(proxy));
  expect(answer).toMatchObject({ status: 200, body: '{"search_id": "s1"}', headers: { "x-own": "Kept" } });
  await proxy.settled();
  expect(breaches.flatMap(({ rule }) => rule.clauses)).toContain("VERS-01");
  expect(JSON.stringify(breaches)).not.toContain("secret-of-a-client");
});

it("passes an answer on while it is still being given", async () => {
  let finish = (): void => undefined;
  const target = await upstream((_request, response) => {
    response.writeHead(200, { "content-type": "text/csv" });
    response.write("first line\n");
    finish = () => response.end("second line\n");
  });
  const { proxy } = await proxied({ target });
  const body = await new Promise<string>((resolve, reject) => {
    http
      .get(`${proxy.baseUrl}/auth/credits/ledger/export`, (incoming) => {
        let text = "";
        incoming.setEncoding("utf8");
        incoming.on("data", (chunk: string) => {
          text += chunk;
          if (text === "first line\n") finish();
        });
        incoming.on("end", () => resolve(text));
      })
      .on("error", reject);
  });
  expect(body).toBe("first line\nsecond line\n");
});

it("with --enforce answers a breach with a 502 that names the clause, and what is right with itself", async () => {
  const { proxy } = await proxied({ target: await upstream(noVersion), enforce: true });
  const answer = await sendOnce(search(proxy));
  expect(answer?.status).toBe(502);
  expect(JSON.parse(answer!.body)).toMatchObject({ status: "failure", status_code: 502, data: null });
  expect(answer!.body).toMatch(/breaks [A-Z]{4}-\d\d/);
  const url = `${new URL(proxy.baseUrl).origin}/healthz`;
  const elsewhere = await sendOnce({ method: "GET", url, headers: {} });
  expect(elsewhere).toMatchObject({ status: 200, body: '{"search_id": "s1"}' });
});

it("answers 502 when the server is not there, and breaks off where the server does", async () => {
  const { proxy } = await proxied({ target: "http://127.0.0.1:1" });
  expect((await sendOnce(search(proxy)))?.status).toBe(502);
  const target = await upstream((request, response) => {
    request.resume();
    response.writeHead(200, { "content-length": "1000", "content-type": "application/json" });
    response.write('{"search_id":', () => response.destroy());
  });
  const { proxy: other, breaches } = await proxied({ target });
  expect(await sendOnce(search(other))).toBeNull();
  await other.settled();
  expect(breaches).toEqual([]);
  expect(other.judge.counts.judged).toBe(1);
});
