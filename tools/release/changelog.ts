/** The newest release of a changelog, or what comes next: its heading and its text. */
export function newestOf(changelog: string): { heading: string; text: string } {
  const [, heading = "", text = ""] = /^## (.+)\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(changelog) ?? [];
  return { heading, text };
}

/** More words than this are two sentences. */
const maxWords = 30;

/** The sentences of a changelog that are too long to be read at once. A code span and an id each count as a word. */
export const longSentences = (text: string): string[] =>
  text
    .replaceAll(/`[^`]*`/g, "Code")
    .split(/^(?:- |#+ .*\n)/m)
    .flatMap((entry) => entry.split(/(?<=[.:;])\s+(?=[A-Z"`(]|$)/))
    .map((sentence) => sentence.replaceAll(/\s+/g, " ").trim())
    .filter((sentence) => sentence.split(" ").length > maxWords);
