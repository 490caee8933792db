import { plain } from "../../base/plain.ts";
import type { Paint } from "../../base/paint.ts";
import type { ReportedAnomaly } from "./anomalies.ts";
import {
  anomalyCount,
  headline,
  heldWords,
  identifying,
  judgedLine,
  type Reconciliation,
} from "./reconciliation.ts";

/** Anomalies of one kind that the terminal shows. */
const maxShown = 3;

/** A reconciliation for a terminal: each kind of anomaly with its first ones, what was held, and the sums. */
export function reconciliationText(report: Reconciliation, paint: Paint): string {
  const { credits, held, recording, window, version_note: note } = report;
  const kinds = Map.groupBy(report.anomalies, ({ kind }) => kind);
  return [
    ...(note === null ? [] : [note]),
    ...[...kinds].flatMap(([kind, some]) => kindLines(some, report.anomaly_counts[kind]!, paint)),
    "",
    ...(window === null ? [] : [`  ${window.start} to ${window.end}`]),
    `  settled ${inCredits(credits.settled)}, consumed ${inCredits(credits.consumed)}, granted ${inCredits(credits.granted)}`,
    ...held.map((read) => `  ${read.what}: ${plain(heldWords(read, report))}`),
    ...(recording === null ? [] : [`  recording: ${recordingWords(recording)}`]),
    paint(anomalyCount(report) > 0 ? "red" : "bold", headline(report)),
    judgedLine(report),
  ].join("\n");
}

function kindLines(some: readonly ReportedAnomaly[], count: number, paint: Paint): string[] {
  const [{ title, clause, level }] = some as [ReportedAnomaly];
  const more = count - Math.min(count, maxShown, some.length);
  return [
    "",
    `${paint(level === "must" ? "red" : "yellow", `✗ ${clause}`)} ${plain(title)}${count > 1 ? ` (${count})` : ""}`,
    ...some
      .slice(0, maxShown)
      .flatMap((anomaly) => [
        `    expected  ${plain(anomaly.expected)}`,
        `    received  ${plain(anomaly.received)}`,
        ...(idWords(anomaly) === "" ? [] : [paint("gray", `    ${plain(idWords(anomaly))}`)]),
      ]),
    ...(more > 0 ? [paint("gray", `    and ${more} more`)] : []),
  ];
}

/** What identifies an anomaly, in words. */
export const idWords = (anomaly: ReportedAnomaly): string =>
  identifying.flatMap((name) => (anomaly[name] === null ? [] : [`${name} ${anomaly[name]}`])).join(", ");

export const inCredits = (amount: number): string => `${Number(amount.toFixed(6))} credits`;

export const recordingWords = ({
  calls,
  found,
  lost,
  lost_charged,
  lost_credits,
}: NonNullable<Reconciliation["recording"]>): string =>
  `${found} of ${calls} answered Calls are in the books; of ${lost} whose answer was lost, ${lost_charged} were charged (${inCredits(lost_credits)})`;
