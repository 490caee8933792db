import { whereExplained } from "../report/html-page.ts";
import { html, type Markup } from "../report/html-markup.ts";
import { reportPage } from "../report/report-page.ts";
import type { ReportedAnomaly } from "./anomalies.ts";
import { balancePicture } from "./balance-picture.ts";
import { anomalyCount, headline, heldWords, judgedLine, type Reconciliation } from "./reconciliation.ts";
import { idWords, inCredits, recordingWords } from "./text.ts";

/** Anomalies of one kind that the page shows; the CSV has the others. */
const maxShown = 100;

/** A reconciliation as one HTML file that works without scripts. */
export function reconciliationHtml(report: Reconciliation): string {
  const { counts, credits, window, held, recording, balances = [] } = report;
  const picture = balancePicture(balances);
  const kinds = [...Map.groupBy(report.anomalies, ({ kind }) => kind)];
  const [first] = kinds;
  return reportPage({
    kind: "Reconciliation of an account",
    verdict: headline(report),
    target: report.target,
    judged: [judgedLine(report)],
    first: first && { what: first[1][0]!.title, section: "failed" },
    run: report,
    facts: {
      Contract: report.contract_version,
      From: window?.start ?? "no rows",
      Until: window?.end ?? "no rows",
      Events: String(counts.events),
      Entries: String(counts.entries),
      Settled: inCredits(credits.settled),
      Consumed: inCredits(credits.consumed),
      Granted: inCredits(credits.granted),
    },
    sections: [
      {
        id: "failed",
        title: "Anomalies",
        count: anomalyCount(report),
        body: html`${kinds.length === 0 && html`<p class="nothing">Nothing was found.</p>`}
        ${kinds.map(([kind, some]) => card(kind, some, report.anomaly_counts[kind]!))}`,
      },
      picture && { id: "balance", title: "The balance against the ledger", body: picture },
      {
        id: "checked",
        title: "What was checked against the lists",
        body: html`<dl class="facts">
          ${held.map(
            (read) =>
              html`<dt>${read.what}</dt>
                <dd class="text">${heldWords(read, report)}</dd>`,
          )}
          ${
            recording !== null &&
            html`<dt>recording</dt>
              <dd class="text">${recordingWords(recording)}</dd>`
          }
        </dl>`,
      },
    ],
  });
}

function card(kind: string, some: readonly ReportedAnomaly[], count: number): Markup {
  const [{ title, clause, level }] = some as [ReportedAnomaly];
  return html`<article class="card ${level === "must" ? "fail" : "warn"}" id="${kind}">
    <h3>${title} <span class="count">${count}</span></h3>
    <p class="quiet">${clause}, ${level} ${whereExplained(clause)}</p>
    ${some.slice(0, maxShown).map(
      (anomaly) =>
        html`<dl class="facts">
          <dt>expected</dt>
          <dd class="text">${anomaly.expected}</dd>
          <dt>received</dt>
          <dd class="text received">${anomaly.received}</dd>
          <dt>rows</dt>
          <dd class="text">${idWords(anomaly)}</dd>
        </dl>`,
    )}
    ${count > maxShown && html`<p class="note">and ${count - maxShown} more: --csv lists them</p>`}
  </article> `;
}
