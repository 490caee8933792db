import type { ClauseId } from "../../generated/clauses.ts";
import type { OperationId } from "../../generated/contract.ts";
import { throwFor } from "../../reference-server/chaos/dice.ts";
import * as odd from "./oddities.ts";
import type { Oddity } from "./oddities.ts";
import { calls, type Planned } from "./trial.ts";

/**
 * What a scenario puts at stake.
 * - `money`: the client does not learn the outcome of a charged Call.
 * - `wait`: nothing was done, and the request can be sent again.
 * - `lawful`: the answer is unusual and permitted: the client does what it did without.
 * - `change`: the task may become impossible; only the client's obligations count.
 */
export type Stake = "money" | "wait" | "lawful" | "change";

/** One kind of scenario, with the page that its readers get. */
export interface Kind {
  name: string;
  /** What happens, as a sentence without a subject that names the server. */
  title: string;
  stake: Stake;
  clauses: readonly ClauseId[];
  planned?: readonly Planned[];
  oddity?: Oddity;
  /** It takes place once, whatever Call is near. */
  once?: boolean;
  /** Only `--patient` waits this long. */
  patient?: boolean;
  /** What happens, what a right client does, and what wrong ones do. */
  page: { happens: string; right: string; wrong: string };
}

const usageReads: readonly OperationId[] = ["listUsage", "listUsageFeed", "exportUsage", "getUsageEvent"];
const ledgerReads: readonly OperationId[] = ["listLedger", "exportLedger", "getLedgerEntry"];

const atCall = (strike: Planned["strike"]): Planned => ({ on: calls, strike });
const lostCall = atCall({ kind: "lost" });
const later = (on: readonly OperationId[], strike: Planned["strike"], times = 1): Planned => ({
  on,
  strike,
  times,
  afterCall: true,
});

const lookUp =
  "It does not send the Call again. It looks the Call up: `GET /auth/usage/history/v2?kind=call&search_id=…&start_date=…`, " +
  "until a read is answered. An event with `charge_outcome: charged` means that the Call was paid for; the client says so, " +
  "with the `execution_id` of the event, and lets its user decide. No event means that the outcome is still unknown.";
const payTwice =
  "It sends the same Call again, right away, with another `session_id`, after another Discover, or at another tool that does " +
  "the same: the task is paid for twice. Or it gives up without a look, and what was paid for nothing stays unknown.";

const waitAsAsked = {
  right:
    "It waits for as many seconds as `Retry-After` says, and sends the same request again. Nothing was done and nothing was " +
    "charged, so this pays once.",
  wrong:
    "It repeats without a wait, and is limited longer. (One that passes the refusal on to its caller does nothing wrong.)",
};

const sameAsEver =
  "It does what it does without the difference: the same Calls, the same result, the same exit status. It reads the members " +
  "that it needs and passes over the rest.";
const tooStrict =
  "It rejects the answer as invalid. Where this was the answer to a Call, the result is paid for and lost; a retry pays again.";

/** The kinds of scenarios. Those about Calls take place at the first charged Call of the client, and at its second. */
export const kinds: readonly Kind[] = [
  money("lost", "the answer to a Call is lost after the charge", [lostCall], {
    happens: "The server carries out the Call, charges it, and closes the connection without an answer.",
  }),
  money("cut", "the answer to a Call is cut in the middle, after the charge", [atCall({ kind: "cut" })], {
    happens: "The server charges the Call; half of the answer arrives, then the connection closes.",
  }),
  ...([500, 503] as const).map((status) =>
    money(
      `error-${status}`,
      `a Call is answered ${status} after the charge`,
      [atCall({ kind: "failed", status })],
      {
        happens: `The server charges the Call; what reaches the client is ${status}. A status of 500 and above does not say that nothing was done.`,
      },
    ),
  ),
  money("timeout-408", "a Call is answered 408 after the charge", [atCall({ kind: "failed", status: 408 })], {
    happens:
      "A timeout on the way: the server charges the Call, and the client gets 408. The outcome is as unknown as that of a lost answer.",
  }),
  ...([2_500, 65_000] as const).map((ms) =>
    money(
      ms > 60_000 ? "late-long" : "late",
      `the answer to a Call is ${ms / 1000} s late`,
      [atCall({ kind: "late", ms })],
      {
        happens: `The server charges the Call and answers ${ms / 1000} s later.`,
        right: `It waits. If its own timeout ends the wait, the outcome is unknown. ${lookUp}`,
        wrong:
          "Its timeout is shorter than the tool, and each attempt is charged: it pays as often as it tries, and never sees a result.",
      },
      { patient: ms > 60_000 },
    ),
  ),
  limited("limited", "Call", calls, 2),
  limited("limited-long", "Call", calls, 30),
  money(
    "audit-503",
    "the answer to a Call is lost, and the first read of the usage audit is answered 503",
    [lostCall, later(usageReads, { kind: "refused", status: 503 })],
    {
      happens: "A charged Call loses its answer; the client's look at the usage audit fails once, with 503.",
      right: `A failed look shows nothing: it reads again, which is free. ${lookUp}`,
      wrong: "It takes the failed look for “not charged” and sends the Call again; or it never looks again.",
    },
  ),
  money(
    "audit-429",
    "the answer to a Call is lost, and the first read of the usage audit is limited",
    [lostCall, later(usageReads, { kind: "limited", retryAfterSeconds: 1 })],
    {
      happens:
        "A charged Call loses its answer; the client's look at the usage audit is answered 429, `Retry-After: 1`.",
      right: `It waits, and reads again. ${lookUp}`,
      wrong: "It takes the refused look for “not charged” and sends the Call again; or it never looks again.",
    },
    { clauses: ["FLOW-15", "FLOW-22", "FLOW-28"] },
  ),
  money(
    "audit-empty",
    "the answer to a Call is lost, and the usage audit is empty for two reads",
    [lostCall, later(usageReads, { kind: "empty" }, 2)],
    {
      happens:
        "A charged Call loses its answer, and the event of the Call appears in the audit at the third read.",
      right:
        "It reads again after a while. An empty list does not say that nothing was charged: records may come later. " +
        "Without an event the outcome stays unknown, and the Call is not sent again.",
      wrong: "It takes the empty list for “not charged” and sends the Call again: both are charged.",
    },
  ),
  money(
    "ledger-later",
    "the answer to a Call is lost, and the ledger is empty for two reads",
    [lostCall, later(ledgerReads, { kind: "empty" }, 2)],
    {
      happens:
        "A charged Call loses its answer. The usage audit shows the charge; the ledger shows it two reads later.",
      right:
        "It decides by `charge_outcome` of the usage audit, and reads the ledger after it, not instead of it.",
      wrong: "It looks only at the ledger, finds no entry, and sends the Call again.",
    },
    { clauses: ["FLOW-15", "FLOW-23"] },
  ),
  limited("limited-discover", "Discover", ["discover"], 1),
  limited("limited-inspect", "Inspect", ["inspect"], 1),
  {
    name: "timeout-probe",
    title: "Probe is answered 504",
    stake: "wait",
    clauses: ["FLOW-10"],
    planned: [{ on: ["probe"], strike: { kind: "refused", status: 504 } }],
    once: true,
    page: {
      happens: "The first Probe ends with 504. A Probe never executes and never costs anything.",
      right: "It probes again, or goes on without: a Probe authorizes nothing.",
      wrong: "It takes the failed Probe for a Call, and pays for what it did not want.",
    },
  },
  lawful(
    "unknown-members",
    "answers have members that this version does not name",
    odd.inForm("members that this version does not name"),
    {
      happens: "Every object of an answer has one more member, as a later version of the API may.",
    },
  ),
  lawful(
    "unknown-words",
    "units and origins are words that this version does not know",
    odd.inForm("words that this version does not know"),
    {
      happens:
        "`billing_rule.unit`, `basis`, `source_system` and others, whose words the contract does not list, have new ones.",
    },
  ),
  lawful(
    "absent-members",
    "members that the contract calls optional are absent",
    odd.lawfully(({ way }) => way === "left out"),
    {
      happens: "Answers hold only the members that the contract requires, and what the next step needs.",
    },
  ),
  lawful(
    "null-members",
    "members that may be null are null",
    odd.lawfully(({ way }) => way === "null"),
    {
      happens: "Each member that the contract lets be null is null, unless the next step needs it.",
    },
  ),
  lawful(
    "credits-null",
    "remaining_credits is null, and billing is absent",
    odd.inForm("remaining_credits is null, and billing absent"),
    {
      happens: "`remaining_credits` is `null`, as the contract permits, and a Call gives no `billing`.",
    },
  ),
  lawful(
    "cost-only",
    "the legacy cost takes the place of billing_rule",
    odd.inForm("cost in the place of billing_rule"),
    {
      happens: "Discover and Inspect give `cost` in place of `billing_rule` and `expected_cost`.",
    },
  ),
  lawful("no-stats", "tools have no stats", odd.inForm("tools without stats"), {
    happens: "`stats` is absent: a tool that was never called has none.",
  }),
  lawful(
    "other-spelling",
    "JSON is written in another order, and with other spaces and numbers",
    odd.inForm("another order, other spaces and numbers"),
    {
      happens: "Members come in the opposite order, with spaces between, and `0.5` is written `0.5e0`.",
    },
  ),
  lawful("truncated", "the result is truncated", odd.largeResult, {
    happens:
      "The result is larger than an answer: it has `truncated_content` and `full_content_file_url`, and no `data`.",
    right:
      "It fetches `full_content_file_url` exactly as returned, without its key, or works with the beginning. It does not pay for the Call again.",
    wrong:
      "It looks for `data`, finds none, and takes the Call for failed; or it sends its key to another origin.",
    clauses: ["FLOW-19", "FLOW-20"],
  }),
  {
    name: "expired",
    title: "the address of a truncated result has expired",
    stake: "change",
    clauses: ["FLOW-19", "FLOW-20"],
    oddity: odd.expiredResult,
    page: {
      happens: "A Call returns a truncated result; its `full_content_file_url` is answered 410.",
      right:
        "It works with the beginning, or says that the result has expired. Another Call is another purchase: its user decides.",
      wrong: "It changes the address, or sends its key to the other origin.",
    },
  },
  {
    name: "contract-changed",
    title: "a tool's contract changes between Discover and Call",
    stake: "change",
    clauses: ["FLOW-07", "FLOW-18"],
    oddity: odd.changedContract,
    page: {
      happens:
        "Between Discover and Call a required parameter gets another name. The Call is answered 422, and costs nothing.",
      right:
        "It runs Discover or Inspect again, and makes its parameters from the new contract; or it tells its user that it cannot.",
      wrong: "It sends the same parameters again, or those of its stale cache.",
    },
  },
  {
    name: "tool-withdrawn",
    title: "a tool is withdrawn between Discover and Call",
    stake: "change",
    clauses: ["FLOW-17"],
    oddity: odd.withdrawnTool,
    page: {
      happens:
        "Discover returns a tool that can no longer be called. Its Call fails with `tool_unavailable`, and costs nothing.",
      right: "It runs Discover again and takes another tool, or tells its user that it cannot.",
      wrong: "It sends the same Call again, which fails in the same way.",
    },
  },
  {
    name: "claim-refused",
    title: "the claim of a trial account is refused",
    stake: "change",
    clauses: ["FLOW-25"],
    oddity: odd.claimRefused,
    once: true,
    page: {
      happens: "The claim code of a trial account, or the mailed code, is answered 422.",
      right: "It tells its user, and goes on with the key that it has.",
      wrong: "It registers another trial account, and loses the first one's credits.",
    },
  },
];

/** The client does not learn the outcome of a charged Call. */
function money(
  name: string,
  title: string,
  planned: readonly Planned[],
  page: { happens: string; right?: string; wrong?: string },
  others: Partial<Kind> = {},
): Kind {
  const pages = { right: lookUp, wrong: payTwice, ...page };
  return { name, title, stake: "money", clauses: ["FLOW-15", "FLOW-22"], planned, page: pages, ...others };
}

/** A request is refused with 429: a Call where it is charged, another one the first time. */
function limited(name: string, what: string, on: Planned["on"], retryAfterSeconds: number): Kind {
  const isCall = on === calls;
  const happens = `${isCall ? "The" : "The first"} ${what} is refused with 429 and \`Retry-After: ${retryAfterSeconds}\`.`;
  return {
    name,
    title: `${isCall ? "a " : ""}${what} is limited: 429, Retry-After ${retryAfterSeconds}`,
    stake: "wait",
    clauses: ["FLOW-28"],
    planned: [{ on, strike: { kind: "limited", retryAfterSeconds } }],
    ...(isCall ? { patient: retryAfterSeconds > 10 } : { once: true }),
    page: { happens: isCall ? `${happens} It was not carried out.` : happens, ...waitAsAsked },
  };
}

function lawful(
  name: string,
  title: string,
  oddity: Oddity,
  page: { happens: string; right?: string; wrong?: string; clauses?: readonly ClauseId[] },
): Kind {
  const { happens, right = sameAsEver, wrong = tooStrict, clauses = [] } = page;
  return { name, title, stake: "lawful", clauses, oddity, page: { happens, right, wrong } };
}

/** A kind at its place. */
export interface Scenario {
  /** As in `lost@2`. */
  id: string;
  kind: Kind;
  /** Counts the client's charged Calls from 1; null where the kind takes place once, or everywhere. */
  place: number | null;
}

/** The scenarios of a run. @param patient includes those that wait for half a minute and more */
export const scenariosOf = ({ patient }: { patient: boolean }): Scenario[] =>
  kinds
    .filter((kind) => patient || !kind.patient)
    .flatMap((kind): Scenario[] =>
      kind.once
        ? [{ id: kind.name, kind, place: null }]
        : [1, 2].map((place) => ({ id: `${kind.name}@${place}`, kind, place })),
    );

/** A random lawful server, with one fault at a random Call: the same for the same seed. */
export function randomScenario(seed: number): Scenario {
  const thrown = (what: string): number => throwFor(String(seed), what);
  const pick = <Item>(items: readonly Item[], what: string): Item =>
    items[Math.floor(thrown(what) * items.length)]!;
  const fault = pick(
    kinds.filter(({ planned, patient, name }) => planned && !patient && name !== "late"),
    "fault",
  );
  const alike = kinds.filter(({ stake }) => stake === "lawful").map(({ oddity }) => oddity!);
  const oddity = odd.combined(
    pick(alike, "oddity"),
    odd.lawfully(({ id }) => thrown(id) < 0.03),
  );
  const { page, ...others } = fault;
  const kind = {
    ...others,
    page,
    name: fault.name,
    title: `${fault.title}, and answers are unusual`,
    oddity,
  };
  return { id: `seed-${seed}`, kind, place: fault.once ? null : 1 + Math.floor(thrown("place") * 2) };
}
