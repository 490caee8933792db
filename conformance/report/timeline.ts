import { html, type Markup } from "./html-markup.ts";
import type { ReportedExchange } from "./report.ts";

/** Rows of a timeline, the last ones, and characters of a label. */
const maxRows = 14;
const maxLabel = 46;

const width = 720;
const left = 300;
const rowHeight = 20;
const top = 22;

/** What a timeline shows of its exchanges. */
interface Shown {
  /** Index of the exchange at fault. */
  culprit: number | null;
  /** Also shows what the client does between its requests. */
  withClient?: boolean;
}

/**
 * Exchanges in time as SVG: a bar from each request to its response, and for a client a lane with the time between them.
 * @returns nothing for a single exchange
 */
export function timeline(
  exchanges: readonly ReportedExchange[],
  { culprit, withClient = false }: Shown,
): Markup | null {
  if (exchanges.length < 2) return null;
  const end = culprit === null ? exchanges.length : Math.min(exchanges.length, culprit + 2);
  const from = Math.max(0, end - maxRows);
  const rows = exchanges.slice(from, end).map((exchange, index) => {
    const began = Date.parse(exchange.started_at);
    return { exchange, began, ended: began + exchange.duration_ms, isCulprit: from + index === culprit };
  });
  const first = Math.min(...rows.map(({ began }) => began));
  const span = Math.max(1, ...rows.map(({ ended }) => ended - first));
  const x = (at: number): number => left + ((at - first) / span) * (width - left - 8);
  const lanes = withClient ? 1 : 0;
  const y = (row: number): number => top + (row + lanes) * rowHeight;
  const bar = (kind: string, begin: number, finish: number, row: number): Markup =>
    html`<rect
      class="${kind}"
      x="${x(begin).toFixed(1)}"
      y="${y(row) + 4}"
      width="${Math.max(3, x(finish) - x(begin)).toFixed(1)}"
      height="12"
      rx="2"
    /> `;
  const sorted = rows.toSorted((one, other) => one.began - other.began);
  const gaps = sorted.flatMap(({ began }, index) => {
    const before = Math.max(...sorted.slice(0, index).map(({ ended }) => ended));
    return index > 0 && began > before ? [{ before, began }] : [];
  });
  const label = `${rows.length} of ${exchanges.length} exchanges in ${(span / 1000).toFixed(2)} s`;
  return html`<div class="timeline" tabindex="0" role="group" aria-label="Timeline of exchanges">
    <svg viewBox="0 0 ${width} ${y(rows.length) + 6}" role="img" aria-label="${label}">
      <text class="axis" x="${left}" y="14">0 s</text>
      <text class="axis end" x="${width - 8}" y="14">${(span / 1000).toFixed(2)} s</text>
      ${withClient && html`<text x="0" y="${y(-1) + 14}">client, between requests</text>`}
      ${withClient && gaps.map(({ before, began }) => bar("client", before, began, -1))}
      ${rows.map(
        ({ exchange, began, ended, isCulprit }, row) =>
          html`<text class="${isCulprit && "wrong"}" x="0" y="${y(row) + 14}">
              ${labelOf(exchange, isCulprit)}
            </text>
            ${bar(isCulprit ? "wrong" : exchange.status === null ? "open" : "server", began, ended, row)}`,
      )}
    </svg>
  </div>`;
}

function labelOf({ method, url, status }: ReportedExchange, isCulprit: boolean): string {
  const path = (URL.canParse(url) ? new URL(url).pathname : url).replace(/^.*\/api\/v1/, "");
  const text = `${isCulprit ? "✗ " : ""}${status ?? "no response"} ${method} ${path}`;
  return text.length > maxLabel ? `${text.slice(0, maxLabel - 1)}…` : text;
}
