import { html, raw, type Markup, type Part } from "./html-markup.ts";
import { htmlPage, runFacts } from "./html-page.ts";
import { script } from "./html-script.ts";
import { style } from "./html-style.ts";
import { marks } from "./marks.ts";
import type { Verdict } from "../judge/verdict.ts";

/** A count of the first screen. */
export interface PageCount {
  verdict: Verdict;
  count: number;
  words: string;
}

/** A section of a page, in the order in which it is read. */
export interface PageSection {
  id: string;
  title: string;
  /** How many things it lists, or a few words. */
  count?: number | string;
  lead?: Part;
  body: Part;
}

/** What any report says as a page: the first screen, then its sections. */
export interface ReportPage {
  /** What the page is, such as "Load report: soak". */
  kind: string;
  /** The verdict in a sentence. */
  verdict: string;
  /** What was judged: an address, a command, or the names of reports. */
  target: string;
  counts?: readonly PageCount[];
  /** What was judged and what was not, in a sentence each. */
  judged: readonly Part[];
  /** What to fix first, with the section that shows it. */
  first?: { what: Part; section: string } | undefined;
  notes?: readonly Part[];
  run: { started_at: string; duration_ms: number };
  /** Facts of the run, by name. */
  facts: Readonly<Record<string, string>>;
  /** The form above the sections. */
  filter?: Markup;
  sections: readonly (PageSection | null)[];
  footer?: Part;
  /** Libraries that draw what `figures` holds. */
  libraries?: { styles: readonly string[]; scripts: readonly string[]; figures: string };
}

/** A report as one HTML file: verdict, what was judged and what to fix first, then everything else. */
export function reportPage(page: ReportPage): string {
  const { kind, verdict, target, filter, footer, libraries } = page;
  const sections = page.sections.filter((section) => section !== null);
  return htmlPage({
    title: `${verdict} · ${kind} · ${target}`,
    style: [style, ...(libraries?.styles ?? [])].join("\n"),
    scripts: [...(libraries?.scripts ?? []), script],
    body: html`<a class="skip" href="#${sections[0]?.id ?? "top"}">Skip to the findings</a>
      ${firstScreen(page, sections)}
      <main>${filter} ${sections.map(sectionOf)}</main>
      ${footer && html`<footer><p>${footer}</p></footer>`}
      ${libraries && raw(`<script type="application/json" id="figures">${libraries.figures}</script>`)}`,
  });
}

function firstScreen(page: ReportPage, sections: readonly PageSection[]): Markup {
  const { kind, verdict, target, counts = [], judged, first, notes = [], run, facts } = page;
  return html`<header id="top">
    <p class="eyebrow">${kind}</p>
    <h1>${verdict}</h1>
    <p class="target">${target}</p>
    ${first && html`<p class="first"><b>Fix first:</b> <a href="#${first.section}">${first.what}</a></p>`}
    ${
      counts.length > 0 &&
      html`<ul class="counts" aria-label="Counts">
        ${counts.map(
          (count) =>
            html`<li class="${count.verdict}">
              <b>${count.count}</b>
              <span><i aria-hidden="true">${marks[count.verdict].sign}</i> ${count.words}</span>
            </li> `,
        )}
      </ul>`
    }
    ${judged.map((words) => html`<p class="kept">${words}</p>`)}
    ${
      notes.length > 0 &&
      html`<ul class="notes">
        ${notes.map((note) => html`<li>${note}</li> `)}
      </ul>`
    }
    ${runFacts(run, facts)}
    ${sections.length > 1 && html`<nav aria-label="Sections">${sections.map(({ id, title }) => html`<a href="#${id}">${title}</a> `)}</nav>`}
  </header>`;
}

const sectionOf = ({ id, title, count, lead, body }: PageSection): Markup =>
  html`<section id="${id}" tabindex="-1">
    <h2>${title} ${count !== undefined && html`<span class="count">${count}</span>`}</h2>
    ${lead && html`<p class="lead">${lead}</p>`}${body}
  </section> `;
