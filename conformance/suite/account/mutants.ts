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
  const first = new Map<string | undefined, Body>();
  return onBody("getCredits", (body, { headers: { authorization: who } }) => {
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
    "answers a credit more than is left": onBalance((data) => ({
      ...data,
      remaining_credits: number(data, "remaining_credits") + 1,
    })),
    "answers what was bought, spent or not, as the total": onBalance((data) => ({
      ...data,
      remaining_credits: number(data["purchased"] as Body, "total"),
    })),
  },
  "ACCT-04": { "answers the balance of the first reading": remembering() },
});

const total = mutantsOf({
  "ACCT-06": {
    "counts what was spent twice": onSpent((amount) => 2 * amount),
    "counts what was billed and not charged": countingBills(),
    "answers nothing as spent": onSpent(() => 0),
    "counts only what was spent in the last day": taking(spent, "start_date", (start) => {
      const dayAgo = new Date(Date.now() - 86_400_000).toISOString();
      return String(start) < dayAgo ? dayAgo : start;
    }),
  },
  "ACCT-07": {
    "answers nothing on the second page": onSpent((amount, query) =>
      query.get("page") === "2" ? 0 : amount,
    ),
  },
  "ACCT-08": {
    "does not look at the zone of start_date in credits spent": taking(spent, "start_date", misread.zoneless),
  },
  "ACCT-10": {
    "adds what the other accounts spent": onData(spent, async (data, { query, ask, others }) => {
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
      "leaves Calls out of the settlement history": onSettlements((items) =>
        items.filter((item) => item["entry_type"] !== "consume_tool_execute"),
      ),
    },
    "ACCT-18": {
      "skips settlements of the moment at which a page ends": skippingTies(history),
    },
    "ACCT-19": {
      "does not look at the zone of start_date in the settlement history": taking(
        history,
        "start_date",
        misread.zoneless,
      ),
    },
    "ACCT-20": {
      "shows a reward where no scope is asked for": onSettlements((items, query) =>
        query.has("scope")
          ? items
          : [{ id: "reward", entry_type: "grant_invitation_reward", amount_credits: 1 }, ...items],
      ),
    },
    "ACCT-21": {
      "goes on as the account that a cursor was given to": cursorsOfOwners(history),
      "shows the newest settlements of the other accounts": onData(
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
    "takes an expired JWT for a valid one": onPath("verifyToken", "data", (data) => ({
      ...(data as Body),
      is_valid: true,
      is_expired: false,
    })),
  },
  "ACCT-26": {
    "does not look at the signature of a JWT": onPart("tokens", (one) => ({
      sign: (claims) => one.sign(claims),
      verify: async (token) => {
        const payload = claimsOf(token);
        return payload ? { valid: true, expired: false, payload, reason: null } : one.verify(token);
      },
    })),
  },
});

export const mutants = [...credits, ...total, ...settlements, ...tokens];
