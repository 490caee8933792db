import { createHash } from "node:crypto";
import { explained } from "./explained.ts";
import { html, raw, type Markup, type Part } from "./html-markup.ts";

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/**
 * A report as one HTML file that loads nothing else. Server data is only ever text, enforced by a content security
 * policy that admits style and scripts by hash.
 */
export function htmlPage({
  title,
  style,
  scripts,
  body,
}: {
  title: string;
  style: string;
  scripts: readonly string[];
  body: Markup;
}): string {
  const policy = `default-src 'none'; img-src data:; style-src ${hashOf(style)}; script-src ${scripts.map(hashOf).join(" ")}; base-uri 'none'; form-action 'none'`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:," />
        <title>${title}</title>
        ${raw(`<style>${style}</style>`)}
      </head>
      <body>
        ${body} ${scripts.map((script) => raw(`<script>${script}</script>`))}
      </body>
    </html> `.text;
}

/** Where a clause is explained: its page, if there is one, and the command, if a reader may lack the page. */
export function whereExplained(id: string): Markup {
  const { address, command, published } = explained(id);
  return html`${address !== null && html`<a href="${address}">explained</a> `}${
    published === null && html`<code>${command}</code>`
  }`;
}

/** The time, duration and subject of a run. */
export const runFacts = (
  { started_at, duration_ms }: { started_at: string; duration_ms: number },
  of: Readonly<Record<string, string>>,
): Markup => {
  const fact = (term: string, description: Part): Markup =>
    html`<div>
      <dt>${term}</dt>
      <dd>${description}</dd>
    </div> `;
  const when = started_at.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC");
  return html`<dl class="run">
    ${Object.entries(of).map(([term, description]) => fact(term, description))}
    ${fact("When", html`<time datetime="${started_at}">${when}</time>`)}
    ${fact("Duration", `${(duration_ms / 1000).toFixed(1)} s`)}
  </dl>`;
};
