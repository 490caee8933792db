import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { Unreachable } from "../base/exit.ts";
import { defaultProfile } from "../conformance/server/profile.ts";
import { Judgement } from "./judgement.ts";
import { Secrets } from "../conformance/server/secrets.ts";
import { load } from "./load.ts";
import { readTask } from "./main.ts";
import type { LoadReport } from "./report/load-report.ts";

/** The load of a server that greets as it should and then does this. */
async function loadOf(listener: RequestListener): Promise<LoadReport> {
  const server = createServer((request, response) => {
    if (request.url !== "/api/v1/search" || request.headers.authorization !== undefined)
      return listener(request, response);
    response.writeHead(401, { "Content-Type": "application/json" });
    response.end('{"status":"failure","message":"who are you?","status_code":401,"data":null}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const task = readTask("throughput", ["--wait", "1", "--seconds", "1"])!;
    return await load(defaultProfile(`http://127.0.0.1:${port}/api/v1`), task);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

it.each<[string, RequestListener, string]>([
  ["resets connections", (_, response) => response.socket!.destroy(), "socket hang up"],
  ["sends no JSON", (_, response) => response.writeHead(200).end("<h1>welcome</h1>"), "data.api_key"],
  ["answers 500", (_, response) => response.writeHead(500).end("{}"), "500"],
  ["nests its answers", (_, response) => response.end("[".repeat(1_000)), "nested deeper than 200 levels"],
])("a server that %s is at fault, by name", async (_, listener, named) => {
  const { findings } = await loadOf(listener);
  expect(findings.some(({ verdict }) => verdict === "fail")).toBe(true);
  expect(JSON.stringify(findings)).toContain(named);
});

it("says that a server which only refuses cannot be loaded", async () => {
  const later: RequestListener = (_, response) =>
    response
      .writeHead(429, { "Content-Type": "application/json", "Retry-After": "90" })
      .end('{"status":"failure","message":"later","status_code":429,"data":null}');
  const outcome = await loadOf(later).catch((error: unknown) => error);
  if (outcome instanceof Unreachable) return;
  const { ended, notes } = outcome as LoadReport;
  expect(`${ended?.text} ${notes.join()}`).toMatch(/--wait/);
});

it("counts requests without an answer as a fault, unless one in a hundred is lost by chance", () => {
  const verdictOf = (unanswered: number, answers: number) => {
    const judgement = new Judgement(new Secrets());
    judgement.judgeUnanswered({ unanswered, answers });
    return judgement.findings.map(({ verdict }) => verdict);
  };
  expect(verdictOf(0, 0)).toEqual([]);
  expect(verdictOf(1, 0)).toEqual(["fail"]);
  expect(verdictOf(2, 100)).toEqual(["fail"]);
  expect(verdictOf(1, 199)).toEqual(["warn"]);
});
