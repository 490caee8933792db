import { encoded } from "../../base/address.ts";
import { harOf } from "./har.ts";
import { whereExplained } from "./html-page.ts";
import { html, sentence, type Markup, type Part } from "./html-markup.ts";
import { cut, wireLines, wireTrace, type Ration } from "./html-trace.ts";
import { repeatOf, replayOf, type Report, type ReportedCheck, type ReportedClause } from "./report.ts";
import { marks } from "./marks.ts";
import { timeline } from "./timeline.ts";
import { areaOf } from "../judge/area.ts";
import type { Verdict } from "../judge/verdict.ts";

/** The input of the page's sections. */
export interface Page {
  report: Report;
  /** Clauses by id. */
  clauses: ReadonlyMap<string, ReportedClause>;
  /** The anchor of each check. Check ids contain slashes, which are awkward in a URL. */
  anchors: ReadonlyMap<ReportedCheck, string>;
  ration: Ration;
}

/** Symbol and word for a verdict. The style sheet adds colour, but the meaning never depends on it. */
export function verdictMark(verdict: Verdict): Markup {
  const { sign, word } = marks[verdict];
  return html`<span class="mark ${verdict}"><i aria-hidden="true">${sign}</i> ${word}</span>`;
}

/** A link to a clause, or its bare id when the report lacks the clause. */
export function clauseLink(id: string, { clauses }: Page): Markup {
  return clauses.has(id) ? html`<a class="id" href="#${id}">${id}</a>` : html`<span class="id">${id}</span>`;
}

/** The attributes the filter matches: areas and verdict. */
export const filterable = (clauseIds: readonly string[], verdict: Verdict): Markup =>
  html`data-areas="${[...new Set(clauseIds.map(areaOf))].join(" ")}" data-verdict="${verdict}"`;

/** A check that did not pass: what was expected, what was received, how to repeat it, and all its traffic. */
export function disappointment(check: ReportedCheck, page: Page): Markup {
  const others = check.clauses.slice(1);
  return html`<article
    class="card ${check.verdict}"
    id="${page.anchors.get(check)}"
    tabindex="-1"
    ${filterable(check.clauses, check.verdict)}
  >
    <h4>${verdictMark(check.verdict)} <span>${check.title}</span></h4>
    ${others.length > 0 && html`<p class="note">Speaks to ${spaced(others.map((id) => clauseLink(id, page)))} too.</p>`}
    <dl class="facts">
      ${
        check.expected === null
          ? html`<dt>because</dt>
              <dd class="text">${cut(check.reason ?? "no reason was given", 4_000)}</dd>`
          : html`<dt>expected</dt>
              <dd class="text">${cut(check.expected, 4_000)}</dd>
              <dt>received</dt>
              <dd class="text received">${cut(check.received ?? "nothing", 4_000)}</dd>`
      }
      ${
        check.note !== undefined &&
        html`<dt>note</dt>
          <dd class="text">${check.note}</dd>`
      }
    </dl>
    ${commands(check, page)} ${timeline(check.exchanges, check)} ${wireTrace(check, page.report, page.ration)}
  </article> `;
}

/** Commands that repeat it: curl for the exchange at fault, `--replay` for the whole check. */
function commands(check: ReportedCheck, { report }: Page): Markup {
  const culprit = check.culprit === null ? undefined : check.exchanges[check.culprit];
  const replay = replayOf(report, check);
  const repeat = repeatOf(culprit, report);
  return html`${
    repeat !== undefined &&
    (repeat.length > 8_000
      ? html`<p class="note">The request is too long to be pasted; its curl line is in conformance.json.</p>`
      : command("Repeat the request", repeat))
  }${replay !== null && command("Repeat the check", replay)}${
    check.script !== undefined && command("A script that shows it", check.script.shell)
  }${culprit && download(check)}`;
}

/** Longer recordings would make the page too large to open. */
const maxHar = 32_768;

/** A link that saves what led to a failure, for tools that read HAR. */
function download(check: ReportedCheck): Part {
  const har = JSON.stringify(harOf(check));
  if (har.length > maxHar) return null;
  const name = `${check.id.replaceAll("/", "-")}.har`;
  return html`<p class="note">
    <a download="${name}" href="data:application/json;charset=utf-8,${encoded(har)}">Save as HAR</a>
  </p>`;
}

/** A line for a terminal or a profile, with a copy button that appears when scripts run. */
export function command(label: string, line: string): Markup {
  return html`<div class="command">
    <p>${label}</p>
    <pre>${line}</pre>
    <button type="button" class="copy" hidden aria-label="Copy: ${label}">Copy</button>
  </div> `;
}

/** Text and source of a clause, and where it is explained. */
export function clauseText({ id, level, text, source }: ReportedClause): Markup {
  return html`<p class="clause-text"><b class="level">${level}</b> ${sentence(text)}</p>
    <p class="source">${source} · ${whereExplained(id)}</p> `;
}

/**
 * A check in the list of a clause: in full under the first clause that it cites; under the others, and when it is
 * listed among the problems, a link to it.
 */
export function checkRow(check: ReportedCheck, clauseId: string, page: Page): Markup {
  const anchor = page.anchors.get(check);
  const mark = verdictMark(check.verdict);
  if (isDisappointment(check)) {
    return html`<li>${mark} ${check.title} <a href="#${anchor}">what was received</a></li>`;
  }
  if (check.clauses[0] !== clauseId) {
    return html`<li>
      ${mark} ${check.title} <span class="quiet">under ${clauseLink(check.clauses[0]!, page)}</span>
    </li>`;
  }
  const reason: Part = check.reason !== null && html`<p class="text">${check.reason}</p>`;
  const trace =
    check.verdict === "pass" ? wireLines(check, page.report) : wireTrace(check, page.report, page.ration);
  if (!reason && !trace) return html`<li id="${anchor}">${mark} ${check.title}</li>`;
  return html`<li id="${anchor}">
    <details>
      <summary>${mark} ${check.title} <span class="quiet">${check.duration_ms} ms</span></summary>
      ${reason}${trace}
    </details>
  </li>`;
}

/** Whether a check is listed among the problems. */
export const isDisappointment = ({ verdict }: ReportedCheck): boolean =>
  verdict === "fail" || verdict === "error" || verdict === "warn" || verdict === "blocked";

/** Joins parts with spaces. */
export const spaced = (parts: readonly Markup[]): Markup =>
  html`${parts.map((part, index) => [index > 0 && " ", part])}`;
