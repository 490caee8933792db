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

const escape = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** A whole page. It loads only its style sheet, and runs no script. */
export function page(head: { title: string; lang: string; className?: string }, body: Html): string {
  return (
    "<!doctype html>\n" +
    html`<html lang="${head.lang}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${head.title}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/pages.css" />
      </head>
      <body class="${head.className ?? ""}">
        ${body}
      </body>
    </html> `.markup
  );
}
