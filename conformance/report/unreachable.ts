import { documented } from "./documented.ts";
import { limitedOperations, operations, type OperationId } from "../../generated/contract.ts";

const ids = Object.keys(operations) as OperationId[];
const unlimited = ids.filter((id) => !(limitedOperations as readonly OperationId[]).includes(id));
const quotaHeaders = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

/**
 * What the spec documents but a judge cannot provoke from outside, with the reason. A point is an operation with a
 * status (which includes the headers of that answer), one header of it, or a value; `*` matches any word. A point that
 * a run does observe still counts as observed.
 */
export const unreachable: readonly { points: readonly string[]; reason: string }[] = [
  {
    points: unlimited.flatMap((id) => quotaHeaders.map((header) => `${id} * ${header}`)),
    reason: "The contract puts four operations under a quota; others share the description of this answer.",
  },
  {
    points: documented.map(({ name }) => name).filter((name) => unlimited.some((id) => name === `${id} 429`)),
    reason: "The contract names no quota of this operation, so no number of requests is sure to reach it.",
  },
  {
    points: ["entry_type consume_tool_search"],
    reason: "Only a deployment that charges Discover shows it; most do not.",
  },
  {
    points: ["probe 502", "probe 504"],
    reason: "Something behind the server has to fail or to be slow, which no request can bring about.",
  },
  {
    points: ["* 408", "* 500", "* 503"],
    reason: "The server itself has to be in trouble, which no request can bring about.",
  },
  {
    points: ["queryCapability 404"],
    reason: "An account has to vanish while its credits are settled; other causes are the server's choice.",
  },
  {
    points: ["getCapability 404"],
    reason: "The contract leaves open what an unknown capability answers.",
  },
  {
    points: ["event_type model_call", "entry_type consume_model_call"],
    reason: "The model gateway that leaves these rows is not part of the API.",
  },
];
