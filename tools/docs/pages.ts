import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";

export const repository = path.resolve(import.meta.dirname, "../..");

/** Pages of the site that are written outside docs/, by their file in the repository. */
const further: Readonly<Record<string, string>> = {
  ".github/CONTRIBUTING.md": "contributing.md",
  ".github/SECURITY.md": "security.md",
  "spec/contract.md": "contract.md",
};

/** The pages that people write: their file in the repository, and their path in the site. */
const written: ReadonlyMap<string, string> = new Map([
  ...readdirSync(path.join(repository, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => [`docs/${name}`, name.toLowerCase()] as const),
  ...Object.entries(further),
]);

/** The page of the site that shows a file or folder of the repository; undefined where none does. */
const pageOf = (target: string): string | undefined =>
  written.get(target) ??
  (/^spec\/clauses(\/|$)/.test(target) ? clausesOf(path.posix.basename(target, ".yaml")) : undefined);

const clausesOf = (area: string): string => `clauses/${area === "clauses" ? "index" : area}.md`;

/** The written pages, by path in the site. @throws Error for a link to a file that does not exist */
export async function writtenPages(): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  for (const [file, page] of written)
    pages.set(page, relinked(await readFile(path.join(repository, file), "utf8"), file));
  return pages;
}

/**
 * A file's text with links that work in the site. A link to a file that is not a page becomes its text.
 * @throws Error for a link to a file that does not exist
 */
export const relinked = (text: string, file: string): string =>
  text.replaceAll(
    /\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)/g,
    (link, words: string, to: string, anchor = "") => {
      if (/^[a-z]+:|^\//.test(to)) return link;
      const from = written.get(file) ?? file;
      const target = path.posix.join(path.posix.dirname(file), to);
      const page = pageOf(target);
      if (page !== undefined)
        return `[${words}](${path.posix.relative(path.posix.dirname(from), page)}${anchor})`;
      if (!existsSync(path.join(repository, target)))
        throw new Error(`${file} links to ${to}, which does not exist`);
      return words;
    },
  );
