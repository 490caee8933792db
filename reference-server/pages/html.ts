import { numbered } from "../../base/escaped.ts";

/** Markup that is already escaped. */
export class Html {
  readonly markup: string;
  constructor(markup: string) {
    this.markup = markup;
  }
}

type Piece = string | number | Html | null | false | readonly Piece[];

/** A template that escapes inserted texts; it also accepts other markup, lists, null and false. */
export const html = (parts: TemplateStringsArray, ...pieces: Piece[]): Html =>
  new Html(parts.reduce((markup, part, index) => markup + markupOf(pieces[index - 1]!) + part));

function markupOf(piece: Piece): string {
  if (piece === null || piece === false) return "";
  if (piece instanceof Html) return piece.markup;
  if (typeof piece === "string" || typeof piece === "number") return escape(String(piece));
  return piece.map(markupOf).join("");
}

const escape = (text: string): string => text.replace(/[&<>"']/g, numbered);

/** The head of a page. `styles` and `scripts` are paths on this host. */
interface Head {
  title: string;
  lang: string;
  className?: string;
  styles: readonly string[];
  scripts?: readonly string[];
}

/** A whole page. */
export function page({ title, lang, className = "", styles, scripts = [] }: Head, body: Html): string {
  return (
    "<!doctype html>\n" +
    html`<html lang="${lang}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="data:," />
        ${styles.map((path) => html`<link rel="stylesheet" href="${path}" />`)}
        ${scripts.map((path) => html`<script src="${path}" defer></script>`)}
      </head>
      <body class="${className}">
        ${body}
      </body>
    </html> `.markup
  );
}
