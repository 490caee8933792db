import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sampleTools } from "../catalog/sample-roles.ts";
import type { ObjectStorage, Parts } from "../parts.ts";
import { startAttacked, type Attacked } from "./attacked.fixture.ts";

const head = (more: string): string => `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${more}\r\n`;
const sized = (body: string, more = ""): string => head(`Content-Length: ${body.length}\r\n${more}`) + body;
const rows = '{"data": {"a": 1}}';

/** Writes bytes from time to time, forever. */
function drip(socket: Socket, bytes: string): void {
  const timer = setInterval(() => socket.write(bytes), 20);
  socket.on("close", () => clearInterval(timer));
}

/** The provider's behaviour once asked, and the reason in the audit; null if the call succeeds. */
const behaviours: Readonly<Record<string, { reason: string; answer: (socket: Socket) => void }>> = {
  "says nothing": { reason: "transport.timeout", answer: () => undefined },
  "hangs up": { reason: "transport.no_response", answer: (socket) => socket.end() },
  resets: { reason: "transport.no_response", answer: (socket) => socket.resetAndDestroy() },
  "drips its head": {
    reason: "transport.timeout",
    answer: (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nX-Slow: ");
      drip(socket, "a");
    },
  },
  "drips its body": {
    reason: "transport.timeout",
    answer: (socket) => {
      socket.write(head("Content-Length: 1000000\r\n"));
      drip(socket, " ");
    },
  },
  "sends interim answers forever": {
    reason: "transport.timeout",
    answer: (socket) => drip(socket, "HTTP/1.1 102 Processing\r\n\r\n"),
  },
  "promises more than it sends": {
    reason: "transport.execution_failed",
    answer: (socket) => socket.end(head("Content-Length: 1000\r\n") + rows),
  },
  "promises less than it sends": {
    reason: "transport.execution_failed",
    answer: (socket) => socket.end(head("Content-Length: 9\r\n") + rows),
  },
  "gives two lengths": {
    reason: "transport.execution_failed",
    answer: (socket) => socket.end(head("Content-Length: 9\r\nContent-Length: 18\r\n") + rows),
  },
  "gives an invalid length": {
    reason: "transport.execution_failed",
    answer: (socket) => socket.end(head("Content-Length: -1\r\n") + rows),
  },
  "breaks its chunks": {
    reason: "transport.execution_failed",
    answer: (socket) => socket.end(head("Transfer-Encoding: chunked\r\n") + "zz\r\nrubbish"),
  },
  "ends within a chunk": {
    reason: "transport.execution_failed",
    answer: (socket) => socket.end(head("Transfer-Encoding: chunked\r\n") + "ff\r\n{"),
  },
  "answers bytes": {
    reason: "transport.execution_failed",
    answer: (socket) => socket.end(Buffer.from([0, 255, 1, 13, 10, 13, 10])),
  },
  "answers with something other than JSON": {
    reason: "transport.execution_failed",
    answer: (socket) => socket.end(sized("<html>{</html>")),
  },
  "answers with an endless head": {
    reason: "transport.execution_failed",
    answer: (socket) => socket.end(`HTTP/1.1 200 OK\r\nX-Long: ${"a".repeat(100_000)}`),
  },
  "answers with endless nesting": {
    reason: "transport.execution_failed",
    answer: (socket) => socket.end(sized(`{"data": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`)),
  },
  "answers endlessly": {
    reason: "transport.execution_failed",
    answer: (socket) => {
      socket.write(`${head("")}{"data": "`);
      const block = "x".repeat(1024 * 1024);
      const pour = (): void => {
        while (socket.writable && socket.write(block));
      };
      socket.on("drain", pour);
      pour();
    },
  },
  "compresses although asked not to": {
    reason: "transport.execution_failed",
    answer: (socket) => {
      const bomb = gzipSync(Buffer.alloc(50_000_000));
      socket.write(head(`Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n`));
      socket.end(bomb);
    },
  },
  "sends the server elsewhere": {
    reason: "provider.http_error",
    answer: (socket) =>
      socket.end(
        `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${port()}/inside\r\nContent-Length: 0\r\n\r\n`,
      ),
  },
};

let provider: Server;
let behaviour: (socket: Socket) => void = () => undefined;
const asked: string[] = [];
const port = (): number => (provider.address() as AddressInfo).port;
let server: Attacked;
let storage: ObjectStorage["put"];

/** The tool's timeout in milliseconds: short where the test waits for it, otherwise ample for a busy machine. */
let timeoutMs = 600;

/** The charged sample tool with this test's provider; the object storage fails where a test says so. */
function withProvider(parts: Parts): Parts {
  const { catalog } = parts;
  const moved = new Map(
    catalog.tools.map((tool) => [
      tool.tool_id,
      tool.tool_id === sampleTools.charged.id
        ? {
            ...tool,
            mapping: { data: "data" },
            upstream: {
              method: "GET" as const,
              url: `http://127.0.0.1:${port()}/asked`,
              get timeout_ms() {
                return timeoutMs;
              },
            },
          }
        : tool,
    ]),
  );
  storage = (...put) => parts.objects.put(...put);
  return {
    ...parts,
    catalog: {
      tools: catalog.tools,
      find: (id: string) => moved.get(id),
      capability: (id: string) => catalog.capability(id),
    } as Parts["catalog"],
    objects: { put: (...put) => storage(...put) },
  };
}

beforeAll(async () => {
  provider = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (bytes) => {
      asked.push(bytes.toString().split(" ")[1]!);
      behaviour(socket);
    });
  });
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  server = await startAttacked(withProvider);
});

afterAll(async () => {
  await server.stop();
  await new Promise((resolve) => provider.close(resolve));
});

const { id: toolId, parameters } = sampleTools.charged;

it.each(Object.entries(behaviours))(
  "no one is charged for a provider that %s",
  async (_, { reason, answer }) => {
    behaviour = answer;
    timeoutMs = reason === "transport.timeout" ? 600 : 20_000;
    asked.length = 0;
    const { key } = await server.trial();
    const call = await server.ask("POST", "/tools/execute", {
      token: key,
      body: { tool_id: toolId, parameters },
    });
    expect(call).toMatchObject({ status: 200, body: { success: false, cost: 0, remaining_credits: 50 } });
    expect(asked).toEqual([expect.stringContaining("/asked")]);

    const executionId = call.body["execution_id"] as string;
    const usage = await server.ask("GET", `/auth/usage/history/v2?execution_id=${executionId}`, {
      token: key,
    });
    expect((usage.body["data"] as { items: unknown[] }).items).toMatchObject([
      { reason_code: reason, charge_outcome: "failed_not_charged", actual_amount_credits: 0, success: false },
    ]);
    const ledger = await server.ask("GET", "/auth/credits/ledger?direction=consume", { token: key });
    expect(ledger.body["data"]).toMatchObject({ total: 0 });
  },
);

it("the provider is not blamed where this server has no room for its answer", async () => {
  behaviour = (socket) => socket.end(sized(rows));
  timeoutMs = 20_000;
  const full = (): never => {
    throw new Error("no room");
  };
  const tool = server.parts.catalog.find(toolId)!;
  expect(await server.parts.providers.execute(tool, { ...parameters }, full)).toMatchObject({
    reason: "transport.execution_failed",
    success: false,
    statusCode: null,
    message: "This server has no room for the provider's answer at present; try again later.",
  });
});

it("an answer after the timeout changes nothing", async () => {
  let late: Socket | undefined;
  behaviour = (socket) => (late = socket);
  timeoutMs = 600;
  const { key } = await server.trial();
  const call = await server.ask("POST", "/tools/execute", {
    token: key,
    body: { tool_id: toolId, parameters },
  });
  late!.end(sized(rows));
  behaviour = (socket) => socket.end(sized('{"data": {"a": 2}}'));
  const next = await server.ask("POST", "/tools/execute", {
    token: key,
    body: { tool_id: toolId, parameters },
  });
  expect(call.body).toMatchObject({ success: false, cost: 0 });
  expect(next.body).toMatchObject({ success: true, result: { data: { a: 2 } } });
  const usage = await server.ask("GET", "/auth/usage/history/v2", { token: key });
  expect((usage.body["data"] as { items: object[] }).items).toMatchObject([
    { reason_code: "result.valid", charge_outcome: "charged" },
    { reason_code: "transport.timeout", charge_outcome: "failed_not_charged" },
  ]);
});

it("a call whose result cannot be stored answers with everything that was paid for", async () => {
  const text = "x".repeat(100_000);
  behaviour = (socket) => socket.end(sized(JSON.stringify({ data: { text } })));
  const { key } = await server.trial();
  const working = storage;
  try {
    for (const put of [
      () => Promise.reject(new Error("ENOSPC")),
      () => {
        throw new Error("the storage is gone");
      },
    ]) {
      storage = put;
      const body = { tool_id: toolId, parameters, max_response_size: 100 };
      const call = await server.ask("POST", "/tools/execute", { token: key, body });
      expect(call).toMatchObject({ status: 200, body: { success: true, result: { data: { text } } } });
      const summary = await server.ask("POST", "/tools/execute", {
        token: key,
        body: { ...body, respond_with: "summary" },
      });
      expect(summary).toMatchObject({
        status: 200,
        body: { success: true, result: { respond_with: "summary" } },
      });
      expect(summary.body["result"]).not.toHaveProperty("full_content_file_url");
    }
  } finally {
    storage = working;
  }
});
