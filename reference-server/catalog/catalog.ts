import type { Capability, Catalog, Tool } from "./tool.ts";
import { createSearch, type Search } from "./search.ts";

function freeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) freeze(member);
  }
  return value;
}

/**
 * A catalogue of valid entries (load.ts validates). The entries are frozen, so one obtained at request time does not
 * change.
 */
export function createCatalog(tools: readonly Tool[], capabilities: readonly Capability[]): Catalog {
  const byId = new Map(tools.map((tool) => [tool.tool_id, freeze(tool)]));
  const current = new Map<string, Capability>();
  for (const capability of capabilities) {
    const other = current.get(capability.capability_id);
    if (other === undefined || (other.contract_version ?? 0) < (capability.contract_version ?? 0)) {
      current.set(capability.capability_id, freeze(capability));
    }
  }
  // The index is built with the first search, so that a start does not wait for it.
  let search: Search | undefined;
  return {
    tools: [...byId.values()],
    find: (toolId) => byId.get(toolId),
    search: (query, limit) => (search ??= createSearch([...byId.values()]))(query, limit),
    capability: (capabilityId) => current.get(capabilityId),
  };
}
