import { areaOf } from "../judge/area.ts";
import { verdicts, type Verdict } from "../judge/verdict.ts";
import {
  clauseLink,
  clauseText,
  command,
  disappointment,
  filterable,
  spaced,
  verdictMark,
  type Page,
} from "./html-checks.ts";
import { causesIn, saysMore, type Cause } from "./causes.ts";
import { declaredOff, missingOperations } from "./declared.ts";
import { everyClause, gravity, map, titleOf } from "./html-coverage.ts";
import { html, type Markup } from "./html-markup.ts";
import { readingsSection } from "./html-readings.ts";
import { specCoverage } from "./html-spec.ts";
import { bodiesOfAPage } from "./html-trace.ts";
import { judgedLine } from "./judged.ts";
import { isKnownFailure, isNew, knownWords } from "./known.ts";
import { reportPage, type PageSection } from "./report-page.ts";
import type { Report, ReportedCheck } from "./report.ts";
import { tallyOf } from "./tally.ts";
import { consequence, hashLine, partLine } from "./terminal.ts";

/** The report as one HTML file that works without scripts. */
export function htmlReport(report: Report): string {
  const page: Page = {
    report,
    clauses: new Map(report.clauses.map((clause) => [clause.id, clause])),
    anchors: new Map(report.checks.map((check, index) => [check, `check-${index + 1}`])),
    ration: { left: bodiesOfAPage },
  };
  const areas = [...Map.groupBy(report.clauses, ({ id }) => areaOf(id))];
  const causes = causesIn(report);
  const [first] = causes;
  const kept = report.clauses.filter(({ verdict }) => verdict === "pass").length;
  return reportPage({
    kind: "Conformance report",
    verdict: headline(report),
    target: report.target,
    counts: tallyOf(report).toSorted(
      (one, other) => gravity.indexOf(one.verdict) - gravity.indexOf(other.verdict),
    ),
    judged: [
      ...(report.part === undefined ? [] : [html`<b>Judged ${partLine(report)}.</b>`]),
      judgedLine(report),
      html`<b>${kept}</b> of ${counted(report.clauses.length, "clause")} verified`,
    ],
    first:
      first === undefined || first.verdict === "error"
        ? undefined
        : { what: first.what + consequence(first), section: "failed" },
    notes: [report.version_note, report.causes_note].filter((note) => note !== undefined),
    run: report,
    facts: {
      Contract: report.contract_version,
      Suite: report.suite_version,
      ...(report.requirements !== undefined && { Requirements: report.requirements }),
      "SHA-256": hashLine(report),
      ...(report.judged_before && { "First judged by suite": report.judged_before.suite_version }),
    },
    filter: filter(report, areas),
    sections: [
      failed(causes, page),
      unverified(page),
      ...setAside(page),
      map(areas),
      readingsSection(report.readings),
      specCoverage(report.coverage),
      everyClause(areas, page),
    ],
    footer: html`Every body that was cut here, and every exchange that was left out, is in
      <code>conformance.json</code>.`,
  });
}

/** A number with its noun. */
export const counted = (count: number, noun: string, many = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : many}`;

/** A one-sentence summary; never positive while anything is in doubt. */
function headline({ clauses, summary, part }: Report): string {
  const broken = clauses.filter(({ verdict }) => verdict === "fail").length;
  if (broken > 0) return `${counted(broken, "clause")} broken`;
  if (summary.fail > 0) return `${counted(summary.fail, "check")} failed`;
  if (summary.error > 0) return counted(summary.error, "internal error");
  if (summary.blocked > 0)
    return `Nothing failed, ${counted(summary.blocked, "check")} blocked: no failure explains why`;
  if (summary.pass === 0) return "Nothing was verified";
  const inPart = part === undefined ? "" : " in this part of the suite";
  if (summary.unverified > 0)
    return `Nothing failed${inPart}, ${counted(summary.unverified, "check")} unverified`;
  return `Nothing failed${inPart}`;
}

function filter({ checks, clauses }: Report, areas: readonly [string, unknown][]): Markup {
  const seen = new Set([...checks, ...clauses].map(({ verdict }) => verdict));
  return html`<form class="filter" role="search" aria-label="Filter" hidden>
    <label class="words"
      >Text <input type="search" name="text" autocomplete="off" spellcheck="false"
    /></label>
    <label
      >Area
      <select name="area">
        <option value="">all</option>
        ${areas.map(([area]) => html`<option value="${area}">${area} ${titleOf(area)}</option>`)}
      </select></label
    >
    <fieldset>
      <legend>Verdict</legend>
      ${verdicts
        .filter((verdict) => seen.has(verdict))
        .map(
          (verdict) =>
            html`<label class="pick"
              ><input type="checkbox" name="verdict" value="${verdict}" /> ${verdictMark(verdict)}</label
            >`,
        )}
    </fieldset>
    <p class="found"><output></output> <button type="reset">Show all</button></p>
  </form>`;
}

/** What to fix, the biggest cause first. */
function failed(causes: readonly Cause[], page: Page): PageSection {
  const checks = new Map(page.report.checks.map((check) => [check.id, check]));
  const missing = missingOperations(causes);
  return {
    id: "failed",
    title: "What to fix",
    count: causes.length,
    lead: causes.length > 1 && "What blocks most comes first.",
    body: html`${causes.length === 0 && html`<p class="nothing">Nothing failed.</p>`}
    ${
      missing.length > 1 &&
      command(
        `${missing.length} operations are not served. If that is intended for now, the profile says so`,
        declaredOff(missing).join("\n"),
      )
    }
    ${causes.map((cause) => causeSection(cause, checks, page))}`,
  };
}

/** One cause: the finding that shows it best, then the others that failed for it, then the checks that wait for it. */
function causeSection(cause: Cause, checks: ReadonlyMap<string, ReportedCheck>, page: Page): Markup {
  const lead = checks.get(cause.lead)!;
  const id = lead.clauses[0] ?? "";
  const clause = page.clauses.get(id);
  const listed = (ids: readonly string[]): ReportedCheck[] =>
    ids.filter((id) => id !== cause.lead).map((id) => checks.get(id)!);
  const [others, waiting] = [listed(cause.checks), listed(cause.blocks)];
  return html`<section class="group" data-group>
    <h3>${clauseLink(id, page)} ${saysMore(cause, lead) && cause.what}</h3>
    ${clause && clauseText(clause)}${disappointment(lead, page)}
    ${cause.declare !== undefined && command("If that is intended for now: a line of the profile", cause.declare)}
    ${
      others.length > 0 &&
      html`<details class="also" data-print>
        <summary>${counted(others.length, "more check")} failed for this</summary>
        ${others.map((check) => disappointment(check, page))}
      </details>`
    }
    ${
      waiting.length > 0 &&
      html`<details class="also">
        <summary>
          ${counted(waiting.length, "check waits", "checks wait")} for this: what they would find is hidden
          until then
        </summary>
        <ul class="checks">
          ${waiting.map(
            (check) =>
              html`<li id="${page.anchors.get(check)}" ${filterable(check.clauses, check.verdict)}>
                ${verdictMark(check.verdict)}
                ${spaced(check.clauses.map((clause) => clauseLink(clause, page)))} ${check.title}
                <span class="quiet">${check.reason}</span>
              </li> `,
          )}
        </ul>
      </details>`
    }
  </section> `;
}

/** What could not be verified, grouped by remedy. */
function unverified(page: Page): PageSection {
  const open = page.report.checks.filter(({ verdict }) => verdict === "unverified");
  const groups = [...Map.groupBy(open, ({ remedy, reason }) => remedy ?? `\n${reason ?? ""}`)];
  return {
    id: "unverified",
    title: "Unverified",
    count: open.length,
    lead: "Neither right nor wrong: something was missing. A line in the profile verifies most of it.",
    body: html`${open.length === 0 && html`<p class="nothing">Every check came to a verdict.</p>`}
    ${groups.map(([, checks]) => withheld("unverified", checks, page))}`,
  };
}

/** What fails and may do so for a while, with why and until when; then what is newer than the requirements. */
const setAside = (page: Page): (PageSection | null)[] => {
  const { checks, requirements } = page.report;
  return [
    aside("known", "Known failures", checks.filter(isKnownFailure), page),
    aside("new", `New since ${requirements}: fails nothing`, checks.filter(isNew), page),
  ];
};

const aside = (
  id: string,
  title: string,
  checks: readonly ReportedCheck[],
  page: Page,
): PageSection | null =>
  checks.length === 0
    ? null
    : {
        id,
        title,
        count: checks.length,
        body: [...Map.groupBy(checks, ({ known }) => knownWords(known!))].map(([why, alike]) =>
          withheld(alike[0]!.verdict, alike, page, why),
        ),
      };

/** Checks without a verdict, for one reason. */
function withheld(verdict: Verdict, checks: readonly ReportedCheck[], page: Page, why?: string): Markup {
  const { remedy } = checks[0]!;
  const reasons =
    why !== undefined
      ? [why]
      : [...new Set(checks.map(({ reason }) => reason).filter((reason) => reason !== null))];
  return html`<article class="card ${verdict}" data-group>
    <h3>${verdictMark(verdict)} <span>${reasons.slice(0, 3).join("; ") || "no reason was given"}</span></h3>
    ${remedy !== null && command("A line of the profile that would verify it", remedy)}
    <ul class="checks">
      ${checks.map(
        (check) =>
          html`<li ${filterable(check.clauses, verdict)}>
            ${spaced(check.clauses.map((id) => clauseLink(id, page)))} ${check.title}
          </li> `,
      )}
    </ul>
  </article> `;
}
