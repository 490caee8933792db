import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { contractVersion } from "../../generated/contract.ts";

/** The version after the current one. */
export const nextVersion = "2099-01-01.1";

const repository = resolve(import.meta.dirname, "../..");

/**
 * Writes and releases the next version in a copy of the spec: a new field in a Call's answer, a lower quota, a new
 * charge outcome, a new operation, and a removed clause.
 * @returns the folder of the releases: the current one and the next
 */
export function releaseNextVersion(folder: string): string {
  for (const name of [
    "spec",
    "scripts",
    "yaml",
    "contract",
    "generated",
    "package.json",
    "cli",
    "conformance",
    "reference-server",
  ])
    cpSync(join(repository, name), join(folder, name), { recursive: true });
  symlinkSync(join(repository, "node_modules"), join(folder, "node_modules"));
  mkdirSync(join(folder, "docs"));
  rmSync(join(folder, "generated/released"), { recursive: true });
  const release = (): unknown =>
    execFileSync(process.execPath, ["scripts/generate.ts", "--release"], { cwd: folder, stdio: "pipe" });
  const change = (name: string, from: string | RegExp, to: string): void => {
    const file = join(folder, "spec", name);
    const old = readFileSync(file, "utf8");
    const now = old.replace(from, to);
    if (now === old) throw new RangeError(`${name} has no ${String(from)}`);
    writeFileSync(file, now);
  };
  release();

  for (const name of ["contract.md", "openapi/root.yaml", "openapi/headers.yaml", "clauses/versioning.yaml"])
    change(name, new RegExp(contractVersion.replaceAll(".", "\\."), "g"), nextVersion);

  change(
    "contract.md",
    /(\| remaining_credits \| number or null \|.*\n)/,
    "$1| place | string | Where the tool ran |\n",
  );
  change("openapi/schemas/CallSuccess.yaml", "required: [", "required: [place, ");
  change(
    "openapi/schemas/CallSuccess.yaml",
    "properties:\n",
    "properties:\n  place:\n    type: string\n    x-clause: CALL-90\n    x-when: { request: { respond_with: full }, answer: { success: true } }\n",
  );
  const clause = (file: string, id: string, text: string, quote: string, about: string): void =>
    appendFileSync(
      join(folder, "spec/clauses", file),
      `  - id: ${id}\n    level: must\n    text: ${text}\n    since: ${nextVersion}\n    quote: ${quote}\n    basis: stated\n    ${about}\n    seen: blackbox\n`,
    );
  clause(
    "call.yaml",
    "CALL-90",
    "A Call names its place.",
    "place | string | Where the tool ran",
    "operation: call",
  );

  change("contract.md", "| POST /tools/probe | 120 requests", "| POST /tools/probe | 60 requests");
  change("openapi/paths/probe.yaml", "requests: 120", "requests: 60");
  change("clauses/limits.yaml", "  - id: LIMI-03\n", `  - id: LIMI-03\n    until: ${nextVersion}\n`);
  clause(
    "limits.yaml",
    "LIMI-90",
    "Probe's quota is 60 requests a minute, unless the deployment declares another.",
    "POST /tools/probe | 60 requests/minute",
    "operation: probe",
  );

  change("openapi/schemas/ChargeOutcome.yaml", "failed_charged_review]", "failed_charged_review, refunded]");
  appendFileSync(
    join(folder, "spec/openapi/schemas/ChargeOutcome.yaml"),
    "  refunded: { effectiveSuccess: false, positiveAmount: true }\n",
  );

  const spent = join(folder, "spec/openapi/paths/get-credits-spent.yaml");
  writeFileSync(
    join(folder, "spec/openapi/paths/get-ratings.yaml"),
    readFileSync(spent, "utf8").replace("operationId: getCreditsSpent", "operationId: getRatings"),
  );
  change("openapi/root.yaml", "paths:\n", "paths:\n  /tools/ratings:\n    $ref: ./paths/get-ratings.yaml\n");
  release();
  return join(folder, "generated/released");
}

/**
 * Turns a server with today's code and the next version's facts into a server of the next version: it adds the new
 * field to Calls and serves the new operation.
 * @param spoil how a mutant changes the body of a Call
 */
export async function withNextFeatures(
  behind: string,
  spoil: (body: Record<string, unknown>) => void = () => undefined,
): Promise<{ server: Server; baseUrl: string }> {
  const { port, pathname } = new URL(behind);
  const server = createServer((asked, answered) => {
    const path = asked.url!.replace("/tools/ratings", "/auth/usage/credits-spent");
    const headers = { ...asked.headers, "accept-encoding": "identity" };
    const sent = request({ port, path, method: asked.method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => {
        let body = Buffer.concat(chunks).toString();
        if (path.includes("/tools/execute") && answer.statusCode === 200) {
          const call = JSON.parse(body) as Record<string, unknown>;
          // Projections contain only what they name.
          if ("execution_time" in call) call["place"] = "here";
          spoil(call);
          body = JSON.stringify(call);
        }
        const { "content-length": _length, "transfer-encoding": _coding, ...others } = answer.headers;
        answered.writeHead(answer.statusCode!, others).end(body);
      });
    });
    sent.on("error", () => answered.destroy());
    asked.pipe(sent);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return { server, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}` };
}
