import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { clauseOf } from "../../conformance/judge/clauses.ts";
import { curlOf } from "../../conformance/judge/exchange.ts";
import { limitedOperations } from "../../generated/contract.ts";
import { pictureOf } from "../../conformance/books/history/picture.ts";
import { html, raw, sentence, type Markup } from "../../conformance/report/html-markup.ts";
import { whereExplained } from "../../conformance/report/html-page.ts";
import { reportPage, type PageSection } from "../../conformance/report/report-page.ts";
import { marks } from "../../conformance/report/marks.ts";
import type { Finding } from "../judgement.ts";
import { kindNotes, limitTable } from "./limit-facts.ts";
import { counted, countsOf, measuredWords, judgedLine, verdictOf, type LoadReport } from "./load-report.ts";
import { plots } from "./plots.ts";
import { latencyHead, stepRows } from "./terminal.ts";
import { windowCourse } from "./window-course.ts";

/** The number of characters of an answer's body shown in a card. */
const maxBodyChars = 2_000;
/** The most points of a window plot; more would overlap. */
const maxPoints = 20_000;

/** The report as one HTML file that includes the plotting library (uPlot, MIT). */
export function htmlReport(report: LoadReport): string {
  const { scenario, target, notes, warnings = [], judged, expected, failed, findings: found } = report;
  const { faults, warnings: warned } = countsOf(found);
  const [first] = found;
  const broken = report.thresholds.find(({ kept }) => !kept);
  return reportPage({
    kind: `Load report: ${scenario}`,
    verdict: headline(report),
    target,
    counts: [
      { verdict: "not_applicable", count: expected, words: "expected answers" },
      { verdict: "not_applicable", count: judged, words: "exchanges judged" },
      { verdict: faults > 0 ? "fail" : "pass", count: faults, words: faults === 1 ? "fault" : "faults" },
      ...(warned > 0
        ? [{ verdict: "warn" as const, count: warned, words: warned === 1 ? "warning" : "warnings" }]
        : []),
      { verdict: failed > 0 ? "fail" : "pass", count: failed, words: "requests failed" },
    ],
    judged: [judgedLine(report)],
    first: first
      ? {
          what: `${first.title}: expected ${first.expected}, received ${first.received}`,
          section: "findings",
        }
      : broken && { what: `${broken.text}: ${measuredWords(broken)}`, section: "conditions" },
    notes: [...warnings.map((warning) => html`<b>${marks.warn.sign}</b> ${warning}`), ...notes],
    run: report,
    facts: { Contract: report.contract_version },
    sections: [
      limits(report),
      thresholds(report),
      findings(report),
      windows(report),
      latency(report),
      course(report),
      memory(report),
    ],
    libraries: {
      styles: [readLibrary("uplot/dist/uPlot.min.css")],
      scripts: [readLibrary("uplot/dist/uPlot.iife.min.js"), plots],
      figures: figuresOf(report),
    },
  });
}

const require = createRequire(import.meta.url);
const readLibrary = (file: string): string => readFileSync(require.resolve(file), "utf8");
/** The verdict as a headline. */
const headline = (report: LoadReport): string =>
  verdictOf(report).replace(/^[a-z]/, (letter) => letter.toUpperCase());

function thresholds({ thresholds: held }: LoadReport): PageSection | null {
  if (held.length === 0) return null;
  return {
    id: "conditions",
    title: "Conditions",
    body: html`<ul class="checks">
      ${held.map((threshold) => {
        const { text, kept } = threshold;
        const verdict = kept ? "pass" : "fail";
        return html`<li class="${verdict}">
          <span class="mark"
            ><i aria-hidden="true">${marks[verdict].sign}</i> ${kept ? "met" : "not met"}</span
          >
          <code>${text}</code> ${measuredWords(threshold)}
        </li> `;
      })}
    </ul>`,
  };
}

function findings({ findings: found }: LoadReport): PageSection {
  const { faults, warnings } = countsOf(found);
  return {
    id: "findings",
    title: "Findings",
    count: `${counted(faults, "fault")}, ${counted(warnings, "warning")}`,
    body: found.length === 0 ? html`<p class="nothing">Every answer kept the contract.</p>` : found.map(card),
  };
}

function card({
  name,
  clauses,
  verdict,
  title,
  expected,
  received,
  count,
  exchanges,
  history,
}: Finding): Markup {
  const [first] = exchanges;
  const body = first?.response?.body ?? "";
  return html`<article class="card ${verdict}">
    <h3>
      <span class="mark"><i aria-hidden="true">${marks[verdict].sign}</i> ${marks[verdict].word}</span>
      ${title}
    </h3>
    <p class="note"><code>${name}</code></p>
    <dl class="facts">
      ${clauses.map(
        (id) =>
          html`<dt class="id">${id}</dt>
            <dd>${sentence(clauseOf(id).text)} <span class="note">${whereExplained(id)}</span></dd> `,
      )}
      <dt>expected</dt>
      <dd>${expected}</dd>
      <dt>received</dt>
      <dd class="received">${received}${count > 1 ? `; ${count} times` : ""}</dd>
      ${
        history &&
        html`<dt>lawful</dt>
          <dd>${history.lawful}</dd>`
      }
    </dl>
    ${history && html`<div class="history">${raw(pictureOf(history.bars))}</div>`}
    ${
      first &&
      html`<details class="trace">
        <summary>An answer that shows it: ${first.response?.status ?? "none"}</summary>
        <pre>${curlOf(first)}</pre>
        <pre class="headers">
${Object.entries(first.response?.headers ?? {})
            .map(([header, value]) => `${header}: ${value}`)
            .join("\n")}</pre>
        <pre class="body">${body.slice(0, maxBodyChars)}${body.length > maxBodyChars ? "…" : ""}</pre>
      </details>`
    }
  </article>`;
}

const figure = (id: string, caption: string): Markup =>
  html`<figure id="${id}">
    <figcaption>${caption}</figcaption>
    <div class="plot"></div>
  </figure> `;

/** The first table: the observations of each limit. */
function limits({ limits: facts = [] }: LoadReport): PageSection | null {
  if (facts.length === 0) return null;
  const { head, rows } = limitTable(facts);
  return {
    id: "limits",
    title: "Limits",
    body: html`<div class="figures limits" tabindex="0" role="region" aria-label="Limits">
        <table>
          <thead>
            <tr>
              ${head.map((name) => html`<th>${name}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${rows.map(
              (row) =>
                html`<tr>
                  ${row.map((cell, column) =>
                    column === 0
                      ? html`<th scope="row">${cell}</th>`
                      : html`<td class="${cell.startsWith("NO") ? "bad" : ""}">${cell}</td>`,
                  )}
                </tr> `,
            )}
          </tbody>
        </table>
      </div>
      <ul class="notes">
        ${kindNotes(facts).map(({ operations, words }) => html`<li><b>${operations}</b>: ${words}</li> `)}
      </ul>`,
  };
}

const operationsOf = ({ windows: seen }: LoadReport): string[] =>
  limitedOperations.filter((operation) => seen?.points.some((point) => point.operation === operation));

function windows(report: LoadReport): PageSection | null {
  if (report.windows === null) return null;
  return {
    id: "windows",
    title: "Windows",
    lead: `Declared to be ${report.windows.seconds} seconds long. A dashed vertical line marks where a window ends by its
      X-RateLimit-Reset, which stores in Redis give a second apart.`,
    body: operationsOf(report).map(
      (operation) =>
        html`<h3>${operation}</h3>
          ${figure(
            `window-${operation}`,
            "Requests that the window of the account under load had admitted, against the quota. A point is a request refused.",
          )}
          ${figure(`remaining-${operation}`, "X-RateLimit-Remaining of every answer, by account.")}`,
    ),
  };
}

function latency({ steps }: LoadReport): PageSection {
  const row = ({ cells, isPart }: ReturnType<typeof stepRows>[number]): Markup =>
    html`<tr class="${isPart ? "part" : ""}">
      ${cells.map((cell, column) =>
        column === 0
          ? html`<th scope="row">${cell}</th>`
          : html`<td class="${cell.endsWith("?") ? "doubtful" : ""}">${cell}</td>`,
      )}
    </tr> `;
  return {
    id: "latencies",
    title: "Latency",
    body: html`${figure(
        "latency",
        "How long each share of the expected answers took at most. Solid: as fast as the connections allow; dashed: at a given rate. Both axes are logarithmic: each step to the right leaves a tenth of the answers.",
      )}
      <div class="figures" tabindex="0" role="region" aria-label="Latency">
        <table>
          <thead>
            <tr>
              <th>milliseconds</th>
              ${latencyHead.map((name) => html`<th>${name}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${steps.flatMap(stepRows).map(row)}
          </tbody>
        </table>
      </div>
      <p class="note">
        A step's own row counts the expected responses; other responses are listed below it by status. A
        question mark means that fewer than ten answers are beyond a percentile.
      </p>`,
  };
}

function course({ seconds }: LoadReport): PageSection | null {
  if (seconds.length < 2) return null;
  return {
    id: "throughput",
    title: "Throughput",
    body: html`${figure("course", "Answers a second over time. A vertical line marks where a part of the load begins.")}
    ${figure("late", "Latency over time, on a logarithmic axis.")}`,
  };
}

function memory({ memory: course }: LoadReport): PageSection | null {
  if (course === null) return null;
  return { id: "memory-use", title: "Memory", body: figure("memory", "What the server's process holds.") };
}

/** The data of the plots, as JSON that cannot close its script element. */
function figuresOf(report: LoadReport): string {
  const { seconds, steps, phases = [], windows: seen, memory: course } = report;
  const grain =
    seconds.length < 2
      ? 1
      : Math.min(...seconds.slice(1).map(({ at }, index) => (at - seconds[index]!.at) / 1000));
  const points = seen?.points ?? [];
  const every = Math.ceil(points.length / maxPoints);
  const times = [...points, ...seconds].map(({ at }) => at);
  const began = times.length === 0 ? Date.now() : times.reduce((one, other) => Math.min(one, other));
  return JSON.stringify({
    began,
    grain,
    seconds,
    phases,
    steps: steps.map(({ step, curve }) => ({ step, curve })),
    operations: operationsOf(report),
    windows: seen && { ...seen, points: points.filter((_, index) => index % every === 0) },
    courses: Object.fromEntries(
      operationsOf(report).map((operation) => [operation, courseOf(report, operation)]),
    ),
    memory: course ?? [],
  }).replaceAll("<", "\\u003c");
}

/** The kinds whose windows restart with a whole quota. */
const fixedKinds = ["aligned", "first-request", "fixed"];

/** How full the window of the account under load was, and its quota. */
function courseOf({ windows: seen, limits: facts = [] }: LoadReport, operation: string) {
  const accounts = Map.groupBy(
    seen!.points.filter((point) => point.operation === operation),
    ({ account }) => account,
  );
  const [main] = [...accounts.values()].sort((one, other) => other.length - one.length);
  const known = facts.find((fact) => fact.operation === operation);
  const fixed = fixedKinds.includes(known?.kind ?? seen!.kind);
  return { ...windowCourse(main!, seen!.seconds, fixed), quota: known?.declared?.quota ?? null };
}
