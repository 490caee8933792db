/** The text of these elements is for nobody to read. */
const unread = /^(style|script|head)\b/;

/** What a reader sees of HTML: no styles, no tags, no colours among their attributes. Reads it once, from left to right. */
export function textOfHtml(html: string): string {
  const lower = html.toLowerCase();
  const unclosed = new Set<string>();
  const parts: string[] = [];
  let at = 0;
  for (let open = html.indexOf("<"); open >= 0; open = html.indexOf("<", at)) {
    const close = html.indexOf(">", open);
    // What is never closed is text.
    if (close < 0) break;
    parts.push(html.slice(at, open));
    at = close + 1;
    const [element] = unread.exec(lower.slice(open + 1, open + 10)) ?? [];
    if (element === undefined || unclosed.has(element)) continue;
    const end = lower.indexOf(`</${element}`, at);
    // It is looked for once: many elements that never end would otherwise each read the rest.
    if (end < 0) unclosed.add(element);
    else at = end;
  }
  return [...parts, html.slice(at)].join(" ").replaceAll("&nbsp;", " ");
}
