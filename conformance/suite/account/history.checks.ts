import { usualLagSeconds } from "../../books/finality.ts";
import { barsAsText } from "../../books/history/picture.ts";
import { History } from "../../books/history/history.ts";
import type { Answer } from "../../judge/answer.ts";
import { levelOf } from "../../judge/level.ts";
import { Blocked } from "../../judge/verdict.ts";
import { check } from "../../run/check.ts";
import type { Account, Query } from "../../server/account.ts";
import { wholePage } from "../../server/lists.ts";

/** Calls one after the other by each of some writers, while as many readers read. */
const writers = 2;
const callsEach = 4;
/** Rounds of reads by each reader: a slow tool must not make them thousands. */
const maxRounds = 20;

/** A small version of `load history`. */
export const checks = [
  check(
    ["BILL-12", "LEDG-41", "USAG-37", "LSUM-07", "USUM-09"],
    "reads during concurrent Calls fit one order of the account's charges",
    { needs: ["tool.charged"], credits: 2 * writers * callsEach },
    async ({ account, tool, expect }) => {
      const use = tool("charged");
      const history = new History({
        lagSeconds: account.profile.audit_lag ?? usualLagSeconds,
        isComplete: false,
      });
      const take = (answer: Answer, reader: string): Answer => {
        history.take(answer.exchange, { reader });
        return answer;
      };
      let left = writers * callsEach;
      const executed: Answer[] = [];
      const write = async (_: unknown, index: number): Promise<void> => {
        while (left > 0) {
          left -= 1;
          const call = take(await account.call(use), `writer ${index}`);
          if (call.status === 200) executed.push(call);
        }
      };
      const read = async (_: unknown, index: number): Promise<void> => {
        for (let round = 0; left > 0 && round < maxRounds; round += 1)
          for (const answer of await reads(account)) take(answer, `reader ${index}`);
      };
      const lanes = Array.from({ length: writers });
      await Promise.all([...lanes.map(write), ...lanes.map(read)]);
      if (executed.length < 2) throw new Blocked("fewer than two Calls of a charged tool were executed");

      for (const call of executed) await account.ledgerOf(call);
      await account.settled();
      const whole = { page_size: wholePage };
      const atRest = take(await account.ledger(whole), "at rest");
      take(await account.usage(whole), "at rest");
      const { contradictions } = history.judge(() => atRest.exchange.started_at);
      const found = contradictions
        .filter(({ clauses }) => levelOf(clauses) === "must")
        .map(({ title, bars }) => [title, ...barsAsText(bars)].join("\n"));
      expect(found, "reads that fit no order").toBe([]);
    },
  ),
];

/** A window that holds everything, so a summary and its list are about the same rows. */
const allTime: Query = { start_date: "2000-01-01", end_date: "2099-12-31" };

/** What a reader asks, in turn: pages with the summary of the whole, and the second page. */
const reads = async (account: Account): Promise<Answer[]> => {
  const answers: Answer[] = [];
  const window = { ...allTime, summary: true, page_size: 5 };
  for (const query of [window, { page_size: 5, page: 2 }] satisfies Query[])
    answers.push(await account.ledger(query), await account.usage(query));
  return answers;
};
