import { encoded } from "../../base/address.ts";
import { anotherKey } from "../../conformance/limits/sharing.ts";
import { operations, type LimitedOperation } from "../../generated/contract.ts";
import type { Profile } from "../../conformance/server/profile.ts";
import { freePlan, type Planned, type Sender } from "../planned.ts";

/** Other spellings of a path. A server need not serve them; one that does counts them with the usual one. */
const spellings: readonly (readonly [string, (path: string) => string])[] = [
  ["spelling of the path, two slashes", (path) => path.replace(/\/(?=[^/?]*(?:\?|$))/, "//")],
  ["spelling of the path, a slash at its end", (path) => path.replace(/(?=\?|$)/, "/")],
  [
    "spelling of the path, an escaped letter",
    (path) =>
      path.replace(/\/([a-z])(?=[^/]*$)/, (_, letter: string) => `/%${letter.charCodeAt(0).toString(16)}`),
  ],
];

/** Whether a variation spells the path in another way. */
export const isSpelling = (varied: string): boolean => spellings.some(([how]) => how === varied);

/**
 * Requests of an operation that differ from the plain one in something that a limiter may wrongly count by. Each is as
 * free as the plain one, and has an effect on nothing else.
 */
export function variationsOf(
  operation: LimitedOperation,
  [first, second]: readonly Sender[],
  profile: Profile,
): Map<string, Planned> {
  const plain = freePlan(operation, first!, profile);
  const withHeaders = (headers: Planned["headers"]): Planned => ({
    ...plain,
    headers: { ...plain.headers, ...headers },
  });
  const known = operations[operation].body;
  const body = JSON.parse(plain.body ?? "{}") as object;
  const withBody = (members: object): Planned => ({
    ...plain,
    body: JSON.stringify({ ...body, ...members }),
  });
  const variations = new Map<string, Planned>([
    ["User-Agent", withHeaders({ "user-agent": "another-client/1.0" })],
    ["X-Forwarded-For", withHeaders({ "x-forwarded-for": "198.51.100.7", "x-real-ip": "198.51.100.7" })],
    ["case of the scheme", withHeaders({ authorization: `bearer ${first!.key}` })],
    ["address", { ...plain, path: `${plain.path}${plain.path.includes("?") ? "&" : "?"}` }],
  ]);
  if ("session_id" in known) variations.set("session_id", withBody({ session_id: "another session" }));
  if (operation === "discover") variations.set("query", withBody({ query: "weather" }));
  const [tool, other] = [profile.tools.included, profile.tools.charged].map((use) => use?.id);
  if (operation === "probe" && tool !== undefined && other !== undefined)
    variations.set("tool", {
      ...plain,
      path: plain.path.replace(encoded(tool), encoded(other)),
    });
  if (operation === "inspect" && other !== undefined) variations.set("tool", withBody({ tool_ids: [other] }));
  if (second !== undefined) variations.set(anotherKey, freePlan(operation, second, profile));
  for (const [how, spell] of spellings) variations.set(how, { ...plain, path: spell(plain.path) });
  return variations;
}
