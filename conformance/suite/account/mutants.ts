import { sampleTools } from "../../../reference-server/catalog/sample-roles.ts";
import {
  asking,
  cursorsOfOwners,
  forgettingBeside,
  forgettingOnPages,
  ignoring,
  isOlder,
  lenientDates,
  itemsOf,
  misread,
  onData,
  refusing,
  skippingTies,
  taking,
  withoutNames,
} from "../../changes/audit-query.ts";
import {
  mutant,
  mutantsOf,
  onBody,
  onPart,
  onPath,
  onStatus,
  withSuccess,
  type Body,
  type Change,
} from "../../changes/mutant.ts";

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

/** Subtracts the cost of an account's capability queries from that of its calls. */
function forgettingQueries(): Change {
  const cost = new Map<string | undefined, number>();
  return onBody(["queryCapability", spent], (body, { operation, headers: { authorization: who }, query }) => {
    const before = cost.get(who) ?? 0;
    if (operation === spent) return query.get("kind") === "call" ? withTotal(body, -before) : body;
    cost.set(who, before + number(body, "credits_used"));
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

const always = (): boolean => true;

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
  "ACCT-01": { "does not find the credits of an account": refusing("getCredits", always, 404) },
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
  "ACCT-03": {
    "answers the remaining total alone": onBalance((data) => ({
      remaining_credits: data["remaining_credits"],
    })),
  },
  "ACCT-04": { "answers the balance of the first reading": remembering() },
});

const total = [
  ...mutantsOf({
    "ACCT-05": { "does not find the credits spent": refusing(spent, always, 404) },
    "ACCT-06": {
      "counts what was spent twice": onSpent((amount) => 2 * amount),
      "counts what was billed and not charged": countingBills(),
      "answers nothing as spent": onSpent(() => 0),
      "counts what was spent in the last day alone": taking(spent, "start_date", (start) => {
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
      "begins a day of the credits spent at eight": taking(spent, "start_date", misread.dayAtEight),
      "ignores start_date in credits spent": ignoring(spent, "start_date"),
      "ignores end_date in credits spent": ignoring(spent, "end_date"),
      "ends a day when it begins": taking(spent, "end_date", misread.midnight),
      "does not look at the zone of start_date in credits spent": taking(
        spent,
        "start_date",
        misread.zoneless,
      ),
      "ignores start_date in credits spent where it stands alone": asking(
        spent,
        ({ start_date: start, ...query }) =>
          query["end_date"] === undefined ? query : { ...query, start_date: start },
      ),
      "ignores end_date in credits spent where it stands alone": asking(
        spent,
        ({ end_date: end, ...query }) =>
          query["start_date"] === undefined ? query : { ...query, end_date: end },
      ),
    },
    "ACCT-09": {
      "ignores kind in credits spent": ignoring(spent, "kind"),
      "ignores kind in credits spent beside a charge_outcome": forgettingBeside(
        spent,
        "kind",
        "charge_outcome",
      ),
      "counts no capability query among the calls": forgettingQueries(),
      "counts nothing as charged for review": onSpent((amount, query) =>
        query.get("charge_outcome") === "failed_charged_review" ? 0 : amount,
      ),
      "ignores charge_outcome in credits spent": ignoring(spent, "charge_outcome"),
    },
    "ACCT-10": {
      "adds what the other accounts spent": onData(spent, async (data, { query, ask, others }) => {
        for (const other of await others()) {
          data["total_credits"] =
            number(data, "total_credits") + number(await ask(query, other), "total_credits");
        }
      }),
    },
  }),
  ...(["getCreditsSpent", "listSettlements", "getLedgerReadiness"] as const).flatMap((id) =>
    lenientDates("ACCT-11", id, ` of ${id} that is no date`),
  ),
];

const settlements = [
  ...mutantsOf({
    "ACCT-12": { "does not find the settlement history": refusing(history, always, 404) },
    "ACCT-13": {
      "leaves Calls out of the settlement history": onSettlements((items) =>
        items.filter((item) => item["entry_type"] !== "consume_tool_execute"),
      ),
      "leaves old Calls out of the settlement history": onSettlements((items) =>
        items.filter((item) => item["entry_type"] !== "consume_tool_execute" || !isOlder(item, 86_400_000)),
      ),
    },
    "ACCT-14": {
      "puts a settlement more on a page": taking(history, "page_size", (size) => Number(size) + 1),
    },
    "ACCT-15": {
      "puts 101 settlements on a page that asks for no size": taking(history, "page_size", (size) =>
        size === 100 ? 101 : size,
      ),
    },
    "ACCT-16": {
      "refuses a page of 500 settlements": refusing(
        history,
        (query) => query.get("page_size") === "500",
        422,
      ),
    },
    "ACCT-18": {
      "leaves out a settlement after a cursor": onSettlements((items, query) =>
        query.has("cursor") ? items.slice(1) : items,
      ),
      "ignores the cursor of the settlement history": asking(history, (query) =>
        withoutNames(query, ["cursor"]),
      ),
      "skips settlements of the moment at which a page ends": skippingTies(history),
      "leads back to the first page after the second": onSettlements((items, query) =>
        query.has("cursor") ? [...items.slice(0, 1), ...items] : items,
      ),
    },
    "ACCT-19": {
      "ignores start_date in the settlement history": ignoring(history, "start_date"),
      "ignores end_date in the settlement history": ignoring(history, "end_date"),
      "does not look at the zone of start_date in the settlement history": taking(
        history,
        "start_date",
        misread.zoneless,
      ),
      "ends a day of settlements when it begins": taking(history, "end_date", misread.midnight),
      "forgets the dates of the settlement history after the first page": forgettingOnPages(
        history,
        "start_date",
        "end_date",
      ),
      "loses the cursor of the settlement history beside end_date": asking(history, (query) =>
        query["end_date"] === undefined ? query : withoutNames(query, ["cursor"]),
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
  ...["0", "501"].map((size) =>
    mutant(
      "ACCT-17",
      `accepts a page of ${size} settlements`,
      onStatus(history, 422, withSuccess({ items: [] }), ({ query }) => query.get("page_size") === size),
    ),
  ),
];

const tokens = mutantsOf({
  "ACCT-22": {
    "asks for dates before it answers the readiness": refusing(
      "getLedgerReadiness",
      (query) => !query.has("start_date"),
      422,
    ),
  },
  "ACCT-23": { "says nothing of the readiness": onPath("getLedgerReadiness", "data", () => ({})) },
  "ACCT-24": { "refuses a valid JWT": refusing("verifyToken", always, 401) },
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
