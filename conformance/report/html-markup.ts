/** Text that is HTML already. Only `html` and `raw` make it, so whatever else is put into a page is escaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What can be put into a template: text and numbers are escaped, markup is kept, null and false are nothing. */
export type Part = Markup | string | number | null | undefined | false | readonly Part[];

/** HTML from a template. Every value is escaped, for content and for attributes in quotes, unless it is `Markup`. */
export function html(template: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  // The indentation of the templates would be a quarter of the page.
  const lines = template.map((text) => text.replace(/\n\s+/g, "\n"));
  return new Markup(String.raw({ raw: lines }, ...parts.map(written)));
}

/** Text of this project's own that is HTML already: a style sheet, a script. Never anything that a server sent. */
export const raw = (text: string): Markup => new Markup(text);

function written(part: Part): string {
  if (part === null || part === undefined || part === false) return "";
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(written).join("");
  return escaped(String(part));
}

const entities: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Control characters, halves of surrogate pairs, and the marks that let text run the other way and so deceive. */
const unseen =
  // eslint-disable-next-line no-control-regex -- a server may send them, and a reader should see them
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu;

const escaped = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .replace(unseen, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .replace(/[&<>"']/g, (character) => entities[character]!);

/** A sentence of the contract, in which `backticks` set code. */
export function sentence(text: string): Markup {
  const parts = text.split("`");
  // An odd number of backticks is no pairing: then they are only characters.
  if (parts.length % 2 === 0) return html`${text}`;
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
