import { html, type Markup } from "./html-markup.ts";
import type { Report, ReportedCheck, ReportedExchange } from "./report.ts";

/** How many characters of bodies a page may still show. It is spent as traces are written, the first ones first. */
export interface Ration {
  left: number;
}

/** Characters of bodies in one page: enough for hundreds of failures, and a page that a phone still opens. */
export const bodiesOfAPage = 3_000_000;

/** The longest body that is shown of the exchange that disappointed, and of the others, in characters. */
const longestBody = { culprit: 16_384, other: 4_096 };

/** At most so many exchanges of one check are shown, the one that disappointed always among them. */
const mostExchanges = 40;

/**
 * Everything that crossed the wire in a check, folded away; the exchange that disappointed is open inside.
 *
 * @param ration what bodies may still take; when it is spent, bodies are left out, and the page says so
 * @returns nothing when nothing was sent
 */
export function wireTrace(check: ReportedCheck, report: Report, ration: Ration): Markup | null {
  if (check.exchanges.length === 0) return null;
  return html`<details class="trace" data-print>
    <summary>Wire trace, ${exchangesOf(check)}</summary>
    ${shown(check).map(({ exchange, index }) => exchangeOf(exchange, index === check.culprit, report, ration))}${leftOut(check)}
  </details>`;
}

/** What a check sent and the status that came, a line each. */
export function wireLines(check: ReportedCheck, report: Report): Markup | null {
  if (check.exchanges.length === 0) return null;
  const lines = shown(check).map(({ exchange }) => lineOf(exchange, report));
  return html`<pre class="lines">${lines.join("\n")}</pre>
    ${leftOut(check)}`;
}

const exchangesOf = ({ exchanges }: ReportedCheck): string =>
  exchanges.length === 1 ? "1 exchange" : `${exchanges.length} exchanges`;

function shown(check: ReportedCheck): { exchange: ReportedExchange; index: number }[] {
  return check.exchanges
    .map((exchange, index) => ({ exchange, index }))
    .filter(({ index }) => index < mostExchanges || index === check.culprit);
}

function leftOut(check: ReportedCheck): Markup | null {
  const count = check.exchanges.length - shown(check).length;
  return count === 0 ? null : html`<p class="note">${count} more exchanges stand in conformance.json.</p>`;
}

function lineOf({ method, url, status }: ReportedExchange, report: Report): string {
  return `${status ?? "---"}  ${method} ${pathOf(url, report)}`;
}

/** The address as it follows the base URL; whole when it is elsewhere. */
function pathOf(url: string, { target }: Report): string {
  const base = target.replace(/\/$/, "");
  const path = url.startsWith(`${base}/`) || url.startsWith(`${base}?`) ? url.slice(base.length) : url;
  return path.length <= 300 ? path : `${path.slice(0, 300)}… (${path.length} characters)`;
}

function exchangeOf(exchange: ReportedExchange, culprit: boolean, report: Report, ration: Ration): Markup {
  const { request, response } = exchange;
  const longest = culprit ? longestBody.culprit : longestBody.other;
  return html`<details class="exchange" ${culprit && html` open`}>
    <summary>
      <b>${exchange.status ?? "no answer"}</b> ${exchange.method} ${pathOf(exchange.url, report)}
      <span class="quiet">${exchange.duration_ms} ms</span
      >${culprit && html` <strong class="this">this one</strong>`}
    </summary>
    <h5>Request</h5>
    ${headersOf(request.headers)}${bodyOf(request.body, longest, ration)}
    <h5>Response</h5>
    ${
      "error" in response
        ? html`<p>${response.error ?? "No answer came."}</p>`
        : html`${headersOf(response.headers)}${bodyOf(response.body, longest, ration)}`
    }
  </details> `;
}

const headersOf = (headers: Record<string, string>): Markup =>
  html`<pre class="headers">
${Object.entries(headers).map(([name, value]) => html`<i>${name}:</i> ${cut(value, 2_000)}${"\n"}`)}</pre>`;

function bodyOf(body: string | null, longest: number, ration: Ration): Markup | null {
  if (body === null || body === "") return html`<p class="note">No body.</p>`;
  if (ration.left <= 0)
    return html`<p class="note">The body stands in conformance.json: this page is full.</p>`;
  const text = cut(indentedJson(body), longest);
  ration.left -= text.length;
  return html`<pre class="body">${text}</pre>`;
}

/** The beginning of a text that is too long, and how long it is. */
export const cut = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters, cut here)`;

/**
 * JSON set out in lines. Only the white space between tokens changes, so that a reader sees the numbers as they came:
 * `0.10` is not `0.1` to somebody who hunts for a rounding. Anything but JSON comes back as it is.
 */
export function indentedJson(text: string): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g) ?? [];
  let depth = 0;
  let written = "";
  for (const [index, token] of tokens.entries()) {
    const line = (): string => `\n${"  ".repeat(Math.min(depth, 40))}`;
    const before = tokens[index - 1];
    if (token === "}" || token === "]") {
      depth -= 1;
      written += before === "{" || before === "[" ? token : line() + token;
    } else {
      if (before === "{" || before === "[" || before === ",") written += line();
      written += token === ":" ? ": " : token;
      if (token === "{" || token === "[") depth += 1;
    }
  }
  return written;
}
