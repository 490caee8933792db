import { sentJson } from "../../judge/exchange.ts";
import type { OperationId } from "../../../generated/contract.ts";
import type { Judgement } from "../../judge/rule.ts";
import { isFields, type Seen } from "../../judge/seen.ts";
import { crossing, type Crossing, type Recording } from "../../judge/crossing.ts";
import { callOf } from "../../judge/memory.ts";

const tracked: readonly (OperationId | null)[] = ["discover", "inspect", "call"];

/** Whether the recording so far holds everything that an account did. */
export const isWhole = ({ complete, memory }: Recording, account: string | null): boolean =>
  memory.gapOf(account) === null && (complete || memory.isRegistered(account));

/** A tool id reduced to what its spellings have in common. */
const spelling = (id: string): string => id.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Whether two ids differ only in spelling or version. */
const isVariant = (id: string, exact: string): boolean =>
  id !== exact &&
  (spelling(id) === spelling(exact) || spelling(id) === spelling(exact.replace(/[.@-]v\d+$/, "")));

/** How a client links its requests: session, search, tool and model. */
export const clientRules: Crossing[] = [
  crossing("FLOW-01", "requests carry a session_id, one for a task", ({ memory }) => ({ exchange }) => {
    const sent = sentJson(exchange);
    if (!tracked.includes(exchange.operation) || !isFields(sent)) return null;
    const { session_id: given, search_id: searchId } = sent;
    if (typeof given !== "string" || given === "") {
      return { expected: `a session_id in ${exchange.operation!}`, received: "none" };
    }
    const search = typeof searchId === "string" ? memory.searches.get(searchId) : undefined;
    if (search === undefined || search.session === null || search.session === given) return true;
    return {
      expected: `the session_id of the Discover whose search_id is sent, ${search.session}`,
      received: given,
    };
  }),
  crossing("FLOW-02", "a Discover comes before the first Call", (recording) => ({ exchange }) => {
    const call = callOf(exchange);
    if (call === null) return null;
    const { account, started_at: at } = exchange;
    if (recording.memory.hasDiscovered(account, at)) return true;
    // One that overlaps the Call, by the clocks of the recorder, proves nothing.
    if (recording.memory.hasDiscovered(account, Infinity)) return null;
    // A key that is refused cannot discover.
    if (!isWhole(recording, account) || exchange.response?.status === 401) return null;
    return { expected: `a Discover before the Call of ${call.tool}`, received: "none" };
  }),
  crossing(
    "FLOW-12",
    "a Call carries the search_id that returned its tool",
    ({ memory }) =>
      ({ exchange }) => {
        const call = callOf(exchange);
        if (call === null) return null;
        const { account, started_at: at } = exchange;
        if (call.search === null) {
          // Without a Discover there is no search_id to pass on, which is another obligation.
          return memory.hasDiscovered(account, at)
            ? { expected: "search_id, the one of the Discover that returned the tool", received: "none" }
            : null;
        }
        const search = memory.searches.get(call.search);
        if (search === undefined) return null;
        if (search.tools.has(call.tool)) return true;
        if (memory.sightsOf(account, call.tool, at).length === 0) return null;
        return {
          expected: `the search_id of a Discover that returned ${call.tool}`,
          received: `${call.search}, which did not return it`,
        };
      },
  ),
  crossing("FLOW-13", "the Call of an agent carries model", ({ memory }) => {
    const agents = new Set<string>();
    return ({ exchange }): Judgement => {
      const call = callOf(exchange);
      if (call === null) return null;
      const { account } = exchange;
      if (call.model !== undefined && call.model !== null) {
        if (account !== null && agents.size < 5000) agents.add(account);
        return true;
      }
      const isAgent = memory.isRegistered(account) || (account !== null && agents.has(account));
      return isAgent ? { expected: "model, since an agent calls", received: "none" } : null;
    };
  }),
  crossing("FLOW-14", "model is of the form that the contract gives", () => ({ exchange }) => {
    const model = callOf(exchange)?.model;
    if (model === undefined || model === null) return null;
    const right = typeof model === "string" && /^[^\s\p{Cc}]+$/u.test(model) && [...model].length <= 128;
    return (
      right || {
        expected: "model: not blank, without whitespace or control characters, at most 128 characters",
        received: JSON.stringify(model)?.slice(0, 200) ?? "nothing",
      }
    );
  }),
  crossing(
    "FLOW-16",
    "a Call names a tool exactly as the service returned it",
    (recording) =>
      ({ exchange, seen }) => {
        const call = callOf(exchange);
        if (call === null) return null;
        const { memory } = recording;
        const { account, started_at: at } = exchange;
        if (memory.sightsOf(account, call.tool, at).length > 0) return true;
        if (memory.gapOf(account) !== null) return null;
        const meant = memory.toolsOf(account).find((tool) => isVariant(call.tool, tool));
        if (meant !== undefined) return { expected: `the exact tool_id ${meant}`, received: call.tool };
        return isWhole(recording, account) && isRefusedId(seen)
          ? { expected: "a tool_id that the service knows", received: `${call.tool}, which it does not` }
          : null;
      },
  ),
];

/** Whether a Call was refused since the service has no tool of its id. */
const isRefusedId = (seen: Seen | null): boolean =>
  seen !== null &&
  isFields(seen.body) &&
  seen.body["success"] === false &&
  /tool[_ ]?id|no tool|unknown tool|tool .*not found/i.test(String(seen.body["error_message"]));
