import { sameCredits } from "../judge/credits.ts";
import { momentOf } from "../judge/instant.ts";
import { balanceOf, type Row } from "../judge/rows.ts";
import type { Located } from "../judge/answer.ts";
import { condition } from "../judge/fact.ts";
import { usable, type Account } from "../server/account.ts";
import { createdAt } from "../books/listed.ts";
import { pause } from "../server/session.ts";
import { candidatesForTotal } from "../books/unnamed.ts";
import { auditSpent } from "../books/other-reads.ts";
import { summaryName, type Totals } from "../books/summary.ts";
import type { ReconcileContext } from "./other-reads.ts";
import { queryOf, type Window } from "./slices.ts";

/** The figures of a summary of the window, against the rows of its list. */
export async function holdSummary(
  { account, find, held }: ReconcileContext,
  window: Window,
  totals: Totals,
): Promise<void> {
  const what = summaryName(totals.description);
  const query = { ...queryOf(window), summary: true, bucket: "week", page_size: 1 };
  const answer = await account.ask(totals.description.list, { query });
  const summary = answer.at("data.summary");
  const why =
    answer.status !== 200
      ? `it answers ${answer.status}`
      : !isOfWindow(summary, window)
        ? "it covers another window than was asked for"
        : totals.audit(summary, find)
          ? null
          : "there is none";
  held.set(what, { what, rows: why === null ? totals.rows : 0, why });
}

/** Some amount of the credits spent is what the events of the window settled. */
export async function holdSpent(
  { account, find, held }: ReconcileContext,
  window: Window,
  usage: Totals,
): Promise<void> {
  const what = "credits spent";
  const answer = await account.ask("getCreditsSpent", { query: queryOf(window) });
  const why =
    answer.status !== 200
      ? `it answers ${answer.status}`
      : auditSpent(answer.at("data"), usage, find)
        ? null
        : "it shows no amount";
  held.set(what, { what, rows: why === null ? usage.rows : 0, why });
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
