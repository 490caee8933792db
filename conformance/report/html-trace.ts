import { html, type Markup } from "./html-markup.ts";
import type { Report, ReportedCheck, ReportedExchange } from "./report.ts";

/** The server whose traffic is shown: its base URL shortens addresses. */
type Target = Pick<Report, "target">;

/** The characters of bodies that a page may still show, consumed in the order in which traces are written. */
export interface Ration {
  left: number;
}

/** Characters of bodies in one page: enough for hundreds of failures in a page that a phone can still open. */
export const bodiesOfAPage = 3_000_000;

/** Maximum characters shown of a body: of the exchange at fault, and of the others. */
const maxBody = { culprit: 16_384, other: 4_096 };

/** Maximum number of exchanges shown for one check, always including the one at fault. */
const maxExchanges = 40;

/**
 * All traffic of a check, collapsed; the exchange at fault is expanded inside.
 * @param ration characters that bodies may still use; once it is spent, bodies are omitted, with a note
 * @returns nothing when nothing was sent
 */
export function wireTrace(check: ReportedCheck, report: Target, ration: Ration): Markup | null {
  const { exchanges_left_out: unshown } = check;
  if (unshown !== undefined)
    return html`<p class="note">${plural(unshown)}; with --trace all the report keeps them.</p>`;
  if (check.exchanges.length === 0) return null;
  return html`<details class="trace" data-print>
    <summary>Wire trace, ${plural(check.exchanges.length)}</summary>
    ${shown(check).map(({ exchange, index }) => exchangeOf(exchange, index === check.culprit, report, ration))}${leftOut(check)}
  </details>`;
}

/** Each request of a check with its status, one per line. */
export function wireLines(check: ReportedCheck, report: Target): Markup | null {
  if (check.exchanges.length === 0) return null;
  const lines = shown(check).map(({ exchange }) => lineOf(exchange, report));
  return html`<pre class="lines">${lines.join("\n")}</pre>
    ${leftOut(check)}`;
}

const plural = (count: number): string => (count === 1 ? "1 exchange" : `${count} exchanges`);

function shown(check: ReportedCheck): { exchange: ReportedExchange; index: number }[] {
  return check.exchanges
    .map((exchange, index) => ({ exchange, index }))
    .filter(({ index }) => index < maxExchanges || index === check.culprit);
}

function leftOut(check: ReportedCheck): Markup | null {
  const count = check.exchanges.length - shown(check).length;
  return count === 0 ? null : html`<p class="note">${count} more exchanges are in conformance.json.</p>`;
}

function lineOf({ method, url, status }: ReportedExchange, report: Target): string {
  return `${status ?? "---"}  ${method} ${pathOf(url, report)}`;
}

/** The address relative to the base URL; absolute when it is elsewhere. */
function pathOf(url: string, { target }: Target): string {
  const base = target.replace(/\/$/, "");
  const path = url.startsWith(`${base}/`) || url.startsWith(`${base}?`) ? url.slice(base.length) : url;
  return path.length <= 300 ? path : `${path.slice(0, 300)}… (${path.length} characters)`;
}

function exchangeOf(exchange: ReportedExchange, culprit: boolean, report: Target, ration: Ration): Markup {
  const { request, response } = exchange;
  const longest = culprit ? maxBody.culprit : maxBody.other;
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
        ? html`<p>${response.error ?? "There was no answer."}</p>`
        : html`${headersOf(response.headers)}${bodyOf(response.body, longest, ration)}`
    }
  </details> `;
}

const headersOf = (headers: Record<string, string>): Markup =>
  html`<pre class="headers">
${Object.entries(headers).map(([name, value]) => html`<i>${name}:</i> ${cut(value, 2_000)}${"\n"}`)}</pre>`;

function bodyOf(body: string | null, longest: number, ration: Ration): Markup | null {
  if (body === null || body === "") return html`<p class="note">No body.</p>`;
  if (ration.left <= 0) return html`<p class="note">The body is in conformance.json: this page is full.</p>`;
  const text = cut(indentedJson(body), longest);
  ration.left -= text.length;
  return html`<pre class="body">${text}</pre>`;
}

/** The beginning of a text that is too long, and its length. */
export const cut = (text: string, longest: number): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters, cut here)`;

/**
 * JSON with line breaks and indentation. Only white space between tokens changes, so that numbers appear as sent:
 * `0.10` and `0.1` differ to someone debugging a rounding. Returns anything but JSON unchanged.
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
