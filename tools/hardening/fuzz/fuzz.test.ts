import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { fuzz } from "./run.ts";
import { givenSubject } from "./subject.ts";
import { contractVersion } from "../../../generated/contract.ts";

it("finds a server error, a broken schema and a revealed key, each shrunk", async () => {
  const headers = { "Content-Type": "application/json", "X-Service-Api-Version": contractVersion };
  const key = "a-key-that-nobody-may-see-again-0001";
  const tool = { tool_id: "a.b.v1", name: "a", params: [] };
  const server = createServer((request, response) => {
    const path = (request.url ?? "").replace(/^\/api\/v1/, "");
    const found = { query: "data", search_id: "s", total: 1, results: [tool], elapsed_time_ms: 1 };
    request.resume();
    const [status, body] = path.startsWith("/search")
      ? [200, found]
      : path.startsWith("/tools/by-ids")
        ? [200, found]
        : path.startsWith("/auth/credits?") || path === "/auth/credits"
          ? [200, { status: "success", message: `you are ${key}`, status_code: 0, data: {} }]
          : [500, { status: "failure", message: "no" }];
    request.on("end", () => response.writeHead(status as number, headers).end(JSON.stringify(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const subject = givenSubject(`http://127.0.0.1:${port}/api/v1`);
    const { findings } = await fuzz(subject, { requests: 300, seed: 7, key, lanes: 2 });
    const named = new Map(findings.map((finding) => [finding.name, finding]));
    const broken = named.get("getUsageEvent 500: a server error")!;
    expect(broken).toMatchObject({ input: { fields: null, body: null, delivery: "whole" } });
    expect(broken.curl).toMatch(/^curl -i 'http:\/\/127\.0\.0\.1/);
    expect(named.get("getCredits 200: a secret is revealed again")!.sentence).toContain("«key");
    expect([...named.keys()].some((name) => name.startsWith("discover 200: "))).toBe(true);
    expect(JSON.stringify(findings)).not.toContain(key);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
