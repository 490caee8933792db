import { sameCredits } from "../judge/credits.ts";
import { momentOf } from "../judge/instant.ts";
import { balanceOf, type Row } from "../judge/rows.ts";
import type { Located } from "../judge/answer.ts";
import { condition } from "../judge/fact.ts";
import { usable, type Account } from "../server/account.ts";
import { createdAt } from "../books/listed.ts";
import { pause } from "../server/session.ts";
import { candidatesForTotal } from "../books/unnamed.ts";
import { ledgerSummary } from "../books/ledger-summary.ts";
import { auditSpent } from "../books/other-reads.ts";
import { auditSummary, summaryName, type Totals } from "../books/summary.ts";
import { usageSummary } from "../books/usage-summary.ts";
import type { ReconcileContext } from "./other-reads.ts";
import { queryOf, type Window } from "./slices.ts";

/** What the rows of a window add up to, and how many there are. */
export interface Sums {
  usage: Totals;
  ledger: Totals;
  events: number;
  entries: number;
}

/** The figures of both summaries of the window, against the rows of the lists. */
export async function holdSummaries(
  { account, find, held }: ReconcileContext,
  window: Window,
  sums: Sums,
): Promise<void> {
  const of = [
    [usageSummary, sums.usage, sums.events],
    [ledgerSummary, sums.ledger, sums.entries],
  ] as const;
  for (const [description, totals, rows] of of) {
    const what = summaryName(description);
    const query = { ...queryOf(window), summary: true, bucket: "week", page_size: 1 };
    const answer = await account.ask(description.list, { query });
    const summary = answer.at("data.summary");
    const why =
      answer.status !== 200
        ? `it answers ${answer.status}`
        : !summary.present
          ? "there is none"
          : isOfWindow(summary, window)
            ? null
            : "it covers another window than was asked for";
    held.set(what, { what, rows: why === null ? rows : 0, why });
    if (why === null) auditSummary(description, totals, summary.value, find);
  }
}

/** Some amount of the credits spent is what the events of the window settled. */
export async function holdSpent(
  { account, find, held }: ReconcileContext,
  window: Window,
  { usage, events }: Sums,
): Promise<void> {
  const what = "credits spent";
  const answer = await account.ask("getCreditsSpent", { query: queryOf(window) });
  const due = usage.of("settled_credits")[0] ?? 0;
  const why =
    answer.status !== 200
      ? `it answers ${answer.status}`
      : auditSpent(answer.at("data"), due, find)
        ? null
        : "it shows no amount";
  held.set(what, { what, rows: why === null ? events : 0, why });
}

/**
 * The balance is what the newest entry left. A Call under way may hold credits, and rows may arrive: a difference counts
 * once it stands still.
 */
export async function holdBalance(
  { account, find, held }: ReconcileContext,
  {
    holdsMs,
    sum,
    signal,
    onProgress,
  }: {
    holdsMs: number;
    sum: number | null;
    signal?: AbortSignal | undefined;
    onProgress?: (text: string) => void;
  },
): Promise<void> {
  const what = "balance";
  const until = performance.now() + holdsMs;
  for (let before = await standing(account); ;) {
    if (signal?.aborted) return;
    const { lefts, candidates, newest } = before;
    const shows = (left: number): boolean => candidates.some((amount) => sameCredits(left, amount));
    const isSum = sum === null || shows(sum);
    const isHeld = lefts.some(shows) && isSum;
    const why =
      newest === undefined
        ? "the ledger is empty"
        : lefts.length === 0
          ? "the newest entry shows no balance"
          : candidates.length === 0
            ? "the credits show no amount"
            : null;
    held.set(what, { what, rows: why === null ? 1 : 0, why });
    if (why !== null || isHeld) return;
    if (performance.now() > until) {
      const isLeft = lefts.some(shows);
      find({
        name: "balance-differs",
        clauses: ["LEDG-15"],
        title: isLeft
          ? "the balance is not what all entries of the ledger add up to"
          : "the balance is not what the newest ledger entry left",
        fact: condition(
          isLeft
            ? `${sum} credits, granted less consumed`
            : `${lefts.join(" or ")} credits, as balance_after says`,
          candidates.join(", "),
          { kind: "amount" },
        ),
        entry: newest,
      });
      return;
    }
    onProgress?.("the balance differs from the ledger: waiting, since a Call may hold credits");
    await pause(Math.min(1_000, holdsMs / 4));
    before = await standing(account);
  }
}

/** The balances that the newest entries left, and the amounts among which the remaining total is. */
async function standing(
  account: Account,
): Promise<{ lefts: number[]; candidates: number[]; newest: Row | undefined }> {
  const entries = usable(await account.ledger({ page_size: 50 })).at("data.items").items;
  const credits = await account.ask("getCredits");
  const [newest] = entries;
  // Entries of one moment may be in any order.
  const last = entries.filter((entry) => createdAt(entry) === createdAt(newest!));
  return {
    lefts: last.flatMap((entry) => balanceOf(entry, "after") ?? []),
    candidates: credits.status === 200 ? [...candidatesForTotal(credits.at("data")).values()] : [],
    newest: newest?.value as Row | undefined,
  };
}

/** Whether a summary covers the window that was asked for, by its own dates; it may have only whole buckets. */
function isOfWindow(summary: Located, { start, end }: Window): boolean {
  const dates = ["start_date", "end_date"].map((name) => momentOf(summary.at(name).value));
  return [start, end].every((asked, index) => {
    const said = dates[index];
    return said === undefined || Math.abs(said / 1000 - asked) < 2_000;
  });
}
