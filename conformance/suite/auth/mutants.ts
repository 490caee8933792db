import type { Caller, Refusal } from "../../../reference-server/parts.ts";
import type { OperationId } from "../../../generated/contract.ts";
import {
  moving,
  mutantsOf,
  onBody,
  onPart,
  onPath,
  receiving,
  type Body,
  type Change,
  onStatus,
} from "../../changes/mutant.ts";
import { ignoring } from "../../changes/audit-query.ts";

/** Maps a credential to its owner; it can query the wrapped server and remembers the callers it accepted. */
type Judge = (
  token: string,
  ask: (token: string) => Promise<Caller | Refusal>,
  admitted: ReadonlyMap<string, Caller>,
) => Promise<Caller | Refusal>;

/** The server with another way of authenticating callers. */
const onCredentials = (judge: Judge): Change =>
  onPart("accounts", (accounts) => {
    const admitted = new Map<string, Caller>();
    const ask = async (token: string): Promise<Caller | Refusal> => {
      const caller = await accounts.authenticate(token);
      if (!("refused" in caller)) admitted.set(token, caller);
      return caller;
    };
    return { ...accounts, authenticate: (token) => judge(token, ask, admitted) };
  });

/** Accepts a refused credential that resembles a known one. */
const takingFor = (like: (known: string, token: string) => boolean): Change =>
  onCredentials(async (token, ask, admitted) => {
    const caller = await ask(token);
    if (!("refused" in caller)) return caller;
    const known = [...admitted.keys()].find((key) => like(key, token));
    return known === undefined ? caller : admitted.get(known)!;
  });

/** Accepts the account named in a refused JWT if its claims suffice. */
const believing = (isEnough: (claims: Record<string, unknown>) => boolean): Change =>
  onPart("accounts", (accounts, { database }) => ({
    ...accounts,
    authenticate: async (token) => {
      const caller = await accounts.authenticate(token);
      const [, payload] = token.split(".");
      if (!("refused" in caller) || payload === undefined) return caller;
      const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as Record<string, unknown>;
      const id = claims["sub"];
      if (!isEnough(claims) || typeof id !== "string") return caller;
      const row = (await database("accounts").where({ id }).first()) as { name: string; email: string };
      return {
        account: { ...row, id, type: "formal", createdAt: 0, trialExpiresAt: null },
        credential: { type: "jwt", apiKeyId: null, oauthClientId: null, delegation: null },
      };
    },
  }));

/** Whether two keys of equal length differ in a single character. */
const alike = (one: string, other: string): boolean =>
  one.length === other.length && [...one].filter((character, at) => other[at] !== character).length === 1;

/** Replaces the 401 of one operation for requests whose Authorization header matches. */
const forgiving = (operation: OperationId, authorization: RegExp, status: number): Change =>
  onStatus(operation, 401, status, ({ headers }) => authorization.test(headers.authorization ?? ""));

/** Attributes events of some types to the first key that their account used. */
const attributing = (wrongly: (eventType: string) => boolean): Change =>
  onPart("books", (books) => {
    const first = new Map<string, string | null>();
    return {
      ...books,
      record: (event) => {
        if (!first.has(event.account_id)) first.set(event.account_id, event.api_key_id);
        if (!wrongly(event.event_type)) return books.record(event);
        return books.record({ ...event, api_key_id: first.get(event.account_id) ?? null });
      },
    };
  });

/** A key that has made no calls reports zero credits spent. */
function spendingByKey(): Change {
  const callers = new Set<unknown>();
  return onBody(["call", "getCreditsSpent"], (body, { operation, headers }) => {
    if (operation === "call") callers.add(headers.authorization);
    if (operation === "call" || callers.has(headers.authorization)) return body;
    return { ...body, data: { ...(body["data"] as Body), total_credits: 0 } };
  });
}

export const mutants = mutantsOf({
  "AUTH-02": {
    "answers 404 to an export without a credential": forgiving("exportUsage", /^$/, 404),
    "tells a caller without a credential that a tool does not exist": onStatus(
      "probe",
      401,
      404,
      ({ headers, query }) => headers.authorization === undefined && query.get("tool_id") === "no.such.tool",
    ),
  },
  "AUTH-04": {
    "answers an unknown key with 403": forgiving("getUsageEvent", /^Bearer \S+$/, 403),
    "accepts a key that differs in one character": takingFor(alike),
    "accepts the first twelve characters of a key": takingFor(
      (known, token) => token.length === 12 && known.startsWith(token),
    ),
    "ignores extra characters after a key": takingFor((known, token) => token.startsWith(known)),
    "ignores the case of keys": takingFor((known, token) => token.toLowerCase() === known.toLowerCase()),
    "ignores the last character of a key": takingFor(
      (known, token) => token.length === known.length && token.startsWith(known.slice(0, -1)),
    ),
    "compares only the last forty characters of keys": takingFor(
      (known, token) => token.length === known.length && token.endsWith(known.slice(-40)),
    ),
  },
  "AUTH-05": {
    "opens the settlement history to a revoked key": onStatus("listSettlements", 401, 200, (_, { body }) =>
      body.includes("revoked"),
    ),
  },
  "AUTH-06": {
    "charges a refused request to the account with a similar key": onPart(
      "accounts",
      (accounts, { books }) => {
        const admitted = new Map<string, Caller>();
        return {
          ...accounts,
          authenticate: async (token) => {
            const caller = await accounts.authenticate(token);
            if (!("refused" in caller)) admitted.set(token, caller);
            const known = [...admitted.keys()].find((key) => alike(key, token));
            if (known !== undefined) await moving(books, admitted.get(known)!.account.id, -0.01);
            return caller;
          },
        };
      },
    ),
  },
  "AUTH-08": {
    "ignores the expiry and signature of a JWT": believing(() => true),
    "accepts an expired JWT for the usage list": forgiving("listUsage", /^Bearer eyJ/, 200),
    "does not verify the signature of a JWT": believing(({ exp }) => Number(exp) * 1000 > Date.now()),
  },
  "AUTH-09": {
    "shows each key only its own usage events": receiving("listUsage", ({ caller, query }) => {
      const { apiKeyId } = caller.credential;
      return { query: { ...query, ...(apiKeyId && { api_key_id: apiKeyId }) } };
    }),
    "reports zero credits spent to a key that has made no Calls": spendingByKey(),
  },
  "AUTH-10": {
    "requires a key to start a claim": onStatus("startClaim", 422, 401),
  },
  "AUTH-11": {
    "echoes the API key with the credits": onPath("getCredits", "data", (data, { headers }) => ({
      ...(data as object),
      key: headers.authorization?.replace(/^Bearer /, ""),
    })),
  },
  "AUTH-12": {
    "attributes all events to the first key that an account used": attributing(() => true),
    "attributes all events except searches to the first key that an account used": attributing(
      (type) => type !== "search",
    ),
    "ignores the api_key_id filter": ignoring("listUsage", "api_key_id"),
  },
});
