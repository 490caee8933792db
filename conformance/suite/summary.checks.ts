import { buckets as bucketWidths, defaultSample, largestSample } from "../../generated/contract.ts";
import { check, type Check, type Options, type Stage } from "../run/check.ts";
import { sameCredits, sumOf } from "../judge/credits.ts";
import { isDay, isZoneless, microsIn, momentOf, zonesApart } from "../judge/instant.ts";
import type { Account, Query } from "../server/account.ts";
import type { Answer, Located } from "../judge/answer.ts";
import { creditsAt } from "../judge/rows.ts";
import { lastMonth, page, wholeList } from "../server/lists.ts";
import { expectTelling } from "../server/row-readers.ts";
import type { Asking } from "../server/selection.ts";
import { createdAt, daysOfAll, justBefore } from "../books/listed.ts";
import { wordedQueries } from "../server/requests.ts";
import { dividing, queryText } from "../books/filters.ts";
import { until } from "../server/session.ts";
import { Blocked, Unverifiable } from "../judge/verdict.ts";
import { at, type Figure, type Summary } from "../books/summary.ts";

const { second, hour, day } = microsIn;

/** Tolerance for clock skew between judge and server, in seconds. */
const clocksApartSeconds = 120;

/** The start of a window that has certainly ended, so no server shortens it to now. */
const longAgo = momentOf("2026-01-10T00:00:00Z")!;

/** The rows that a check has created for a summary, and filters for them. */
export interface Filled {
  /** Dates before and after the rows. */
  window: { start_date: string; end_date: string };
  filters: readonly Query[];
}

type Fill = (stage: Stage) => Promise<Filled>;

const instantText = (micros: number): string => new Date(micros / 1000).toISOString();

/** The summary of a query and the rows that the list selects by it, polled until the summary is up to date. */
export async function summed(
  { account, expect }: Pick<Stage, "account" | "expect">,
  { list, figures }: Summary,
  query: Query,
): Promise<{ summary: Located; rows: Located[] }> {
  const { limit: _limit, bucket: _bucket, page: _page, page_size: _size, ...filters } = query;
  let rows: Located[] = [];
  const answer = await until(
    account.lagMs,
    async () => {
      rows = await wholeList(account, list, filters);
      return account.ask(list, { query: { page_size: 1, ...query, summary: true } });
    },
    (answer) => answer.at(`${at}.${figures[0]!.path}`).value === rows.length,
  );
  expect(answer).toHaveStatus(200);
  return { summary: summaryIn(answer), rows };
}

function summaryIn(answer: Answer): Located {
  const summary = answer.at(at);
  if (!summary.present) throw new Blocked("there is no summary", answer.exchange);
  return summary;
}

const summaryOf = async (account: Account, { list }: Summary, query: Query): Promise<Located> =>
  summaryIn(await page(account, list, { page_size: 1, ...query, summary: true }));

/**
 * Expects a figure to equal the total over the rows, by one of the possible interpretations of the contract.
 * @throws Blocked when the amount of a row cannot be read
 */
function expectFigure(
  { expect }: Pick<Stage, "expect">,
  summary: Located,
  { path, of = [], by, shownAs = [] }: Figure,
  rows: readonly Located[],
  query: Query = {},
): void {
  const sums = of.map((add) => sumOf(rows.map(({ fields }) => add(fields))));
  const follows = (value: unknown): boolean => sums.some((sum) => sameCredits(Number(value), sum));
  const unreadable = rows.find(
    (row) => shownAs.some((name) => row.at(name).present) && creditsAt(row, ...shownAs) === undefined,
  );
  if (unreadable !== undefined)
    throw new Blocked(`${shownAs[0]} of a row cannot be read`, unreadable.exchange);
  // If no row shows what is counted, any count may be right; the fault is that they do not show it.
  if (
    by !== undefined &&
    rows.length > 0 &&
    !follows(summary.at(path).value) &&
    !rows.some((row) => row.at(by).present)
  )
    expect(rows[0]!.at(by)).toBePresent();
  expect(summary.at(path), `${path} of ${queryText(query) || "the window"}`).toSatisfy(
    `${sums.join(" or ")}, which its rows add up to`,
    follows,
  );
}

/**
 * Looks for rows that distinguish figures from others of their kind: without one, a server that confuses two looks
 * right.
 * @throws Unverifiable when there is none
 */
export function seeApart(
  { figures, row }: Summary,
  followed: readonly Figure[],
  rows: readonly Located[],
): void {
  const added = ({ of = [] }: Figure, { fields }: Located): number[] => of.map((add) => add(fields));
  const counts = (figure: Figure): boolean => rows.some((row) => added(figure, row).some((sum) => sum !== 0));
  const present = figures.filter(counts);
  const shown = followed.filter(counts);
  const names = followed.map(({ path }) => path).join(", ");
  if (shown.length === 0) throw new Unverifiable(`no ${row} of the window adds to ${names}`);
  const areAlike = (figure: Figure, other: Figure): boolean =>
    (figure.kind === "count") === (other.kind === "count") &&
    rows.every((row) => added(figure, row).some((sum) => added(other, row).includes(sum)));
  for (const figure of shown) {
    const like = present.find((other) => other !== figure && areAlike(figure, other));
    if (like !== undefined)
      throw new Unverifiable(
        `each ${row} of the window adds to ${figure.path} what it adds to ${like.path}`,
        row === "event" ? "tools: {provider_error: ID}" : "credentials: {every_kind: KEY}",
      );
  }
}

/** The samples that are not among the given rows, as far as they identify their row. */
function strangeSamples(summary: Located, { samples }: Summary, rows: readonly Located[]): unknown[] {
  // A UUID is the same in either case.
  const named = (item: Located, name: string): string[] => {
    const { value } = item.at(name);
    return value === undefined || value === null ? [] : [`${name} ${String(value).toLowerCase()}`];
  };
  // A name that no row shows does not distinguish rows.
  const names = ["id", "execution_id"].filter(
    (name) => rows.length === 0 || rows.some((row) => named(row, name).length > 0),
  );
  const namesOf = (item: Located): string[] => names.flatMap((name) => named(item, name));
  const known = new Set(rows.flatMap(namesOf));
  return summary
    .at(samples.path)
    .items.filter((item) => namesOf(item).length > 0 && !namesOf(item).some((name) => known.has(name)))
    .map((item) => item.value);
}

/** Expects every sample to be a row that the query selects. */
export function expectNoStrangeSample(
  { expect }: Pick<Stage, "expect">,
  summary: Located,
  description: Summary,
  rows: readonly Located[],
): void {
  const strange = strangeSamples(summary, description, rows);
  expect(strange, `${description.samples.path} that the query does not select`).toBeEmpty();
}

/**
 * Expects the summary of each filter, and its buckets, to be those of the rows which the list selects by it.
 * @throws Unverifiable when a filter leaves out no row of the window
 */
async function expectFiltered(
  asking: Pick<Stage, "account" | "expect">,
  description: Summary,
  window: Query,
  filters: readonly Query[],
): Promise<void> {
  const all = await wholeList(asking.account, description.list, window);
  const idle = new Set(filters.flatMap(Object.keys).filter((name) => dividing.includes(name)));
  for (const filter of filters) {
    const asked: Query = { ...window, ...filter, bucket: "hour" };
    const { summary, rows } = await summed(asking, description, asked);
    if (rows.length < all.length) for (const name of Object.keys(filter)) idle.delete(name);
    const [end, shown] = [asked["end_date"], momentOf(summary.at("end_date").value)];
    // A summary of the whole buckets that its window touches says so.
    if (!isDay(end) && shown !== undefined && shown > momentOf(end)! + second) continue;
    for (const figure of description.figures) {
      if (figure.path !== "pre_settlement_credits" && figure.of) {
        expectFigure(asking, summary, figure, rows, filter);
      }
    }
    expectNoStrangeSample(asking, summary, description, rows);
    expectSpans(asking, description, summary, rows, hour);
  }
  if (idle.size > 0)
    throw new Unverifiable(
      `the account has no ${description.row} that ${[...idle].join(" or ")} leaves out`,
      "credentials: {every_kind: KEY}",
    );
}

/** Maximum zone offset, in hours, of a bucket that names no zone. */
const zoneHours = Array.from({ length: 53 }, (_, index) => index / 2 - 12);

/**
 * Expects each bucket to count the rows with `created_at` in its span, and spans not to overlap. The first may begin
 * with the window and so be shorter.
 */
function expectSpans(
  { expect }: Pick<Stage, "expect">,
  { figures }: Summary,
  summary: Located,
  rows: readonly Located[],
  width: number,
): void {
  const buckets = summary.at("buckets").items.map((bucket) => {
    const start = momentOf(bucket.at("bucket_start").value);
    if (start === undefined) throw new Blocked("bucket_start is not a timestamp", bucket.exchange);
    return { start, bucket, counted: bucket.at(figures[0]!.inBucket).number };
  });
  buckets.sort((one, other) => one.start - other.start);
  // When clocks change, a day is an hour shorter or longer.
  const slack = width > hour ? hour : 0;
  const spans = buckets.map((bucket, index) => {
    const gap = (buckets[index + 1]?.start ?? Infinity) - bucket.start;
    if (index > 0 || bucket.start !== momentOf(summary.at("start_date").value)) {
      expect(gap, "microseconds from one bucket to the next").toBeAtLeast(width - slack);
    }
    return { ...bucket, end: bucket.start + (gap <= width + slack ? gap : width) };
  });
  const isHeld = (row: Located, { start, end }: (typeof spans)[0], shift: number): boolean =>
    createdAt(row) >= start - shift && createdAt(row) < end - shift;
  const zoneless = buckets.some(({ bucket }) => isZoneless(bucket.at("bucket_start").value));
  const misfits = (zoneless ? zoneHours : [0]).map((hours) =>
    spans
      .map((span) => ({
        bucket: span.bucket.value,
        holds: rows.filter((row) => isHeld(row, span, hours * hour)).length,
        counted: span.counted,
      }))
      .find(({ holds, counted }) => holds !== counted),
  );
  const misfit = misfits.every((misfit) => misfit !== undefined) ? misfits[0] : undefined;
  expect(misfit, "a bucket that does not count the rows that its span holds").toBe(undefined);
}

/** The checks that a summary agrees with its list. */
export function summaryChecks(description: Summary, options: Options, fill: Fill): Check[] {
  const { figures, row } = description;
  const clauses = [...new Set(figures.flatMap(({ follows }) => follows ?? []))];
  return [
    ...clauses.map((clause) => {
      const followed = figures.filter(({ follows }) => follows === clause);
      const names = followed.map(({ path }) => path.replace(/.*\./, "")).join(", ");
      return check(clause, `a summary agrees with the rows of the list: ${names}`, options, async (stage) => {
        const { window } = await fill(stage);
        const { summary, rows } = await summed(stage, description, window);
        if (rows.length === 0) throw new Blocked("the window holds no row");
        for (const figure of followed) expectFigure(stage, summary, figure, rows);
        seeApart(description, followed, rows);
      });
    }),
    check(
      description.lastMonth,
      `the buckets of the last month add up to its summary: ${row}`,
      options,
      async (stage) => {
        await fill(stage);
        for (const { reader, window } of lastMonth(stage)) {
          for (const bucket of ["day", "week", undefined]) {
            const summary = await summaryOf(reader, description, { bucket, ...window });
            const counted = summary.at("buckets").items.map((item) => item.at(figures[0]!.inBucket).number);
            const { number: total } = summary.at(figures[0]!.path);
            stage.expect(sumOf(counted), `each ${row} of all buckets`).toBe(total);
          }
        }
      },
    ),
    check(
      [description.spans, description.bucket],
      `bucket=hour, day and week count each ${row} in the span that holds its created_at, whatever the window`,
      options,
      async (stage) => {
        const { window } = await fill(stage);
        for (const span of [hour, 40 * day]) {
          const past = { start_date: instantText(longAgo), end_date: instantText(longAgo + span) };
          for (const bucket of bucketWidths) {
            const summary = await summaryOf(stage.account, description, { ...past, bucket });
            stage.expect(summary.at("bucket"), `the bucket of ${span / hour} hours`).toBe(bucket);
          }
        }
        const earlier = instantText(momentOf(window.start_date)! - 9 * day);
        for (const start_date of [window.start_date, earlier]) {
          for (const bucket of bucketWidths) {
            const { summary, rows } = await summed(stage, description, { ...window, start_date, bucket });
            stage.expect(summary.at("bucket")).toBe(bucket);
            stage.expect(summary.at("buckets")).toHoldSomething();
            expectSpans(stage, description, summary, rows, microsIn[bucket]);
          }
        }
      },
    ),
    check(
      description.filters,
      `the filters of the query apply to its summary too: ${row}`,
      options,
      async (stage) => {
        const { window, filters } = await fill(stage);
        await expectFiltered(stage, description, window, filters);
      },
    ),
    check(
      description.filters,
      `with rows of every kind, the filters of the query apply to its summary: ${row}`,
      { needs: ["every_kind"] },
      async ({ everyKind, expect }) => {
        const account = everyKind();
        const rows = await wholeList(account, description.list);
        await expectFiltered({ account, expect }, description, daysOfAll(rows), [
          ...wordedQueries(description.list),
          // Some of these cut through a bucket.
          ...rows.slice(0, 5).map((row) => ({ end_date: justBefore(row) })),
        ]);
      },
    ),
    check(
      description.spans,
      `with rows of every kind, each bucket counts those in its span: ${row}`,
      { needs: ["every_kind"] },
      async ({ everyKind, expect }) => {
        const asking = { account: everyKind(), expect };
        const window = daysOfAll(await wholeList(asking.account, description.list));
        for (const bucket of bucketWidths) {
          const { summary, rows } = await summed(asking, description, { ...window, bucket });
          expectSpans(asking, description, summary, rows, microsIn[bucket]);
        }
      },
    ),
    ...windowChecks(description),
    samplesCheck(description, options, fill),
  ];
}

/** The checks of the default window and bucket. */
function windowChecks(description: Summary): Check[] {
  const { row, list, figures } = description;
  return [
    check(
      description.defaultWindow,
      `with rows of every kind, a summary without dates counts exactly those of its window: ${row}`,
      { needs: ["every_kind"] },
      async ({ everyKind, expect }) => {
        const account = everyKind();
        for (const filter of [{}, ...wordedQueries(list).slice(0, 1)]) {
          const summary = await summaryOf(account, description, filter);
          const rows = await wholeList(account, list, filter);
          const dates = [
            summary.at("start_date"),
            summary.at("end_date"),
            ...rows.map((row) => row.at("created_at")),
          ];
          const [start, end] = dates.map(({ value }) => momentOf(value));
          if (start === undefined || end === undefined || dates.some(({ value }) => isZoneless(value)))
            throw new Unverifiable("which rows are in the window is not known");
          expect((end - start) / second, "the seconds of the window").toBeBetween(86_398, 86_402);
          const slack = clocksApartSeconds * second;
          const within = (more: number): number =>
            rows.filter((row) => createdAt(row) >= start - more && createdAt(row) <= end + more).length;
          expect(
            summary.at(figures[0]!.path),
            `${figures[0]!.path} of ${queryText(filter) || "all rows"}`,
          ).toBeBetween(within(-slack), within(slack));
        }
      },
    ),
    check(
      description.defaultWindow,
      `a summary without dates covers the last 24 hours: ${row}`,
      async ({ account, expect }) => {
        const answer = await page(account, list, { summary: true, page_size: 1 });
        const summary = summaryIn(answer);
        const [start, end] = ["start_date", "end_date"].map((name) => momentOf(summary.at(name).value));
        if (start === undefined || end === undefined) {
          throw new Unverifiable("the summary does not name its window in a known form");
        }
        expect((end - start) / second, "the seconds of the window").toBeBetween(86_398, 86_402);
        const { before, after } = zonesApart(summary.at("end_date").value);
        const said = Date.parse(String(answer.header("date").value));
        const clocks = [answer.exchange.started_at, said].filter((time) => !Number.isNaN(time));
        const apart = clocks.map((time) => Math.max(end - before - 1000 * time, 1000 * time - end - after));
        expect(Math.min(...apart) / second, "the seconds between the window's end and now").toBeAtMost(
          clocksApartSeconds,
        );
        const ended = { summary: true, page_size: 1, end_date: instantText(end) };
        expect((await account.ask(list, { query: ended })).status, "the status with only an end").toBeStatus(
          200,
        );
      },
    ),
    check(
      description.defaultBucket,
      `a window of more than 3 days is summed by day, any other by hour, with or without an end: ${row}`,
      async ({ account, expect }) => {
        for (const [span, bucket] of [
          [hour, "hour"],
          [2 * day, "hour"],
          [3 * day, "hour"],
          [3 * day + hour, "day"],
          [40 * day, "day"],
        ] as const) {
          const window = { start_date: instantText(longAgo), end_date: instantText(longAgo + span) };
          const summary = await summaryOf(account, description, window);
          expect(summary.at("bucket"), `the bucket of ${span / hour} hours`).toBe(bucket);
        }
        expect((await summaryOf(account, description, {})).at("bucket")).toBe("hour");
        const since = instantText(1000 * Date.now() - 5 * day);
        const open = await summaryOf(account, description, { start_date: since });
        const [start, end] = ["start_date", "end_date"].map((name) => momentOf(open.at(name).value));
        if (start === undefined || end === undefined) return;
        expect(open.at("bucket")).toBe(end - start > 3 * day ? "day" : "hour");
      },
    ),
  ];
}

/** The check that the samples are the rows with the largest amounts. */
function samplesCheck(description: Summary, options: Options, fill: Fill): Check {
  const { samples, row } = description;
  return check(
    samples.largest,
    `${samples.path} are those of the largest amounts, at most limit of them`,
    { ...options, credits: 10 },
    async (stage) => {
      const { account, expect, profile, tool } = stage;
      const { window } = await fill(stage);
      for (const role of ["charged_decimal", "charged"] as const) {
        if (profile.tools[role]) await account.succeed(tool(role));
      }
      await account.settled();
      const consumed = { limit: 2, direction: description.list === "listLedger" ? "consume" : undefined };
      for (const query of [{ limit: 1 }, { limit: 2 }, { limit: 50 }, { limit: undefined }, consumed]) {
        const { summary, rows } = await summed(stage, description, { ...window, ...query });
        const { items } = summary.at(samples.path);
        const shown = items.map(samples.amount);
        if (shown.includes(undefined)) {
          await expectSamplesTell(stage, description, window);
          // The contract gives samples no fields, and an amount may be in words.
          throw new Unverifiable(`${samples.path} show no amount`);
        }
        // "`max_charge_items` (array)": nothing says that a row without an amount is among the largest.
        expect(items.length, `the ${samples.path} of ${queryText(query)}`).toBeBetween(
          rows.some((row) => (samples.amount(row) ?? 0) !== 0) ? 1 : 0,
          query.limit ?? defaultSample,
        );
        const amounts = rows.map((row) => samples.amount(row) ?? 0).sort((row, other) => other - row);
        const sorted = (shown as number[]).toSorted((one, other) => other - one);
        for (const [index, amount] of sorted.entries()) {
          expect(amount, `the amount of a sample ${row}`).toBeCredits(amounts[index] ?? 0);
        }
        expectNoStrangeSample(stage, summary, description, rows);
      }
    },
  );
}

/** Expects samples that show no amount to show something else of their rows: the contract does not show their fields. */
async function expectSamplesTell(asking: Asking, description: Summary, window: Query): Promise<void> {
  const { samples } = description;
  const { summary, rows } = await summed(asking, description, { ...window, limit: largestSample });
  const items = summary.at(samples.path).items.map(({ value }) => value);
  const largest = rows.toSorted((one, other) => (samples.amount(other) ?? 0) - (samples.amount(one) ?? 0));
  expectTelling(asking.expect, samples.path, items, largest.slice(0, items.length), samples.amount);
}
