import type { Choice } from "../judge/observer.ts";
import { html, sentence, type Markup } from "./html-markup.ts";
import type { PageSection } from "./report-page.ts";

/**
 * The server's choices where the contract leaves one open: a client developer can rely on them here, but not elsewhere.
 */
export function readingsSection(choices: readonly Choice[]): PageSection | null {
  if (choices.length === 0) return null;
  return {
    id: "readings",
    title: "Observed choices",
    count: choices.length,
    lead: `The contract leaves these questions open, or answers them in two ways. Every answer is lawful; another
      server may give another one. A profile can pin an answer, which makes it an obligation of this server.`,
    body: [...Map.groupBy(choices, ({ title }) => title)].map(
      ([title, ofTitle]) =>
        html`<details class="area" data-print>
          <summary>${title} <span class="quiet">${ofTitle.length}</span></summary>
          <dl class="choices">${ofTitle.map(choiceEntry)}</dl>
        </details> `,
    ),
  };
}

const choiceEntry = ({ reading, question, answers, pinned }: Choice): Markup =>
  html`<div id="${reading}">
    <dt><span class="id">${reading}</span> ${sentence(question)}</dt>
    ${answers.map(
      ({ answer, meaning, exchanges }) =>
        html`<dd>
          ${sentence(meaning)}
          <span class="quiet"
            ><code>${answer}</code>, ${exchanges}
            ${exchanges === 1 ? "exchange" : "exchanges"}${
              answer === pinned && ", promised by the profile"
            }</span
          >
        </dd> `,
    )}
  </div> `;
