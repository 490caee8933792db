import { onData } from "../changes/audit-query.ts";
import { variationsOf, type Body, type Change, type Variation } from "../changes/mutant.ts";
import { onSummary } from "./summary.mutants.ts";
import type { Summary } from "../books/summary.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const widthsMs = { day: dayMs, week: 7 * dayMs } as const;

/**
 * Days and weeks start at other times than midnight and Monday UTC: hourly sums are regrouped. The answer is that of
 * the hours as a whole, since rows may arrive between two reads.
 */
const regrouping = (list: Summary["list"], shiftMs: number, write: (start: number) => unknown): Change =>
  onData(list, async (data, { query, ask }) => {
    const summary = data["summary"] as Body | null | undefined;
    const width = widthsMs[summary?.["bucket"] as "day"];
    if (!summary || width === undefined) return;
    const read = await ask({ ...query, bucket: "hour" });
    const hours = read["summary"] as Body;
    const groups = Map.groupBy(hours["buckets"] as Body[], ({ bucket_start: at }) =>
      Math.floor((Date.parse(String(at)) + shiftMs) / width),
    );
    const buckets = [...groups].map(([group, members]) => ({
      ...members.reduce((sum, body) =>
        Object.fromEntries(
          Object.entries(sum).map(([name, value]) => [name, Number(value) + Number(body[name])]),
        ),
      ),
      bucket_start: write(group * width - shiftMs),
    }));
    Object.assign(data, read, { summary: { ...hours, bucket: summary["bucket"], buckets } });
  });

const isoOf = (start: number): string => new Date(start).toISOString();

/** Lawful summaries that the reference server does not give. */
export const summaryVariations = ({ list, row, samples }: Summary): Variation[] => {
  const kind = row === "event" ? "usage" : "ledger";
  const summaryRow = `${row === "event" ? "Usage" : "Ledger"} summary object`;
  return variationsOf({
    [`${summaryRow}: when a day begins is not stated`]: {
      [`starts the days and weeks of a ${kind} summary at 16:00 UTC, and labels them by their date`]:
        regrouping(list, 8 * hourMs, (start) => isoOf(start + 8 * hourMs).slice(0, 10)),
      [`starts the days of a ${kind} summary at 05:00 UTC`]: regrouping(list, -5 * hourMs, isoOf),
    },
    [`${summaryRow}: when a week begins is not stated`]: {
      [`starts the weeks of a ${kind} summary on Sunday`]: regrouping(list, 4 * dayMs, isoOf),
    },
    [`${summaryRow}: \`${samples.path}\` (array), what its members hold is not shown`]: {
      [`shows no ids in ${samples.path}`]: onSummary(list, (summary) => ({
        [samples.path]: (summary[samples.path] as Body[]).map(
          ({ id: _id, execution_id: _execution, ...item }) => item,
        ),
      })),
      [`writes ${samples.path} in words`]: onSummary(list, (summary) => ({
        [samples.path]: (summary[samples.path] as Body[]).map((_, index) => `number ${index + 1}`),
      })),
    },
  });
};
