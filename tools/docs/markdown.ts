import { prose } from "../../conformance/drift/contract/clauses.ts";

/** The maximum lines of a list on a page; the rest is counted. */
const maxListed = 30;

export { prose };

export const code = (text: string): string => `\`${text}\``;

/** A fenced block. The fence is longer than any in the text. */
export const block = (language: string, text: string): string => `\`\`\`\`${language}\n${text}\n\`\`\`\``;

export function list(lines: readonly string[]): string {
  const rest = lines.length - maxListed;
  const more = rest > 0 ? [`… and ${rest} more`] : [];
  return [...lines.slice(0, maxListed), ...more].map((line) => `- ${line}`).join("\n");
}

/** A part of a page with a heading; none if it is empty. */
export const part = (heading: string, paragraphs: readonly string[]): string[] =>
  paragraphs.length === 0 ? [] : [heading, ...paragraphs];
