import { areaTitles, clauses as contractClauses } from "../../generated/clauses.ts";
import type { Verdict } from "../judge/verdict.ts";
import { areaOf } from "../judge/area.ts";
import { checkRow, clauseText, filterable, verdictMark, type Page } from "./html-checks.ts";
import { html, type Markup } from "./html-markup.ts";
import { marks } from "./marks.ts";
import type { PageSection } from "./report-page.ts";
import type { ReportedCheck, ReportedClause } from "./report.ts";

/** Worst first: the order in which the page counts and sorts. */
export const gravity: readonly Verdict[] = [
  "fail",
  "error",
  "blocked",
  "warn",
  "unverified",
  "known",
  "pass",
  "not_applicable",
];

/** Why no check or rule covers a clause, if the contract's list of clauses says so. */
const whyUnseen: ReadonlyMap<string, string> = new Map(
  contractClauses.flatMap(({ id, seen }) =>
    typeof seen === "object" && "not_observable" in seen ? [[id, seen.not_observable] as const] : [],
  ),
);

/** The titles of the areas, by the prefix of their clauses' ids. */
const titles: ReadonlyMap<string, string> = new Map(
  contractClauses.map(({ id, area }) => [areaOf(id), areaTitles[area]]),
);

/** The title of an area; empty when the contract has no such area. */
export const titleOf = (area: string): string => titles.get(area) ?? "";

/** The map: a row for each area, with a cell for each clause that links to it. */
export const map = (areas: readonly [string, readonly ReportedClause[]][]): PageSection => ({
  id: "map",
  title: "Coverage",
  lead: "A cell is a clause, and leads to it.",
  body: html`<ul class="legend">
      ${gravity.map((verdict) => html`<li>${verdictMark(verdict)}</li>`)}
    </ul>
    <p><a class="skip" href="#clauses">Skip the map</a></p>
    <div class="map">
      ${areas.map(
        ([area, clauses]) =>
          html`<div class="row" data-row>
            <h3>
              <a href="#area-${area}">${titleOf(area) || area}</a> <span class="quiet">${kept(clauses)}</span>
            </h3>
            <p>
              ${clauses.map(({ id, verdict, text }) => html`<a class="cell ${verdict}" href="#${id}" aria-label="${id}, ${marks[verdict].word}: ${text.replaceAll("`", "")}">${marks[verdict].sign}</a>`)}
            </p>
          </div> `,
      )}
    </div>`,
});

const kept = (clauses: readonly ReportedClause[]): string =>
  `${clauses.filter(({ verdict }) => verdict === "pass").length} of ${clauses.length}`;

/** Every clause with its checks, by area; an area with a clause that did not pass is expanded. */
export function everyClause(areas: readonly [string, readonly ReportedClause[]][], page: Page): PageSection {
  const speaking = new Map<string, ReportedCheck[]>();
  for (const check of page.report.checks) {
    for (const id of check.clauses) speaking.set(id, [...(speaking.get(id) ?? []), check]);
  }
  return {
    id: "clauses",
    title: "Every clause",
    count: page.report.clauses.length,
    body: areas.map(
      ([area, clauses]) =>
        html`<details
          class="area"
          id="area-${area}"
          data-group
          data-print${clauses.some(({ verdict }) => verdict !== "pass" && verdict !== "not_applicable") && html` open`}
        >
          <summary>
            <h3>${titleOf(area) || area}</h3>
            <span class="quiet">${area}, ${kept(clauses)} verified</span>
          </summary>
          ${clauses.map((clause) => clauseEntry(clause, speaking.get(clause.id) ?? [], page))}
        </details> `,
    ),
  };
}

function clauseEntry(clause: ReportedClause, checks: readonly ReportedCheck[], page: Page): Markup {
  return html`<article
    class="clause ${clause.verdict}"
    id="${clause.id}"
    tabindex="-1"
    ${filterable([clause.id], clause.verdict)}
  >
    <h4>${verdictMark(clause.verdict)} <span class="id">${clause.id}</span></h4>
    ${clauseText(clause)}${
      checks.length === 0
        ? html`<p class="note">No check of this run covers it. ${whyUnseen.get(clause.id)}</p>`
        : html`<ul class="checks">
            ${checks.map((check) => checkRow(check, clause.id, page))}
          </ul>`
    }
  </article> `;
}
