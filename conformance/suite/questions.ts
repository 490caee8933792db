import { pathOf } from "../judge/operations.ts";
import type { ReadingId } from "../../generated/readings.ts";
import type { Check, Options } from "../run/check.ts";
import { unheardOf } from "../server/unheard-of.ts";

/** Prompts a server's answer to an open question that no check raises. Judges nothing; observers see the answer. */
const ask = (reading: ReadingId, options: Options, run: Check["run"]): Check => ({
  ...options,
  id: `${reading}/question`,
  clauses: [],
  title: reading,
  run,
});

const modest = { query: "data", limit: 1 };
const someday = "2026-01-01T00:00:00";

/** The requests of a run after its checks. */
export const questions: readonly Check[] = [
  ask("R-015", {}, async ({ account }) => void (await account.discover({ ...modest, unheard_of: 1 }))),
  ask("R-016", {}, async ({ account }) => void (await account.discover({ ...modest, session_id: null }))),
  ask("R-017", { needs: ["tool.included"] }, async ({ account, tool }) => {
    await account.probe(unheardOf(tool("included").id), { checks: "schema" });
  }),
  ask("R-025", { needs: ["tool.included"] }, async ({ account, tool }) => {
    const { id, parameters } = tool("included");
    await account.probe(id, { parameters, checks: [] });
  }),
  ask("R-032", { needs: ["tool.included"] }, async ({ account, tool }) => {
    await account.call(tool("included"), { max_response_size: 0 });
  }),
  ask("R-033", { needs: ["tool.included"] }, async ({ account, tool }) => {
    const whole = await account.call(tool("included"), { max_response_size: -1 });
    const payload = JSON.stringify(whole.at("result.data").value) ?? "";
    await account.call(tool("included"), { max_response_size: Math.max(1, Buffer.byteLength(payload)) });
  }),
  ask("R-041", { needs: ["tool.included"] }, async ({ account, tool }) => {
    await account.call(tool("included"), {}, { headers: { "x-service-cache-mode": "unheard-of" } });
  }),
  ask("R-046", { needs: ["tool.included"] }, async ({ account, tool }) => {
    await account.call(tool("included"), { respond_with: "fields:$['a','b']" });
  }),
  ask("R-048", { needs: ["tool.included"] }, async ({ account, tool }) => {
    const { id, parameters } = tool("included");
    await account.call({ id: unheardOf(id), parameters });
  }),
  ask("R-049", { needs: ["tool.included"] }, async ({ account, tool }) => {
    const { id } = tool("included");
    await account.call(tool("included"), {}, { query: { tool_id: unheardOf(id) } });
  }),
  ask("R-052", {}, async ({ account }) => {
    await account.discover(modest, { headers: { "accept-language": "fr" } });
  }),
  ask("R-060", { needs: ["capability.query"], feature: "capabilities" }, async ({ account, capability }) => {
    const { id, parameters } = capability("query");
    const body = { capability_id: id, parameters, max_credits: 5, unheard_of: 1 };
    await account.ask("queryCapability", { body });
  }),
  ask("R-063", { needs: ["capability.detail"], feature: "capabilities" }, async ({ account, capability }) => {
    await account.ask("getCapability", { parameter: unheardOf(capability("detail").id) });
  }),
  ask("R-067", { needs: ["delegation"], feature: "delegation" }, async ({ stranger, profile }) => {
    await stranger.withKey(profile.credentials.delegation!.token).discover(modest);
  }),
  ask("R-092", {}, async ({ account }) => {
    await account.usage({ start_date: "2026-02-01", end_date: "2026-01-01" });
  }),
  ask("R-140", { needs: ["jwt"], feature: "jwt" }, async ({ stranger, profile }) => {
    await stranger.withKey(profile.credentials.jwt!).ledger({ page_size: 1 });
  }),
  ask("R-164", {}, async ({ account }) => {
    await account.discover(modest, { headers: { "content-type": "text/plain" } });
  }),
  ask("R-165", {}, async ({ account }) => {
    await account.raw("GET", `${pathOf("listLedger")}?start_date=${someday}+01:00`);
  }),
];
