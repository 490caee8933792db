import { numbered } from "../../base/escaped.ts";

/** HTML markup. Only `html` and `raw` create it, so anything else inserted into a page is escaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What a template accepts: text and numbers are escaped, markup is kept, null and false are omitted. */
export type Part = Markup | string | number | null | undefined | false | readonly Part[];

/** HTML from a template. Every value is escaped, as content and in quoted attributes, unless it is `Markup`. */
export function html(template: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  // The indentation of the templates would be a quarter of the page.
  const lines = template.map((text) => text.replace(/\n\s+/g, "\n"));
  return new Markup(String.raw({ raw: lines }, ...parts.map(written)));
}

/** Trusted text of this project that is already HTML, such as a style sheet or script. Never server data. */
export const raw = (text: string): Markup => new Markup(text);

function written(part: Part): string {
  if (part === null || part === undefined || part === false) return "";
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(written).join("");
  return escaped(String(part));
}

/** Control characters, lone surrogates, and the bidirectional marks that can disguise text. */
const unseen =
  // eslint-disable-next-line no-control-regex -- a server may send them, and a reader should see them
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu;

const escaped = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .replace(unseen, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replace(/[&<>"']/g, numbered);

/** A sentence of the contract, with `backticks` rendered as code. */
export function sentence(text: string): Markup {
  const parts = text.split("`");
  // With an odd number of backticks they do not pair up, so leave them as they are.
  if (parts.length % 2 === 0) return html`${text}`;
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
