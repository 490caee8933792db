/** Elements whose text is not displayed. */
const unread = /^(style|script|head)\b/;

/** The visible text of HTML, without styles, tags or attributes. Reads it once, from left to right. */
export function textOfHtml(html: string): string {
  const lower = html.toLowerCase();
  const unclosed = new Set<string>();
  const parts: string[] = [];
  let at = 0;
  for (let open = html.indexOf("<"); open >= 0; open = html.indexOf("<", at)) {
    const close = html.indexOf(">", open);
    // An unclosed tag is text.
    if (close < 0) break;
    parts.push(html.slice(at, open));
    at = close + 1;
    const [element] = unread.exec(lower.slice(open + 1, open + 10)) ?? [];
    if (element === undefined || unclosed.has(element)) continue;
    const end = lower.indexOf(`</${element}`, at);
    // Searched only once: otherwise many unclosed elements would each scan the rest.
    if (end < 0) unclosed.add(element);
    else at = end;
  }
  return [...parts, html.slice(at)].join(" ").replaceAll("&nbsp;", " ");
}
