import { History } from "../../../conformance/books/history/history.ts";
import { machineClock } from "../../../load/engine/clock.ts";
import type { Planned, Sender } from "../../../load/planned.ts";
import type { Reply } from "../../../load/recorder.ts";
import { compareReads } from "../../../load/books/compare.ts";
import { readAll, type Whole } from "../../../load/books/at-rest.ts";
import type { Anomaly } from "../../../conformance/books/pairs.ts";
import { expectedWords, receivedWords } from "../../../conformance/judge/fact.ts";
import { amountOf, settledOf, type Row } from "../../../conformance/judge/rows.ts";
import { sampleTools } from "../../../reference-server/catalog/sample-roles.ts";
import { micro } from "../../../reference-server/billing/money.ts";
import { chargeOutcomeMeanings, type ChargeOutcome } from "../../../generated/contract.ts";
import type { Config } from "../../../reference-server/config.ts";
import { openDataFolder } from "../../../reference-server/parts-default.ts";
import { unlimitedQuotas } from "../../../reference-server/unlimited.fixture.ts";
import { sendRecorded } from "./send-recorded.ts";

/** The number of accounts driven at the same time. */
const accounts = 3;

/** The credits granted to each account. */
export const granted = 1_000_000;

/** The number of rounds that use the same accounts; after each their whole history is read. */
export const roundsOfAccounts = 10;

/** Accounts that are driven, with all answers to their clients. */
export interface Driven {
  senders: readonly Sender[];
  history: History;
  /** By execution. */
  answers: Map<string, CallAnswer>;
}

/** The answer of a Call. */
export interface CallAnswer {
  success: boolean;
  cost: number;
}

/** The result of reading the accounts. */
export interface Held {
  /** Calls that a sweep voided, or that could not be settled. */
  voided: number;
  broken: string[];
}

/** Quotas are high enough not to interfere; the log holds only errors that end a process. */
export const killConfig = (config: Config): Config => ({
  ...config,
  port: 0,
  logLevel: "fatal",
  quotas: unlimitedQuotas,
});

/** Opens accounts with credits on the database of a configuration, and reads their books. */
export async function openAccounts(config: Config, baseUrl: string): Promise<Driven> {
  const folder = await openDataFolder(config);
  const senders: Sender[] = [];
  try {
    for (let index = 0; index < accounts; index += 1) {
      const account = `driven ${index}`;
      const { id } = await folder.accounts.create({ name: account, email: null });
      await folder.books.move({
        accountId: id,
        entryType: "grant_payment_recharge",
        amount: micro(granted),
        description: "kill test",
      });
      const { apiKey: key } = await folder.accounts.addKey(id, "driven");
      senders.push({ account, key, keyName: "key 1" });
    }
  } finally {
    await folder.storage.close();
  }
  return beginHistory(baseUrl, senders);
}

/** Reads the books of accounts that have not been driven yet. */
export async function beginHistory(baseUrl: string, senders: readonly Sender[]): Promise<Driven> {
  const history = new History({ lagSeconds: 0, isComplete: true });
  const driven = { senders, history, answers: new Map<string, CallAnswer>() };
  await readBooks(baseUrl, driven);
  return driven;
}

/** Reads the books of accounts at rest, and compares them with all answers to their clients. */
export async function checkBooks(baseUrl: string, driven: Driven): Promise<Held> {
  const readings = await readBooks(baseUrl, driven);
  const verdict = driven.history.judge((account) => readings.get(account)!.restFrom);
  const broken = verdict.contradictions.map(
    ({ clauses, title, fact, count }) =>
      `${clauses.join(", ")}: ${title} (${count} times): expected ${expectedWords(fact)}, received ${receivedWords(fact)}`,
  );
  broken.push(...verdict.unverified.map((what) => `not judged: ${what}`));
  const find = ({ clauses, title, fact }: Anomaly): void =>
    void broken.push(
      `${clauses.join(", ")}: ${title}: expected ${expectedWords(fact)}, received ${receivedWords(fact)}`,
    );
  let voided = 0;
  for (const sender of driven.senders) {
    const { whole } = readings.get(sender.account)!;
    const send = (planned: Planned): Promise<Reply> => sendRecorded(baseUrl, planned, driven.history);
    await compareReads(sender, whole, { send, find, hasExports: true });
    broken.push(...whole.events.flatMap((event) => otherwise(event, driven)));
    const grants = whole.entries.filter((entry) => (amountOf(entry) ?? 0) > 0);
    if (grants.length !== 1) broken.push(`${grants.length} entries grant credits, one was given`);
    voided += whole.events.filter(
      ({ reason_code: reason, tool_id: tool }) =>
        reason === "transport.execution_failed" && tool !== sampleTools.execution_failed.id,
    ).length;
  }
  return { voided, broken };
}

/** How an event differs from the answer to its client, as a sentence. */
function otherwise(event: Row, { answers }: Driven): string[] {
  const id = String(event["execution_id"]);
  const answer = answers.get(id);
  if (answer === undefined) return [];
  const [settled, success] = [settledOf(event), event["success"]];
  const isCharged = chargeOutcomeMeanings[event["charge_outcome"] as ChargeOutcome].positiveAmount;
  return answer.success === success && (answer.cost === settled || !isCharged)
    ? []
    : [
        `${id} was answered ${answer.success} at ${answer.cost}; its event says ${String(success)} at ${settled}`,
      ];
}

/** What was read of an account, and when its reading began, in epoch milliseconds. */
interface Reading {
  whole: Whole;
  restFrom: number;
}

async function readBooks(baseUrl: string, { senders, history }: Driven): Promise<Map<string, Reading>> {
  const readings = new Map<string, Reading>();
  for (const sender of senders) {
    const restFrom = machineClock.now();
    const whole = await readAll(sender, (planned) => sendRecorded(baseUrl, planned, history));
    readings.set(sender.account, { whole, restFrom });
  }
  return readings;
}
