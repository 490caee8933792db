import { whereExplained, htmlPage, runFacts } from "../report/html-page.ts";
import { html, type Markup } from "../report/html-markup.ts";
import { style } from "../report/html-style.ts";
import type { ReportedAnomaly } from "./anomalies.ts";
import { anomalyCount, headline, heldWords, judgedLine, type Reconciliation } from "./reconciliation.ts";
import { idWords, inCredits, recordingWords } from "./text.ts";

/** Anomalies of one kind that the page shows; the CSV has the others. */
const maxShown = 100;

/** A reconciliation as one HTML file that works without scripts. */
export function reconciliationHtml(report: Reconciliation): string {
  const { counts, credits, window, held, recording } = report;
  const kinds = [...Map.groupBy(report.anomalies, ({ kind }) => kind)];
  return htmlPage({
    title: `${headline(report)} · ${report.target}`,
    style,
    scripts: [],
    body: html`<header>
        <p class="eyebrow">An account's books</p>
        <h1>${headline(report)}</h1>
        <p class="target">${report.target}</p>
        <p class="kept">${judgedLine(report)}</p>
        ${runFacts(report, {
          Contract: report.contract_version,
          From: window?.start ?? "no rows",
          Until: window?.end ?? "no rows",
          Events: String(counts.events),
          Entries: String(counts.entries),
          Settled: inCredits(credits.settled),
          Consumed: inCredits(credits.consumed),
          Granted: inCredits(credits.granted),
        })}
      </header>
      <main>
        <section id="failed">
          <h2>Anomalies <span class="count">${anomalyCount(report)}</span></h2>
          ${kinds.length === 0 && html`<p class="nothing">Nothing was found.</p>`}
          ${kinds.map(([kind, some]) => card(kind, some, report.anomaly_counts[kind]!))}
        </section>
        <section>
          <h2>What was checked against the lists</h2>
          <dl class="facts">
            ${held.map(
              (one) =>
                html`<dt>${one.what}</dt>
                  <dd class="text">${heldWords(one, report)}</dd>`,
            )}
            ${
              recording !== null &&
              html`<dt>recording</dt>
                <dd class="text">${recordingWords(recording)}</dd>`
            }
          </dl>
        </section>
      </main>`,
  });
}

function card(kind: string, some: readonly ReportedAnomaly[], count: number): Markup {
  const [{ title, clause, level }] = some as [ReportedAnomaly];
  return html`<article class="card ${level === "must" ? "fail" : "warn"}" id="${kind}">
    <h4>${title} <span class="count">${count}</span></h4>
    <p class="quiet">${clause}, ${level} ${whereExplained(clause)}</p>
    ${some.slice(0, maxShown).map(
      (one) =>
        html`<dl class="facts">
          <dt>expected</dt>
          <dd class="text">${one.expected}</dd>
          <dt>received</dt>
          <dd class="text received">${one.received}</dd>
          <dt>rows</dt>
          <dd class="text">${idWords(one)}</dd>
        </dl>`,
    )}
    ${count > maxShown && html`<p class="note">and ${count - maxShown} more: --csv lists them</p>`}
  </article> `;
}
