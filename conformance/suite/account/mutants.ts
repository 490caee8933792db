import type { OperationId } from "../../../reference-server/http/operation.ts";
import { sampleTools } from "../../../reference-server/catalog/sample-roles.ts";
import {
  asAccount,
  asking,
  cursorsOfOwners,
  forgettingOnPages,
  ignoring,
  misread,
  onAny,
  otherAccounts,
  refusing,
  taking,
} from "../../proof/audit-query.ts";
import {
  mutant,
  mutantsOf,
  onAnswers,
  onPart,
  onPath,
  withBody,
  type Body,
  type Change,
  type Mutant,
} from "../../proof/mutant.ts";

const spent = "getCreditsSpent";
const history = "listSettlements";

const number = (body: Body, name: string): number => Number(body[name]);

const onBalance = (change: (data: Body) => Body): Change =>
  onPath("getCredits", "data", (data) => change(data as Body));

const onSpent = (change: (total: number, query: URLSearchParams) => number): Change =>
  onPath(spent, "data.total_credits", (total, request) => change(Number(total), request.query));

/** Counts the billed amount of an exempt Call, although nothing of it was settled. */
function countingBills(): Change {
  const billed = new Map<string, number>();
  return onAnswers(
    ({ operation }, { status }) => status === 200 && ["call", spent].includes(operation ?? ""),
    (answer, request) => {
      const who = String(request.headers.authorization);
      const body = JSON.parse(answer.body) as Body;
      if (request.operation === spent) {
        const data = body["data"] as Body;
        const total = number(data, "total_credits") + (billed.get(who) ?? 0);
        return { ...answer, body: JSON.stringify({ ...body, data: { ...data, total_credits: total } }) };
      }
      const exempt = request.sent().includes(sampleTools.policy_exempt.id);
      if (exempt) billed.set(who, (billed.get(who) ?? 0) + Number(body["cost"] ?? 0));
      return answer;
    },
  );
}

/** Subtracts the cost of an account's capability queries from that of its calls. */
function forgettingQueries(): Change {
  const cost = new Map<string, number>();
  return onAnswers(
    ({ operation }, { status }) => status === 200 && ["queryCapability", spent].includes(operation ?? ""),
    (answer, request) => {
      const who = String(request.headers.authorization);
      const body = JSON.parse(answer.body) as Body;
      const before = cost.get(who) ?? 0;
      if (request.operation !== spent) cost.set(who, before + number(body, "credits_used"));
      else if (request.query.get("kind") === "call") {
        const data = body["data"] as Body;
        data["total_credits"] = number(data, "total_credits") - before;
      }
      return { ...answer, body: JSON.stringify(body) };
    },
  );
}

const onSettlements = (change: (items: Body[], query: URLSearchParams) => Body[]): Change =>
  onPath(history, "data.items", (items, request) => change(items as Body[], request.query));

const always = (): boolean => true;

/** Ignores invalid dates. */
const forgiving = (operation: OperationId): Mutant[] =>
  ["start_date", "end_date"].map((name) =>
    mutant(
      "ACCT-11",
      `ignores a ${name} of ${operation} that is no date`,
      taking(operation, name, (value) => (/^\d{4}-/.test(String(value)) ? value : undefined)),
    ),
  );

/** Shows each account the balance at its first request. */
function remembering(): Change {
  const first = new Map<string, string>();
  return onAnswers(
    (request, answer) => request.operation === "getCredits" && answer.status === 200,
    (answer, request) => {
      const who = String(request.headers.authorization);
      if (!first.has(who)) first.set(who, answer.body);
      return { ...answer, body: first.get(who)! };
    },
  );
}

const dataOf = (answer: unknown): Body => (answer as { body: Body }).body["data"] as Body;

/** The claims of a token, without verifying its signature. */
function claimsOf(token: string): Record<string, unknown> | null {
  try {
    return JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString()) as Record<string, unknown>;
  } catch {
    return null;
  }
}

const credits: Mutant[] = mutantsOf({
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

const total: Mutant[] = [
  ...mutantsOf({
    "ACCT-05": { "does not find the credits spent": refusing(spent, always, 404) },
    "ACCT-06": {
      "counts what was spent twice": onSpent((amount) => 2 * amount),
      "counts what was billed and not charged": countingBills(),
      "answers nothing as spent": onSpent(() => 0),
    },
    "ACCT-07": {
      "answers nothing on the second page": onSpent((amount, query) =>
        query.get("page") === "2" ? 0 : amount,
      ),
    },
    "ACCT-08": {
      "ignores start_date in credits spent": ignoring(spent, "start_date"),
      "ignores end_date in credits spent": ignoring(spent, "end_date"),
      "ends a day when it begins": taking(spent, "end_date", misread.midnight),
      "ignores end_date in credits spent where it stands alone": asking(
        spent,
        ({ end_date: end, ...query }) =>
          query["start_date"] === undefined ? query : { ...query, end_date: end },
      ),
    },
    "ACCT-09": {
      "ignores kind in credits spent": ignoring(spent, "kind"),
      "counts no capability query among the calls": forgettingQueries(),
      "counts nothing as charged for review": onSpent((amount, query) =>
        query.get("charge_outcome") === "failed_charged_review" ? 0 : amount,
      ),
      "ignores charge_outcome in credits spent": ignoring(spent, "charge_outcome"),
    },
    "ACCT-10": {
      "adds what the other accounts spent": onAny(spent, (operation) => async (request, context) => {
        const answer = await operation(request, context);
        for (const other of await otherAccounts(request, context)) {
          const theirs = await operation(asAccount(request, other), context);
          dataOf(answer)["total_credits"] =
            number(dataOf(answer), "total_credits") + number(dataOf(theirs), "total_credits");
        }
        return answer;
      }),
    },
  }),
  ...(["getCreditsSpent", "listSettlements", "getLedgerReadiness"] as const).flatMap(forgiving),
];

const settlements: Mutant[] = [
  ...mutantsOf({
    "ACCT-12": { "does not find the settlement history": refusing(history, always, 404) },
    "ACCT-13": {
      "leaves Calls out of the settlement history": onSettlements((items) =>
        items.filter((item) => item["entry_type"] !== "consume_tool_execute"),
      ),
    },
    "ACCT-14": {
      "puts a settlement more on a page": taking(history, "page_size", (size) => Number(size) + 1),
    },
    "ACCT-15": {
      "puts 101 settlements on a page that asks for no size": onAny(
        history,
        (operation) => (request, context) => {
          const query = request.query as Body;
          const plain = query["page_size"] === undefined || query["page_size"] === 100;
          return operation(plain ? { ...request, query: { ...query, page_size: 101 } } : request, context);
        },
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
      "leads back to the first page after the second": onSettlements((items, query) =>
        query.has("cursor") ? [...items.slice(0, 1), ...items] : items,
      ),
    },
    "ACCT-19": {
      "ignores start_date in the settlement history": ignoring(history, "start_date"),
      "ignores end_date in the settlement history": ignoring(history, "end_date"),
      "ends a day of settlements when it begins": taking(history, "end_date", misread.midnight),
      "forgets the dates of the settlement history after the first page": forgettingOnPages(
        history,
        "start_date",
        "end_date",
      ),
    },
    "ACCT-20": {
      "shows a reward where no scope is asked for": onAnswers(
        (request, answer) =>
          request.operation === history && answer.status === 200 && !request.query.has("scope"),
        (answer) => {
          const body = JSON.parse(answer.body) as { data: { items: Body[] } };
          body.data.items.unshift({ id: "reward", entry_type: "grant_invitation_reward", amount_credits: 1 });
          return { ...answer, body: JSON.stringify(body) };
        },
      ),
    },
    "ACCT-21": {
      "goes on as the account that a cursor was given to": cursorsOfOwners(history),
      "shows the newest settlements of the other accounts": onAny(
        history,
        (operation) => async (request, context) => {
          const answer = await operation(request, context);
          for (const other of await otherAccounts(request, context)) {
            const theirs = dataOf(await operation(asAccount(request, other), context))["items"] as Body[];
            (dataOf(answer)["items"] as Body[]).push(...theirs.slice(0, 1));
          }
          return answer;
        },
      ),
    },
  }),
  ...["0", "501"].map((size) =>
    mutant(
      "ACCT-17",
      `accepts a page of ${size} settlements`,
      onAnswers(
        (request, answer) =>
          request.operation === history && answer.status === 422 && request.query.get("page_size") === size,
        withBody(200, { status: "success", message: "ok", status_code: 0, data: { items: [] } }),
      ),
    ),
  ),
];

const tokens: Mutant[] = mutantsOf({
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

export const mutants: Mutant[] = [...credits, ...total, ...settlements, ...tokens];
