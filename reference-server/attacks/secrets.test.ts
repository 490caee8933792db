import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import PostalMime from "postal-mime";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sampleTools } from "../catalog/sample-roles.ts";
import { createLog } from "../parts-default.ts";
import { Unavailable } from "../storage/connection.ts";
import { startAttacked, type Attacked } from "./attacked.fixture.ts";

let server: Attacked;

beforeAll(async () => {
  server = await startAttacked((parts) => parts, { logLevel: "trace" });
});

afterAll(() => server.stop());

/** Every file of the data folder that is not meant to hold a secret: its name and its bytes. */
async function keptFiles(): Promise<[string, Buffer][]> {
  const files = await readdir(server.folder, { recursive: true, withFileTypes: true });
  const kept = files.filter(
    (file) =>
      file.isFile() &&
      !file.parentPath.endsWith("outbox") &&
      !/^(token-key|url-secret|.*-key\.pem)$/.test(file.name),
  );
  return Promise.all(
    kept.map(
      async ({ parentPath, name }) => [name, await readFile(join(parentPath, name))] as [string, Buffer],
    ),
  );
}

async function mailedCode(): Promise<string> {
  const outbox = join(server.folder, "outbox");
  const [newest] = (await readdir(outbox))
    .filter((name) => name.endsWith(".eml"))
    .sort()
    .reverse();
  const { text } = await PostalMime.parse(await readFile(join(outbox, newest!)));
  return /Your code is (\d{6})\./.exec(text ?? "")?.[1] ?? "no code";
}

it("keeps no key, code or token in the database, the log or an answer", async () => {
  const { accounts, tokens } = server.parts;
  const { key, claimCode } = await server.trial();
  const { id: accountId } = await accounts.create({ name: "formal", email: null });
  const { apiKey } = await accounts.addKey(accountId, "second");
  const lost = await accounts.addKey(accountId, "lost");
  await accounts.revokeKey(lost.id);
  const jwt = await tokens.sign({ accountId, lifetimeMs: 60_000 });
  const answers: string[] = [];
  const ask: Attacked["ask"] = async (...request) => {
    const answer = await server.ask(...request);
    answers.push(answer.text, JSON.stringify([...answer.headers]));
    return answer;
  };

  for (const token of [key, apiKey, lost.apiKey, jwt, `${jwt}x`]) {
    await ask("GET", "/auth/credits", { token });
    await ask("POST", "/auth/verify-token", { token });
    await ask("POST", "/search", { token, body: { query: "weather" } });
    await ask("POST", "/search", { token, body: "{" });
    await ask("POST", "/tools/execute", {
      token,
      body: { tool_id: sampleTools.charged.id, parameters: { city: 7 } },
    });
    await ask("GET", "/auth/usage/history/v2?include_details=true", { token });
    await ask("GET", "/auth/usage/history/v2/export", { token });
    await ask("GET", "/nowhere", { token });
    await ask("PATCH", "/search", { token });
  }
  const large = await ask("POST", "/tools/execute", {
    token: key,
    body: { tool_id: sampleTools.large_result.id, parameters: sampleTools.large_result.parameters },
  });
  const { full_content_file_url: url } = large.body["result"] as { full_content_file_url: string };
  const signature = new URL(url).searchParams.get("signature")!;

  const email = "owner@mail.example";
  const claim = { claim_code: claimCode, email };
  expect((await ask("POST", "/agent/claim", { body: claim })).status).toBe(200);
  const code = await mailedCode();
  expect(code).toMatch(/^\d{6}$/);
  const wrong = code === "000000" ? "000001" : "000000";
  await ask("POST", "/agent/claim-verify", { body: { ...claim, code: wrong } });
  await ask("POST", "/agent/claim-verify", { body: `${JSON.stringify({ ...claim, code })}}` });
  await ask("POST", "/agent/claim-verify", { body: `{"code":"${code}"x` });
  await ask("POST", "/agent/claim-verify", { body: { ...claim, code: [code] } });
  await ask("POST", "/agent/claim", { body: { ...claim, email: claimCode } });
  await ask("POST", "/agent/claim", { body: { ...claim, claim_code: [claimCode] } });
  expect((await ask("POST", "/agent/claim-verify", { body: { ...claim, code } })).status).toBe(200);
  await ask("POST", "/agent/claim", { body: claim });

  const secrets = { key, apiKey, lost: lost.apiKey, jwt, claimCode };
  const found: string[] = [];
  const files = await keptFiles();
  expect(files.map(([name]) => name)).toContain("data.sqlite");
  expect(files.some(([name, bytes]) => name.startsWith("data.sqlite") && bytes.includes(accountId))).toBe(
    true,
  );
  expect(server.logged()).toContain('"path":"/api/v1/agent/claim-verify"');
  for (const [what, secret] of [...Object.entries(secrets), ["signature", signature] as const]) {
    for (const [name, bytes] of files) if (bytes.includes(secret)) found.push(`${what} in ${name}`);
    if (server.logged().includes(secret)) found.push(`${what} in the log`);
    if (what !== "signature" && answers.some((text) => text.includes(secret)))
      found.push(`${what} in an answer`);
  }
  // Six digits occur in a file by chance, but not as a separate word.
  const asWord = new RegExp(`(?<![0-9a-f.])${code}(?![0-9a-f])`);
  if (asWord.test(server.logged())) found.push("the mailed code in the log");
  if (answers.some((text) => text.includes(`"${code}"`) || text.includes(`${code}`))) {
    found.push("the mailed code in an answer");
  }
  expect(found).toEqual([]);
});

it("exports text that would be a formula as text", async () => {
  const { key } = await server.trial();
  const formulas = ["=HYPERLINK(A1)", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1"];
  for (const session_id of formulas) {
    await server.ask("POST", "/search", { token: key, body: { query: "weather", session_id } });
    await server.ask("POST", "/search", { token: key, body: { query: session_id, session_id: "s" } });
  }
  const { text } = await server.ask("GET", "/auth/usage/history/v2/export", { token: key });
  expect(text).toContain("'=HYPERLINK(A1)");
  const cells = text.split(/[,\n]/).map((cell) => cell.replace(/^"/, ""));
  expect(cells.filter((cell) => /^[=+@\t\r]./.test(cell) || /^-(?![\d.]+"?$)/.test(cell))).toEqual([]);
});

it("is not delayed by a costly projection: the call is answered and names what was left out", async () => {
  const { key } = await server.trial();
  const bombs = [
    "$..*..*..*..*..*..*",
    "$[?match(@..*, '(a+)+$')]",
    "$..[?search(@, '(.*)*x')]",
    `$${"[0,0]".repeat(100)}`,
  ];
  for (const bomb of bombs) {
    const call = await server.ask("POST", "/tools/execute", {
      token: key,
      body: {
        tool_id: sampleTools.charged.id,
        parameters: sampleTools.charged.parameters,
        respond_with: `fields:${bomb},$`,
      },
    });
    expect([bomb, call.status === 200 || call.status === 422]).toEqual([bomb, true]);
    expect(call.body["elapsed_time_ms"] ?? 0).toBeLessThan(10_000);
  }
});

it("masks a mailed code in a log entry, and never the code of an error", () => {
  const lines: string[] = [];
  const log = createLog("info", { write: (line) => void lines.push(line) });
  const cause = Object.assign(new Error("SQLITE_CORRUPT: malformed"), { code: "SQLITE_CORRUPT" });
  for (const name of ["err", "error"]) log.error({ [name]: new Unavailable("SQLite", { cause }) }, "failed");
  log.error({ err: AbortSignal.abort().reason as unknown }, "failed");
  log.info({ code: 123_456, body: { code: ["123456"] } });
  log.info({ code: "123456", body: { code: "123456", claim_code: "claim_x" } });
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries).toMatchObject([
    { err: { code: "SQLITE_CORRUPT", type: "Unavailable" } },
    { error: { code: "SQLITE_CORRUPT", type: "Unavailable" } },
    { err: { code: 20, type: "DOMException" } },
    { code: "[secret]", body: { code: "[secret]" } },
    { code: "[secret]", body: { code: "[secret]", claim_code: "[secret]" } },
  ]);
});
