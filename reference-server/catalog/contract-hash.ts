import { createHash } from "node:crypto";
import type { Capability } from "./tool.ts";

/** JSON with the members of every object sorted by name and no white space: equal values give equal text. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join(",")}}`;
}

/**
 * The `schema_hash` of a capability: lower-case hex SHA-256 of its canonical contract, which is its id, version, name,
 * description and parameters. Candidates and prices are routing, and may change without a new version.
 */
export function contractHash(
  capability: Pick<Capability, "capability_id" | "contract_version" | "name" | "description" | "params">,
): string {
  const { capability_id, contract_version, name, description, params } = capability;
  const contract = canonical({ capability_id, contract_version, name, description, params });
  return createHash("sha256").update(contract).digest("hex");
}
