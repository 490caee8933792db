import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { checks } from "../suite/checks.ts";
import { rules } from "../suite/rules.ts";
import { clausesOf } from "../report/report.ts";
import { run } from "../runner/run.ts";
import { defaultProfile, type Profile } from "../subject/profile.ts";

/** A server that answers everything alike. It keeps many a negative obligation, and none of them on purpose. */
export interface ConstantServer {
  name: string;
  status: number;
  body: string;
}

export const constantServers: readonly ConstantServer[] = [
  { name: "always 200 {}", status: 200, body: "{}" },
  { name: "always 404", status: 404, body: '{"status":"failure","message":"not found"}' },
  { name: "always 500", status: 500, body: '{"status":"failure","message":"failed"}' },
  { name: "always empty", status: 200, body: "" },
];

export interface ConstantTrial {
  name: string;
  /** The `must` clauses that a run counts as kept: there should be none. */
  must_passed: string[];
}

/** Judges a constant server, with a profile that names everything, so that nothing is merely unverified. */
export async function constantTrial({ name, status, body }: ConstantServer): Promise<ConstantTrial> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { "content-type": "application/json" }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
    const judged = await run(fullProfile(baseUrl), { checks, rules, fast: true, anyKind: true });
    const clauses = clausesOf(judged.findings);
    return {
      name,
      must_passed: clauses
        .filter((one) => one.level === "must" && one.verdict === "pass")
        .map((one) => one.id),
    };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function fullProfile(baseUrl: string): Profile {
  const profile = defaultProfile(baseUrl);
  const key = (name: string): string => `key-of-${name}`;
  return {
    ...profile,
    credentials: {
      account: key("account"),
      second_key_of_account: key("account-2"),
      pool: Array.from({ length: 16 }, (_, index) => key(`pool-${index}`)),
      exhausted: key("exhausted"),
      expired_trial: key("expired"),
      revoked: key("revoked"),
      jwt: "a.b.c",
      expired_jwt: "a.b.d",
      delegation: { token: "a.b.e", run_id: "run", provider_id: "provider" },
    },
    tools: Object.fromEntries(
      [
        "charged",
        "included",
        "provider_error",
        "large_result",
        "required_parameter",
        "enum",
        "one_of",
        "zero_parameter",
        "expensive",
      ].map((role) => [role, { id: `tool.${role}`, parameters: {} }]),
    ),
    capabilities: { query: { id: "capability" }, detail: { id: "capability" } },
    audit_lag: 0,
  };
}
