import type { Coverage } from "./coverage.ts";
import { html } from "./html-markup.ts";
import type { PageSection } from "./report-page.ts";

const kinds = [
  ["status", "statuses of operations"],
  ["header", "headers of their answers"],
  ["value", "values of charge outcome, reason code, event type and entry type"],
] as const;

/** The documented points and how many were observed; lists those that were not, reachable and unreachable. */
export function specCoverage({ counts, unseen, unreachable }: Coverage): PageSection {
  const reasons = [...Map.groupBy(unreachable, ({ reason }) => reason)];
  return {
    id: "spec",
    title: "Coverage of the spec",
    lead: "Counted from the OpenAPI document, as this run saw it; what the contract leaves open is not counted.",
    body: html`<ul class="points">
        ${kinds.map(([kind, words]) => {
          const { documented, observed, unreachable: out } = counts[kind];
          return html`<li><b>${observed} of ${documented - out}</b> <span>${words}</span></li> `;
        })}
      </ul>
      ${
        unseen.length > 0 &&
        html`<details data-print>
          <summary>${unseen.length} within reach that this run did not see</summary>
          <ul>
            ${unseen.map((point) => html`<li><code>${point}</code></li> `)}
          </ul>
        </details>`
      }
      ${
        reasons.length > 0 &&
        html`<details data-print>
          <summary>${unreachable.length} out of reach from outside</summary>
          <ul>
            ${reasons.map(
              ([reason, points]) =>
                html`<li>${reason} ${points.map(({ point }) => html`<code>${point}</code> `)}</li> `,
            )}
          </ul>
        </details>`
      }`,
  };
}
