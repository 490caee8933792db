import { sampleCapabilities, sampleTools } from "../../catalog/sample-roles.ts";
import type { Seeded } from "../../../conformance/history/seeded.ts";

/** A request designed to cost more than it should. */
export interface Abuse {
  method: "GET" | "POST";
  path: string;
  /** JSON; undefined for a request without a body. */
  body?: string;
  /** `unread`: the answer is never read. `trickled`: the body never arrives in full. */
  slow?: "unread" | "trickled";
}

const { large_result: large, charged } = sampleTools;
const post = (path: string, body: unknown): Abuse => ({ method: "POST", path, body: JSON.stringify(body) });
const members = (count: number, name = "k") =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${name}${n}`, n]));
const nested = (levels: number, inner: string): string => "[".repeat(levels) + inner + "]".repeat(levels);
const call = (more: object) =>
  post("/tools/execute", { tool_id: large.id, parameters: { ...large.parameters, days: 365 }, ...more });
const stars = (count: number): string => `[${Array(count).fill("*").join()}]`;

/** Known costly requests, by the kind of cost. */
export const families: Readonly<Record<string, (random: Seeded) => Abuse>> = {
  "a projection of stars": ({ below }) => {
    const path = `$${stars(40 + below(60))}${stars(40)}${stars(40)}`;
    return call({ respond_with: `fields:${Array.from({ length: 20 }, (_, n) => `${path}[${n}]`).join()}` });
  },
  "a projection of descents": () =>
    call({ respond_with: "fields:$..*..*..*..*,$..[?search(@, '(a|aa)+$b')]" }),
  "a projection without truncation": ({ below }) =>
    call({ respond_with: `fields:$${stars(250)},$..*`, max_response_size: below(2) ? -1 : 1 }),
  "stored results": () => call({ max_response_size: 1 }),
  "numbers for ids": ({ below }) =>
    post("/tools/by-ids", { tool_ids: Array.from({ length: 10 ** (1 + below(5)) }, () => 1) }),
  "ids without end": ({ below }) =>
    post("/tools/by-ids", {
      tool_ids: Array.from({ length: 10 ** (1 + below(4)) }, (_, n) => `${n}${"t".repeat(60)}`),
    }),
  "unknown parameters": ({ below }) =>
    post("/tools/execute", {
      tool_id: charged.id,
      parameters: members(10 ** (1 + below(4)), "k".repeat(10 ** below(3))),
    }),
  "a long query": ({ below }) => post("/search", { query: "weather ".repeat(10 ** below(6)), limit: 100 }),
  "a long session": ({ below }) => post("/search", { query: "x", session_id: "s".repeat(10 ** below(6)) }),
  "a capability with much": ({ below }) =>
    post("/capabilities/query", {
      capability_id: sampleCapabilities.query.id,
      parameters: members(10 ** (1 + below(4))),
    }),
  "a probe of much": ({ below }) =>
    post(`/tools/probe?tool_id=${charged.id}`, {
      parameters: members(10 ** (1 + below(4))),
      checks: Array(10 ** below(4)).fill("quote"),
    }),
  "a list of everything": () => ({
    method: "GET",
    path: "/auth/usage/history/v2?page_size=50000&include_details=true&summary=true",
  }),
  "an export": () => ({ method: "GET", path: "/auth/usage/history/v2/export" }),
  "an unread list": () => ({
    method: "GET",
    path: "/auth/usage/history/v2?page_size=50000&include_details=true",
    slow: "unread",
  }),
  "an unread export": () => ({ method: "GET", path: "/auth/usage/history/v2/export", slow: "unread" }),
  "a body that never ends": () => ({
    ...post("/search", { query: "x".repeat(1_000_000) }),
    slow: "trickled",
  }),
};

const paths = [
  "/search",
  "/tools/by-ids",
  `/tools/probe?tool_id=${charged.id}`,
  "/tools/execute",
  "/capabilities/query",
  "/agent/anonymous-register",
  "/agent/claim",
  "/agent/claim-verify",
];
const names = [
  "query",
  "tool_ids",
  "parameters",
  "checks",
  "session_id",
  "respond_with",
  "agent_name",
  "claim_code",
  "email",
];

/** A value of a given size, nesting and repetition in a field of an operation. */
export function generated({ below, pick }: Seeded): Abuse {
  const size = 10 ** below(6);
  const text = JSON.stringify(
    pick(["x", "\u0000", "ü", "$..*,", "\ud83d\ude00", '"'] as const).repeat(size / 4 + 1),
  );
  const value = nested(pick([0, 0, 1, 50, 99, 101, 5_000]), pick([text, "1", "null", "{}", "1e308"]));
  const repeated = `[${Array(pick([1, 10, 1_000]))
    .fill(value.slice(0, 900))
    .join()}]`;
  const member = value.length < 900 && below(2) ? repeated : value;
  const fields = Array.from({ length: pick([1, 2, 8]) }, () => `${JSON.stringify(pick(names))}:${member}`);
  const body = `{"tool_id":"${charged.id}",${fields.join()}}`.slice(0, 1_000_000);
  return { method: "POST", path: pick(paths), body };
}
