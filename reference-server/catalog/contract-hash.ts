import { createHash } from "node:crypto";
import { canonical } from "../../base/data.ts";
import type { Capability } from "./tool.ts";

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
