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
    "answers 404 to a stranger's export": forgiving("exportUsage", /^$/, 404),
    "tells a stranger that a tool does not exist": onStatus(
      "probe",
      401,
      404,
      ({ headers, query }) => headers.authorization === undefined && query.get("tool_id") === "no.such.tool",
    ),
  },
  "AUTH-04": {
    "answers 403 to an unknown key": forgiving("getUsageEvent", /^Bearer \S+$/, 403),
    "compares keys but for one character": takingFor(alike),
    "compares the first twelve characters of keys that are short": takingFor(
      (known, token) => token.length === 12 && known.startsWith(token),
    ),
    "ignores what follows a key": takingFor((known, token) => token.startsWith(known)),
    "compares keys in any case": takingFor((known, token) => token.toLowerCase() === known.toLowerCase()),
    "does not compare the last character of a key": takingFor(
      (known, token) => token.length === known.length && token.startsWith(known.slice(0, -1)),
    ),
    "compares the last forty characters of keys": takingFor(
      (known, token) => token.length === known.length && token.endsWith(known.slice(-40)),
    ),
  },
  "AUTH-05": {
    "opens the feed of settlements to a revoked key": onStatus("listSettlements", 401, 200, (_, { body }) =>
      body.includes("revoked"),
    ),
  },
  "AUTH-06": {
    "books a refused request on the account whose key it resembles": onPart(
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
    "does not look at the end of a JWT": believing(() => true),
    "checks the end of a JWT only at the credits": forgiving("listUsage", /^Bearer eyJ/, 200),
    "does not verify the signature of a JWT": believing(({ exp }) => Number(exp) * 1000 > Date.now()),
  },
  "AUTH-09": {
    "shows each key its own searches only": receiving("listUsage", ({ caller, query }) => {
      const { apiKeyId } = caller.credential;
      return { query: { ...query, ...(apiKeyId && { api_key_id: apiKeyId }) } };
    }),
    "counts what each key spent for itself": spendingByKey(),
  },
  "AUTH-10": {
    "lets nobody start a claim without a key": onStatus("startClaim", 422, 401),
  },
  "AUTH-11": {
    "repeats the key with the credits": onPath("getCredits", "data", (data, { headers }) => ({
      ...(data as object),
      key: headers.authorization?.replace(/^Bearer /, ""),
    })),
  },
  "AUTH-12": {
    "attributes events to the key that an account used first": attributing(() => true),
    "attributes all but searches to the key that an account used first": attributing(
      (type) => type !== "search",
    ),
    "does not filter by key": ignoring("listUsage", "api_key_id"),
  },
});
