import { trialCredits } from "../../generated/contract.ts";
import type { Role, Use } from "../../conformance/server/profile.ts";
import { History } from "../../conformance/books/history/history.ts";
import { pause } from "../../conformance/server/session.ts";
import { Unverifiable } from "../../conformance/judge/verdict.ts";
import { noCredits } from "../ended.ts";
import type { Question } from "../../base/judged.ts";
import type { Outcome } from "../outcome.ts";
import { because, inProfile, question } from "../questions.ts";
import type { Reply } from "../recorder.ts";
import { callPlan, type Planned } from "../planned.ts";
import { awaitedLag, readAll, readAtRest, readLastBalance } from "../books/at-rest.ts";
import { compareReads } from "../books/compare.ts";
import type { Found } from "../judgement.ts";
import type { LoadRun } from "../run.ts";
import { smallLease, type AccountLease } from "../account-leases.ts";

/** Trial accounts whose small balance a storm uses up. */
const smallAccounts = 2;
/** Calls of a storm beyond what a small balance covers. */
const callsBeyondBalance = 12;
/** Requests of a quota reserved for the reads afterwards. */
const reserve = 12;

/** Roles of tools that fail at the provider, mixed into the successful calls if the profile has them. */
const failing: readonly Role[] = [
  "provider_error",
  "provider_http_error",
  "provider_rate_limited",
  "provider_auth",
  "empty_result",
  "partial_success",
  "no_response",
  "failed_charged",
];

/**
 * Storms of concurrent calls, some of them failing, on accounts that can afford them and on some that cannot.
 * Afterwards every credit is accounted for through each of the account's reads.
 */
export async function billing(
  run: LoadRun,
  { calls, connections }: { calls: number; connections: number },
): Promise<Outcome> {
  const { profile, say, sending } = run;
  const charged = profile.tools.charged ?? profile.tools.charged_decimal;
  if (charged === undefined)
    throw new Unverifiable("no charged tool is given, nor found", "tools: {charged: TOOL_ID}");
  const lagSeconds = awaitedLag(run);
  const find = (contradiction: Found): void => run.judgement.find(contradiction);
  const notes: string[] = [];
  const storms = stormsOf(run, charged, calls);
  say("reading the books");
  const price = await priceOf(run, charged);
  const small = await smallLeases(run);
  const wanted = Math.ceil(trialCredits / Math.max(price, 0.01)) + callsBeyondBalance;
  const amount = Math.min(wanted, profile.limits.call - reserve);
  if (small.length > 0 && amount < wanted)
    notes.push(`a trial's ${trialCredits} credits outlast the quota of calls at ${price} each`);
  for (const lease of small)
    storms.set(
      lease,
      Array.from({ length: amount }, (): Planned => ({
        ...callPlan(lease.senders[0]!, charged),
        wants: [noCredits, "failure"],
      })),
    );
  const kept = new History({ lagSeconds, isComplete: true });
  const take = (reply: Reply): Reply => {
    run.take(reply);
    const { exchange, request, sentAt: begin, answeredAt: end } = reply;
    kept.take(exchange, { reader: request.sender.account, begin, end });
    return reply;
  };
  const send = async (planned: Planned): Promise<Reply> => take(await sending.send(planned));
  // What was done before must show by then.
  await pause(1000 * lagSeconds);
  for (const { senders } of storms.keys()) await readAll(senders[0]!, send);

  let lacking = 0;
  const plans = interleaved([...storms.values()]);
  say(`a storm of ${plans.length} calls on ${storms.size} accounts`);
  run.soFar.outcome = () => ({
    notes: [...notes, "the storm ended early, so its books are not judged"],
    questions: ["the charges of Calls", "the balances"].map((what) =>
      question(what, because("the storm ended early")),
    ),
    values: {},
  });
  await sending.closedLoop({
    requests: plans,
    once: true,
    concurrentRequests: connections,
    onReply: (reply) => {
      if (take(reply).exchange.response?.status === noCredits) lacking += 1;
    },
  });

  say("accounting for every credit");
  await pause(1000 * lagSeconds + 1);
  const rests = new Map<string, number>();
  await Promise.all(
    [...storms.keys()].map(async ({ senders, account }) => {
      const [sender] = senders;
      const { whole, restFrom } = await readAtRest(sender!, send, run.clock);
      rests.set(sender!.account, restFrom);
      await compareReads(sender!, whole, {
        send: (planned) => sending.send(planned),
        find: ({ event: _event, entry: _entry, exchange, ...fault }) =>
          find({ ...fault, exchanges: exchange ? [exchange] : [] }),
        hasExports: account.profile.features.exports === undefined,
      });
      await readLastBalance(sender!, charged.id, send, lagSeconds);
    }),
  );
  const verdict = kept.judge((account) => rests.get(account) ?? Infinity);
  for (const { bars, lawful, ...found } of verdict.contradictions)
    find({ ...found, history: { bars, lawful } });
  const { executed, balances, unverified } = verdict;
  const values = { executed, refused_for_credits: lacking, settled: verdict.settled / 1e6 };
  if (small.length > 0 && lacking === 0)
    notes.push("no call was refused for lack of credits: small balances are not shown to hold");
  notes.push(
    `${executed} calls executed, ${lacking} refused for lack of credits, ${values.settled} credits settled`,
  );
  const questions = questionsOf(run, { ...values, balances, unverified, small: small.length });
  return { notes, questions, values };
}

/** What the storms could show of the books. */
function questionsOf(
  { profile }: LoadRun,
  shown: {
    executed: number;
    settled: number;
    refused_for_credits: number;
    balances: number;
    unverified: readonly string[];
    small: number;
  },
): Question[] {
  const noSmall = because(
    shown.small > 0
      ? "no Call was refused for lack of credits"
      : `no account has few credits: trials are off (${profile.features.trial})`,
  );
  const failingTools = failing.filter((role) => profile.tools[role] !== undefined);
  return [
    question(
      "the charges of Calls",
      shown.executed === 0
        ? because("no Call was answered with an execution_id")
        : shown.settled === 0
          ? because("no Call was charged")
          : null,
    ),
    question(
      "the balances",
      shown.balances > 0 ? null : because("no answer shows the credits that the entries have left"),
    ),
    ...shown.unverified.map((text) => question(text, because(text))),
    question("balances that run out", shown.refused_for_credits > 0 ? null : noSmall),
    question(
      "the charges of failed Calls",
      failingTools.length > 0 ? null : inProfile("tools: {provider_error: TOOL_ID}"),
    ),
  ];
}

/** Trial accounts with a small balance, if trials can be registered. */
async function smallLeases({ session, profile }: LoadRun): Promise<AccountLease[]> {
  const small: AccountLease[] = [];
  for (let number = 1; number <= smallAccounts && profile.features.trial === undefined; number += 1)
    small.push(await smallLease(session, profile, `small ${number}`));
  return small;
}

/** The calls of each account that can afford them: one failing call for every three that succeed. */
function stormsOf({ profile, leases }: LoadRun, charged: Use, calls: number): Map<AccountLease, Planned[]> {
  const { tools, limits } = profile;
  const known = failing.flatMap((role) => tools[role] ?? []);
  const mix = [charged, tools.charged_decimal ?? charged, charged, tools.included ?? charged];
  const toolOf = (index: number): Use =>
    index % 4 === 3 && known.length > 0 ? known[(index >> 2) % known.length]! : mix[index % mix.length]!;
  const plansOf = ({ senders }: AccountLease): Planned[] =>
    Array.from({ length: Math.min(calls, limits.call - reserve) }, (_, index): Planned => ({
      ...callPlan(senders[index % senders.length]!, toolOf(index)),
      wants: known.includes(toolOf(index)) ? ["failure"] : [],
    }));
  return new Map(leases.map((lease) => [lease, plansOf(lease)]));
}

/** Interleaves the lists, so that all accounts are under load at the same time. */
function interleaved<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) =>
    lists.flatMap((list) => (index < list.length ? [list[index]!] : [])),
  ).flat();
}

/** The cost of one call, measured on an account that can afford it; 1 if the server does not report it. */
async function priceOf({ leases }: LoadRun, charged: Use): Promise<number> {
  const { account } = leases[0]!;
  const use = { parameters: {}, ...charged };
  const first = (await account.succeed(use)).at("remaining_credits").value;
  const second = (await account.succeed(use)).at("remaining_credits").value;
  return typeof first === "number" && typeof second === "number" && first > second ? first - second : 1;
}
