import { sampleTools } from "../../../reference-server/catalog/sample-roles.ts";
import {
  cursorsOfOwners,
  itemsOf,
  misread,
  onData,
  skippingTies,
  taking,
} from "../../changes/audit-query.ts";
import { mutantsOf, onBody, onPart, onPath, type Body, type Change } from "../../changes/mutant.ts";

const spent = "getCreditsSpent";
const history = "listSettlements";

const number = (body: Body, name: string): number => Number(body[name]);

const onBalance = (change: (data: Body) => Body): Change =>
  onPath("getCredits", "data", (data) => change(data as Body));

const onSpent = (change: (total: number, query: URLSearchParams) => number): Change =>
  onPath(spent, "data.total_credits", (total, request) => change(Number(total), request.query));

/** Counts the billed amount of an exempt Call, although nothing of it was settled. */
function countingBills(): Change {
  const billed = new Map<string | undefined, number>();
  return onBody(["call", spent], (body, { operation, headers: { authorization: who }, sent }) => {
    const before = billed.get(who) ?? 0;
    if (operation === spent) return withTotal(body, before);
    if (sent().includes(sampleTools.policy_exempt.id)) billed.set(who, before + Number(body["cost"] ?? 0));
    return body;
  });
}

/** Credits spent with some more, or less. */
function withTotal(body: Body, more: number): Body {
  const data = body["data"] as Body;
  return { ...body, data: { ...data, total_credits: number(data, "total_credits") + more } };
}

const onSettlements = (change: (items: Body[], query: URLSearchParams) => Body[]): Change =>
  onPath(history, "data.items", (items, request) => change(items as Body[], request.query));

/** Shows each account the balance at its first request. */
function remembering(): Change {
  const first = new Map<string, Body>();
  return onBody("getCredits", (body, { headers: { host, authorization } }) => {
    const who = `${authorization} of ${host}`;
    if (!first.has(who)) first.set(who, body);
    return first.get(who);
  });
}

/** The claims of a token, without verifying its signature. */
function claimsOf(token: string): Record<string, unknown> | null {
  try {
    return JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()) as Record<string, unknown>;
  } catch {
    return null;
  }
}

const credits = mutantsOf({
  "ACCT-02": {
    "returns one credit more than remains": onBalance((data) => ({
      ...data,
      remaining_credits: number(data, "remaining_credits") + 1,
    })),
    "returns all purchased credits, spent or not, as the remaining total": onBalance((data) => ({
      ...data,
      remaining_credits: number(data["purchased"] as Body, "total"),
    })),
  },
  "ACCT-04": { "keeps returning the balance of the first read": remembering() },
});

const total = mutantsOf({
  "ACCT-06": {
    "counts every spent credit twice": onSpent((amount) => 2 * amount),
    "counts billed amounts that were not charged": countingBills(),
    "reports zero credits spent": onSpent(() => 0),
    "counts only the credits spent in the last day": taking(spent, "start_date", (start) => {
      const dayAgo = new Date(Date.now() - 86_400_000).toISOString();
      return String(start) < dayAgo ? dayAgo : start;
    }),
  },
  "ACCT-07": {
    "reports zero credits spent on the second page": onSpent((amount, query) =>
      query.get("page") === "2" ? 0 : amount,
    ),
  },
  "ACCT-08": {
    "ignores the time zone of start_date in credits spent": taking(spent, "start_date", misread.zoneless),
  },
  "ACCT-10": {
    "adds the credits that other accounts spent": onData(spent, async (data, { query, ask, others }) => {
      for (const other of await others()) {
        data["total_credits"] =
          number(data, "total_credits") + number(await ask(query, other), "total_credits");
      }
    }),
  },
});

const settlements = [
  ...mutantsOf({
    "ACCT-13": {
      "shows of each settlement only that there is one": onPath(history, "data.items.*", () => ({
        settled: true,
      })),
      "leaves Calls out of the settlement history": onSettlements((items) =>
        items.filter((item) => item["entry_type"] !== "consume_tool_execute"),
      ),
    },
    "ACCT-18": {
      "shows no cursor in the settlement history, and takes none": onPath(history, "data", (data) => ({
        items: (data as Body)["items"],
      })),
      "skips settlements with the same timestamp as the last one on a page": skippingTies(history),
    },
    "ACCT-19": {
      "ignores the time zone of start_date in the settlement history": taking(
        history,
        "start_date",
        misread.zoneless,
      ),
    },
    "ACCT-20": {
      "shows a reward when no scope is given": onSettlements((items, query) =>
        query.has("scope")
          ? items
          : [{ id: "reward", entry_type: "grant_invitation_reward", amount_credits: 1 }, ...items],
      ),
    },
    "ACCT-21": {
      "continues as the account that a cursor was issued to": cursorsOfOwners(history),
      "also shows the newest settlement of every other account": onData(
        history,
        async (data, { query, ask, others }) => {
          for (const other of await others())
            itemsOf(data).push(...itemsOf(await ask(query, other)).slice(0, 1));
        },
      ),
    },
  }),
];

const tokens = mutantsOf({
  "ACCT-25": {
    "reports an expired JWT as valid": onPath("verifyToken", "data", (data) => ({
      ...(data as Body),
      is_valid: true,
      is_expired: false,
    })),
  },
  "ACCT-26": {
    "ignores the signature of a JWT": onPart("tokens", (one) => ({
      sign: (claims) => one.sign(claims),
      verify: async (token) => {
        const payload = claimsOf(token);
        return payload ? { valid: true, expired: false, payload, reason: null } : one.verify(token);
      },
    })),
  },
});

export const mutants = [...credits, ...total, ...settlements, ...tokens];
