import { operations, type OperationId, type Parameter } from "../../generated/contract.ts";
import { wordsOf } from "../books/filters.ts";
import type { Ask, Query } from "./ask.ts";
import { whyOff, type Profile } from "./profile.ts";

/** The operations that a server has, according to its profile. */
export const operationsOf = (profile: Profile): OperationId[] =>
  (Object.keys(operations) as OperationId[]).filter((id) => whyOff(profile, id) === undefined);

/** Those that need a credential, except verify-token, since the contract does not show where its token is sent. */
export const authenticatedOperations = (profile: Profile): OperationId[] =>
  operationsOf(profile).filter((id) => operations[id].needsCredential && id !== "verifyToken");

/** One query for each of some values of a parameter, or of each of several. */
export const each = (
  names: string | readonly string[],
  values: readonly Query[string][],
  rest: Query = {},
): Query[] => [names].flat().flatMap((name) => values.map((value) => ({ ...rest, [name]: value })));

/** The queries that set one parameter to one of its words. */
export const wordedQueries = (operation: OperationId): Query[] =>
  Object.entries(operations[operation].query as Record<string, Parameter>).flatMap(([name, parameter]) =>
    each(name, wordsOf(parameter)),
  );

/** Words that match more than one page in a catalogue of any size. */
export const widestQuery = "data search weather market price translate text news company convert";

/** The operations whose harmless request may name a resource that does not exist. */
export const asksInVain = (operation: OperationId, { capabilities }: Profile): boolean =>
  ["call", "queryCapability", "getLedgerEntry", "getUsageEvent"].includes(operation) ||
  (operation === "getCapability" && capabilities.detail === undefined);

/** The id of a tool that the server is known to have. */
export const knownTool = ({ tools }: Profile): string | undefined =>
  (tools.charged ?? Object.values(tools).find((tool) => tool !== undefined))?.id;

/**
 * A well-formed request of an operation that costs nothing and changes nothing. The resource may not exist, so the
 * answer may be a 404 or a refused Call, but neither a 401 nor a 405.
 */
export function modestRequest(operation: OperationId, profile: Profile): Ask {
  const { capabilities } = profile;
  const known = knownTool(profile) ?? "no.such.tool";
  switch (operation) {
    case "discover":
      return { body: { query: "data", limit: 1 } };
    case "inspect":
      return { body: { tool_ids: [known] } };
    case "probe":
      return { query: { tool_id: known }, body: { checks: ["schema"] } };
    case "call":
      return { body: { tool_id: "no.such.tool", parameters: {} } };
    case "queryCapability":
      return { body: { capability_id: "no.such.capability", parameters: {}, max_credits: 1 } };
    case "getCapability":
      return { parameter: capabilities.detail?.id ?? "no.such.capability" };
    case "getLedgerEntry":
      return { parameter: "00000000-0000-4000-8000-000000000000" };
    case "getUsageEvent":
      return { parameter: "00000000-0000-4000-8000-000000000000" };
    case "registerAnonymous":
      return { body: { agent_name: "conformance" } };
    case "startClaim":
      return { body: { claim_code: "no-such-claim-code", email: "nobody@example.com" } };
    case "verifyClaim":
      return { body: { claim_code: "no-such-claim-code", email: "nobody@example.com", code: "000000" } };
    default:
      return {};
  }
}
