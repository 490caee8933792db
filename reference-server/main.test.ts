import { execFile, spawn } from "node:child_process";
import { access, mkdtemp, rm } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { statusOf } from "../base/exit.ts";
import type { Verb } from "../base/verb.ts";
import serve from "./main.ts";
import admin from "./operator/admin.ts";

// Processes are started in sequence.
vi.setConfig({ testTimeout: 120_000 });

const program = new URL("../cli/cli.ts", import.meta.url).pathname;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "main-"));
});
afterAll(() => rm(folder, { recursive: true }));

interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

const run = (...args: string[]): Promise<Ended> =>
  new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], (_error, stdout, stderr) => {
      resolve({ status: child.exitCode, stdout, stderr });
    });
  });

/** A started server: its output up to its last line, and a function that stops it. */
function start(
  args: string[],
  { nodeFlags = [], env }: { nodeFlags?: string[]; env?: Record<string, string> } = {},
): Promise<{ printed: string; stop(): Promise<number | null> }> {
  const child = spawn(process.execPath, [...nodeFlags, program, "start", ...args], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, ...env },
  });
  let printed = "";
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return new Promise((resolve, reject) => {
    child.once("exit", (status) => reject(new Error(`it ended with ${status}: ${printed}`)));
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      if (!printed.includes("Full results")) return;
      resolve({
        printed,
        stop: () => {
          child.kill("SIGTERM");
          return ended;
        },
      });
    });
  });
}

it("prints a key and a curl line that work, once, and stops gracefully while the operator works on its data", async () => {
  const data = join(folder, "data");
  const args = ["--port", "0", "--data", data];
  const first = await start(args);
  const [, url, key] = /curl -s (\S+) -H 'Authorization: Bearer (\S+)'/.exec(first.printed) ?? [];
  const answered = await fetch(url!, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}` },
    body: '{"query": "weather"}',
  });
  expect(answered.status).toBe(200);
  const created = await run("admin", "account", "create", "--name", "x", "--data", data, "--json");
  const { api_key: second } = JSON.parse(created.stdout) as { api_key: string };
  const credits = await fetch(url!.replace("/search", "/auth/credits"), {
    headers: { Authorization: `Bearer ${second}` },
  });
  expect(credits.status).toBe(200);
  const [, caFile] = /trust (\S+)\.\n/.exec(first.printed) ?? [];
  await vi.waitFor(() => access(caFile!), { timeout: 30_000 });
  expect(await first.stop()).toBe(0);

  const again = await start(args);
  expect(again.printed).toContain("npm run admin -- account create");
  expect(again.printed).not.toContain("Bearer");
  expect(await again.stop()).toBe(0);
});

/** As if the package sqlite3 were not installed. */
const withoutSqlite3 = `import { registerHooks } from "node:module";
registerHooks({
  resolve(name, context, next) {
    if (name === "sqlite3") throw Object.assign(new Error("not installed"), { code: "MODULE_NOT_FOUND" });
    return next(name, context);
  },
});`;

it("starts with Node's own SQLite where the package sqlite3 is not installed; in production it prints no key", async () => {
  const data = join(folder, "node-sqlite");
  const server = await start(["--port", "0", "--data", data], {
    nodeFlags: ["--import", `data:text/javascript,${encodeURIComponent(withoutSqlite3)}`],
    env: { SQLITE_DRIVER: "node", NODE_ENV: "production" },
  });
  const [, url] = /listens at (\S+)/.exec(server.printed)!;
  const registered = await fetch(`${url}/agent/anonymous-register`, { method: "POST", body: "{}" });
  expect(registered.status).toBe(200);
  expect(server.printed).toContain("An account and its key: npm run admin -- account create");
  expect(server.printed).not.toMatch(/cc_live_|Bearer/);
  expect(await server.stop()).toBe(0);
});

/** How a verb ends in this process; the status of the process is that of `statusOf`: conformance/run/main.test.ts. */
async function endOf(verb: Verb, ...words: string[]): Promise<{ status: number; stderr: string }> {
  const said = vi.spyOn(console, "error").mockReturnValue(undefined);
  const status = await statusOf(() => verb.run("capability-contract", words));
  const stderr = said.mock.calls.map(([text]) => `${String(text)}\n`).join("");
  said.mockRestore();
  return { status, stderr };
}

it("says in one sentence why it cannot start, with exit status 2", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo;
  const used = await run(
    "start",
    "--port",
    String(port),
    "--data",
    join(folder, "used"),
    "--log-level",
    "silent",
  );
  taken.close();
  expect(used).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^Port \d+ is in use at .*\n$/) as string,
  });
  const data = await endOf(serve, "--data", join(import.meta.filename, "data"));
  expect(data).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^data folder .*data: .*\n$/) as string,
  });
  const flag = await endOf(serve, "--nonsense");
  expect(flag).toMatchObject({ status: 2, stderr: expect.stringContaining("--nonsense") as string });
  const command = await endOf(admin, "account", "destroy");
  expect(command).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("comes one of create, list, close, reopen") as string,
  });
});
