import { randomInt } from "node:crypto";
import { notesOf } from "../../conformance/books/history/findings.ts";
import { History, type HistoryVerdict } from "../../conformance/books/history/history.ts";
import { seeded, type Seeded } from "../../base/seeded.ts";
import { Unverifiable } from "../../conformance/judge/verdict.ts";
import type { Role, Use } from "../../conformance/server/profile.ts";
import { pause } from "../../conformance/server/session.ts";
import type { OperationId } from "../../generated/contract.ts";
import type { Question } from "../../base/judged.ts";
import { lackingCredits, noCredits } from "../ended.ts";
import {
  awaitedLag,
  everything,
  readAll,
  readAtRest,
  readBalance,
  readLastBalance,
  summed,
  wholePage,
} from "../books/at-rest.ts";
import { recorder, type Reply } from "../recorder.ts";
import type { Answer } from "../engine/request.ts";
import type { Outcome } from "../outcome.ts";
import { callPlan, plan, type Planned, type Sender } from "../planned.ts";
import { because, question } from "../questions.ts";
import type { LoadRun } from "../run.ts";
import { smallLease, type AccountLease } from "../account-leases.ts";
import { openSending, type Sending } from "../sending.ts";

/** Requests of a quota reserved for the rest of the run. */
const reserve = 12;
/** Inspects of one reader: they have a quota. */
const maxInspects = 8;
/** The most milliseconds between two operations of one client, and until it gives up an answer on purpose. */
const maxPauseMs = 8;
const maxPatienceMs = 25;
/** Rows on the pages that are read while rows are written. */
const pageSize = 10;
/** A budget that every capability query keeps. */
const ampleBudget = 1_000;

/** Roles of the tools that writers call, as often as they are listed. */
const written: readonly Role[] = [
  ...["charged", "charged", "charged_decimal", "charged", "included", "expensive"],
  ...["provider_error", "empty_result", "partial_success"],
] as Role[];

/** What readers ask, as often as it is listed. */
const reads: readonly (readonly [OperationId, query: string])[] = [
  ["listLedger", `?page_size=${pageSize}`],
  ["listLedger", `?page_size=${pageSize}`],
  ["listLedger", `?page_size=${pageSize}&page=2`],
  ["listLedger", `?page_size=${pageSize}${summed}`],
  ["listUsage", `?page_size=${pageSize}`],
  ["listUsage", `?page_size=${pageSize}&page=2`],
  ["listUsage", `?page_size=${pageSize}${summed}`],
  ["listUsageFeed", `?page_size=${pageSize}&${everything}`],
  ["getCredits", ""],
  ["exportUsage", `?${everything}`],
];

/** What is read once nothing moves, besides the lists. A feed of more events than a page holds is not compared. */
const readOnce = [
  ["exportUsage", `?${everything}`],
  ["exportLedger", `?${everything}`],
  ["listUsageFeed", `?page_size=${wholePage}&${everything}`],
] as const;

/** Options: Calls, connections and accounts, further addresses, a seed, and the share of answers to lose. */
interface Options {
  calls: number;
  connections: number;
  accounts: number;
  also: readonly string[];
  seed: number | null;
  lost: number;
}

/** One account, and the requests of its clients. */
interface Stand {
  lease: AccountLease;
  sender: Sender;
  uses: readonly Use[];
  /** Calls that are left. */
  left: number;
}

/** Sends over one of the server's addresses, and keeps the history. */
interface Channel {
  send: (planned: Planned, reader: string, lane: number, patienceMs?: number) => Promise<Reply>;
  sendAtRest: (planned: Planned) => Promise<Reply>;
  /** Calls of charged tools that were answered with a success, and Calls refused for lack of credits. */
  calls: { paid: number; refused: number };
}

/**
 * Writers and readers use each account at the same time, and some answers are not waited for. Then everything is read
 * at rest, and the answers to each client are checked against one order of events.
 */
export async function history(
  run: LoadRun,
  { calls, connections, accounts, also, seed: given, lost }: Options,
): Promise<Outcome> {
  const { say, signal } = run;
  const seed = given ?? randomInt(2 ** 32);
  // A run with the seed of an earlier one has sessions of its own.
  const began = Math.round(run.clock.now());
  const lagSeconds = awaitedLag(run);
  const kept = new History({ lagSeconds, isComplete: true });
  const further = also.map((url) => openSending(url, run.clock, signal, run.ca));
  const channel = channelOf(run, [run.sending, ...further], kept);
  const stands = await standsOf(run, accounts, calls);
  const lanes = Math.max(2, Math.floor(connections / stands.length));
  run.soFar.outcome = () =>
    outcomeOf(
      kept.judge(() => Infinity),
      run,
      { seed, lagSeconds },
      ["the run ended early: the state at rest is not judged"],
    );
  try {
    say("reading the books");
    for (const stand of stands) {
      // What was done before must show by then.
      await run.session.finality.beforeRead(stand.lease.account.label);
      await readAll(stand.sender, channel.sendAtRest);
      await readBalance(stand.sender, stand.uses[0]!.id, channel.sendAtRest);
    }
    say(`${stands.length * lanes} clients use ${stands.length} accounts (seed ${seed})`);
    await Promise.all(
      stands.flatMap((stand, number) =>
        Array.from({ length: lanes }, (_, lane) => {
          const index = number * lanes + lane;
          const choices = seeded(seed + index);
          return lane % 2 === 0
            ? write(
                stand,
                channel,
                { index, choices, lost, signal, session: `history-${began}-${index}` },
                run,
              )
            : readWhileWritten(stand, channel, { index, choices, signal });
        }),
      ),
    );
    if (channel.calls.refused > 0 && channel.calls.paid === 0)
      throw lackingCredits(stands[0]!.sender.account);
    say("waiting until nothing moves");
    await pause(1000 * lagSeconds + 1);
    const rests = new Map<string, number>();
    await Promise.all(
      stands.map(async ({ sender, uses }) => {
        const { restFrom } = await readAtRest(sender, channel.sendAtRest, run.clock);
        rests.set(sender.account, restFrom);
        for (const [operation, query] of readOnce)
          await channel.sendAtRest(plan(operation, sender, { query }));
        await readLastBalance(sender, uses[0]!.id, channel.sendAtRest, lagSeconds);
      }),
    );
    say("looking for an order");
    return outcomeOf(
      kept.judge((account) => rests.get(account) ?? Infinity),
      run,
      { seed, lagSeconds },
      [],
    );
  } finally {
    for (const sending of further) sending.close();
  }
}

/** The accounts, and a trial whose credits will not suffice, if one can be registered. */
async function standsOf(run: LoadRun, accounts: number, calls: number): Promise<Stand[]> {
  const { profile, session } = run;
  const { tools, limits } = profile;
  const uses = written.flatMap((role) => tools[role] ?? []);
  if (tools.charged === undefined && tools.charged_decimal === undefined)
    throw new Unverifiable("no charged tool is given, nor found", "tools: {charged: TOOL_ID}");
  const left = Math.min(calls, limits.call - reserve);
  const leases = run.leases.slice(0, accounts);
  if (profile.features.trial === undefined && leases.every(({ fromProfile }) => fromProfile))
    leases.push(await smallLease(session, profile, "small"));
  return leases.map((lease) => ({ lease, sender: lease.senders[0]!, uses, left }));
}

const toolOf = ({ body }: Planned): string => (JSON.parse(String(body)) as { tool_id: string }).tool_id;

function channelOf(run: LoadRun, sendings: readonly Sending[], history: History): Channel {
  const record = recorder(run.profile.base_url);
  const calls = { paid: 0, refused: 0 };
  const { charged, charged_decimal, expensive } = run.profile.tools;
  const paid = new Set([charged, charged_decimal, expensive].flatMap((use) => use?.id ?? []));
  const send: Channel["send"] = async (planned, reader, lane, patienceMs) => {
    run.signal.throwIfAborted();
    const sending = sendings[lane % sendings.length]!;
    const reply =
      patienceMs === undefined
        ? await sending.send(planned)
        : record(await impatiently(run, planned, patienceMs));
    // An answer that is not waited for is not a fault of the server.
    if (patienceMs === undefined || !(reply.answer instanceof Error)) run.take(reply);
    const { exchange, sentAt: begin, answeredAt: end } = reply;
    history.take(exchange, { reader, begin, end });
    const { status } = exchange.response ?? {};
    if (status === noCredits) calls.refused += 1;
    if (status === 200 && planned.operation === "call" && paid.has(toolOf(planned))) calls.paid += 1;
    return reply;
  };
  return { send, sendAtRest: (planned) => send(planned, "at rest", 0), calls };
}

/** Sends a request over a connection of its own, which is closed if the answer is late. */
async function impatiently({ profile, clock }: LoadRun, planned: Planned, patienceMs: number) {
  const { method, path, headers, body } = planned;
  const sentAt = clock.now();
  const answer = await fetch(profile.base_url.replace(/\/+$/, "") + path, {
    method,
    headers: { ...headers, connection: "close" },
    body,
    signal: AbortSignal.timeout(patienceMs),
  })
    .then(async (response): Promise<Answer> => ({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    }))
    .catch(() => new Error(`the client closed the connection after ${patienceMs} ms`));
  return { request: planned, sentAt, answeredAt: clock.now(), answer };
}

interface Lane {
  index: number;
  choices: Seeded;
  signal: AbortSignal;
}

const breathe = ({ choices }: Lane): Promise<void> => pause(choices.below(maxPauseMs));

/** Calls tools one after another; some answers are not waited for. */
async function write(
  stand: Stand,
  { send }: Channel,
  lane: Lane & { lost: number; session: string },
  { profile }: LoadRun,
): Promise<void> {
  const { choices, signal, index } = lane;
  const { id, parameters } = profile.capabilities.query ?? {};
  for (let number = 0; stand.left > 0 && !signal.aborted; number += 1) {
    stand.left -= 1;
    const session_id = `${lane.session}-${number}`;
    const isQuery = id !== undefined && choices.below(10) === 0;
    const asked = isQuery
      ? plan("queryCapability", stand.sender, {
          body: { capability_id: id, parameters: parameters ?? {}, max_credits: ampleBudget, session_id },
        })
      : callPlan(stand.sender, choices.pick(stand.uses), { session_id });
    // Some tools fail, and some balances do not suffice.
    const planned: Planned = { ...asked, wants: ["failure", noCredits] };
    const isLost = choices.below(1_000) < 1_000 * lane.lost;
    await send(planned, `writer ${index}`, index, isLost ? 1 + choices.below(maxPatienceMs) : undefined);
    await breathe(lane);
  }
}

/** Reads one thing after another while there is something to write. */
async function readWhileWritten(stand: Stand, { send }: Channel, lane: Lane): Promise<void> {
  const { choices, signal, index } = lane;
  let inspects = 0;
  while (stand.left > 0 && !signal.aborted) {
    const [operation, query] = choices.pick(reads);
    const reader = `reader ${index}`;
    await send(plan(operation, stand.sender, { query }), reader, index);
    if (operation === "getCredits" && inspects < maxInspects) {
      inspects += 1;
      await send(plan("inspect", stand.sender, { body: { tool_ids: [stand.uses[0]!.id] } }), reader, index);
    }
    await breathe(lane);
  }
}

/** The verdict as findings, notes and values. */
function outcomeOf(
  verdict: HistoryVerdict,
  { judgement }: LoadRun,
  { seed, lagSeconds }: { seed: number; lagSeconds: number },
  notes: string[],
): Outcome {
  for (const { bars, lawful, exchanges, ...found } of verdict.contradictions)
    judgement.find({ ...found, exchanges, history: { bars, lawful } });
  const { charged, uncharged, undecided } = verdict.unanswered;
  return {
    notes: [...notes, ...notesOf(verdict), `repeat with --seed ${seed}`],
    questions: questionsOf(verdict, lagSeconds, notes),
    values: {
      operations: verdict.acts,
      unanswered: charged + uncharged + undecided,
      stale: verdict.reads.older.newest,
    },
  };
}

/** What the operations could show of one order. */
function questionsOf(
  { writes, settled, reads, unverified }: HistoryVerdict,
  lagSeconds: number,
  cut: readonly string[],
): Question[] {
  const [why] = cut;
  return [
    question(
      "what became of each Call",
      writes === 0 ? because("no Call was answered") : settled === 0 ? because("no Call was charged") : null,
    ),
    question("whether reads agree with one order", reads.reads > 0 ? null : because("no read showed a row")),
    question(
      "whether reads show in time what others write meanwhile",
      reads.due > 0
        ? null
        : because(`the Calls end within audit_lag (${lagSeconds} s); more --calls last longer`),
    ),
    ...(why === undefined ? [] : [question("the state at rest", because(why))]),
    ...unverified.map((text) => question(text, because(text))),
  ];
}
