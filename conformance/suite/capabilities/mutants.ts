import { randomBytes } from "node:crypto";
import {
  mutant,
  mutantsOf,
  onFields,
  onOperation,
  receiving,
  reading,
  onStatus,
  withBody,
  type Change,
  type Mutant,
} from "../../changes/mutant.ts";
import { keepingBack } from "../../changes/audit-query.ts";
import type { Caller } from "../../../reference-server/parts.ts";
import { HttpError } from "../../../reference-server/http/errors.ts";

/** Reads a capability query as if it had another budget. */
const budgeting = (budget: (most: number) => number): Change =>
  reading("queryCapability", ({ max_credits: most }) => ({ max_credits: budget(most ?? 0) }));

/** Executes queries whose budget is zero or negative, and reports their charge. */
const unlimitedBelow = onStatus(
  "queryCapability",
  422,
  withBody(200, { execution_id: "exec_1", success: true, result: {}, cost: 1.5, credits_used: 1.5 }),
  ({ sent }) => /"max_credits":(0|-5)\b/.test(sent()),
);

/** Considers a constraint of a delegation token satisfied on a detail if it is given in a certain way. */
const trusting = (
  name: "run_id" | "provider_id",
  chooses: (value: string | undefined) => boolean = () => true,
): Change =>
  receiving("getCapability", ({ query, caller }) => {
    const { delegation } = caller.credential;
    if (delegation === null || !chooses(query[name])) return {};
    const right = { run_id: delegation.runId, provider_id: delegation.providerId };
    return { query: { ...query, [name]: right[name] } };
  });

/** The caller without its delegation, where a request names the run and the provider that this is bound to. */
function unbound(caller: Caller, { run_id, provider_id }: { run_id?: string; provider_id?: string }) {
  const { delegation, ...credential } = caller.credential;
  const isKept = delegation?.runId === run_id && delegation?.providerId === provider_id;
  return isKept ? { caller: { ...caller, credential: { ...credential, delegation: null } } } : {};
}

/** The schema hash as two processes show it that were not built alike. */
function ofTwoProcesses(): Change {
  let reads = 0;
  const other = (hash: unknown): string => [...String(hash)].reverse().join("");
  return onFields("getCapability", {
    schema_hash: (hash: unknown) => {
      reads += 1;
      return reads % 3 === 2 ? other(hash) : hash;
    },
  });
}

/** Refuses a capability detail to an account without credits. */
const refusingDetails = (status: number): Change =>
  onOperation("getCapability", (detail) => async (request, context) => {
    const { available } = await context.books.balance(request.caller.account.id);
    if (available === 0) throw new HttpError(status, "There are no credits left.");
    return detail(request, context);
  });

const ofFreeDetails = mutantsOf({
  "CAPA-06": {
    "names another contract_version in every answer": onFields(["queryCapability", "getCapability"], {
      contract_version: (() => {
        let count = 0;
        return () => (count += 1);
      })(),
    }),
    "returns another schema_hash from one of three processes": ofTwoProcesses(),
    "returns a different schema_hash each time": onFields("queryCapability", {
      schema_hash: () => randomBytes(32).toString("hex"),
    }),
    "returns the schema_hash of another contract": onFields("queryCapability", {
      schema_hash: (hash: unknown) => [...String(hash)].reverse().join(""),
    }),
  },
  "CAPA-07": {
    "refuses a budget that exactly equals the price": budgeting((most) => most - 0.000001),
  },
  "CAPA-08": {
    "answers 400 when nothing fits the budget": onStatus("queryCapability", 422, 400),
    "executes a query regardless of its budget": budgeting(() => Infinity),
  },
  "CAPA-09": {
    "lets a query exceed its budget by a third": budgeting((most) => most * 1.34),
    "rounds the budget up to whole credits": budgeting(Math.ceil),
    "rounds the budget up to a hundredth of a credit": budgeting((most) => Math.ceil(100 * most) / 100),
  },
  "CAPA-10": {
    "treats a budget that is not positive as no budget": unlimitedBelow,
    "executes and charges before checking the budget": onOperation(
      "queryCapability",
      (query) => async (request, context) => {
        const answer = await query({ ...request, body: { ...request.body, max_credits: 100 } }, context);
        const { max_credits: most } = request.body;
        if (answer.status === 200 && most !== undefined && answer.body.credits_used > most) {
          throw new HttpError(422, "No candidate fits max_credits.");
        }
        return answer;
      },
    ),
  },
  "CAPA-12": {
    "returns credits_used 0.01 too low": onFields("queryCapability", {
      credits_used: (used: unknown) => Number(used) - 0.01,
    }),
    "deducts 0.01 credits more than it reports": keepingBack(
      0.01,
      (event) => event.event_type === "capabilities_query",
    ),
  },
  "CAPA-22": {
    "returns a schema_hash for legacy records, which have no version": onFields("getCapability", {
      schema_hash: "0".repeat(64),
    }),
  },
  "CAPA-23": {
    "requires run_id from everyone": receiving("getCapability", ({ query }) => {
      if (query.run_id === undefined) throw new HttpError(403, "run_id is missing.");
      return {};
    }),
  },
  "CAPA-25": {
    "refuses every delegation token": receiving("getCapability", ({ caller }) => {
      if (caller.credential.delegation !== null) throw new HttpError(403, "No delegation is accepted.");
      return {};
    }),
  },
  "CAPA-26": {
    "does not require run_id": trusting("run_id", (value) => value === undefined),
    "does not require provider_id": trusting("provider_id", (value) => value === undefined),
    "requires run_id and provider_id only if one of them is given": receiving(
      "getCapability",
      ({ query, caller: { credential } }) => {
        if (credential.delegation === null || query.run_id !== undefined || query.provider_id !== undefined)
          return {};
        const { runId: run_id, providerId: provider_id } = credential.delegation;
        return { query: { ...query, run_id, provider_id } };
      },
    ),
    "accepts an empty run_id": trusting("run_id", (value) => value === ""),
  },
  "CAPA-15": {
    "lets a delegation token query any provider": receiving("queryCapability", ({ caller, body }) =>
      unbound(caller, body),
    ),
  },
  "CAPA-27": {
    "accepts any run_id": trusting("run_id"),
    "accepts any provider_id": trusting("provider_id"),
    "compares only the start of run_id": receiving("getCapability", ({ query, caller: { credential } }) => {
      const own = credential.delegation?.runId;
      return own !== undefined && query.run_id?.startsWith(own) ? { query: { ...query, run_id: own } } : {};
    }),
    "shows a delegation token any provider's capabilities": receiving("getCapability", ({ caller, query }) =>
      unbound(caller, query),
    ),
    "answers a violated delegation constraint with 404": onStatus("getCapability", 403, 404),
  },
});

export const mutants: readonly Mutant[] = [
  ...ofFreeDetails,
  {
    ...mutant("CAPA-28", "refuses a capability detail for lack of credits with 403", refusingDetails(403)),
    beside: refusingDetails(402),
  },
];
