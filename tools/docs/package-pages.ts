import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { createMarkdownRenderer } from "vitepress";
import { html, raw } from "../../conformance/report/html-markup.ts";
import { clausePages } from "./clause-pages.ts";
import { slugOf } from "./navigation.ts";
import { writtenPages } from "./pages.ts";

const style = `
:root { color-scheme: light dark; --line: light-dark(#ddd, #3a3a40); --soft: light-dark(#f6f6f7, #202127); }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
a { color: light-dark(#3451b2, #a8b1ff); }
pre { background: var(--soft); padding: 1rem; border-radius: 8px; overflow-x: auto; font-size: 0.85rem; line-height: 1.5; }
blockquote { margin: 1rem 0; padding-left: 1rem; border-left: 3px solid var(--line); }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { border: 1px solid var(--line); padding: 0.3rem 0.7rem; text-align: left; }
button, .lang, .header-anchor { display: none; }
`;

/**
 * Writes the pages into the package: as HTML that a browser opens from the disk, without the site's scripts, and those
 * of clauses as Markdown too, which `explain` prints.
 */
export async function writePackagePages(folder: string): Promise<void> {
  const markdown = await createMarkdownRenderer(folder, {
    highlight: (code) => html`<pre>${code}</pre>`.text,
    anchor: { slugify: slugOf },
  });
  const clauses = await clausePages();
  for (const [name, text] of [...(await writtenPages()), ...clauses]) {
    if (name === "index.md") continue;
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    if (clauses.has(name)) await writeFile(file, text);
    const body = markdown.render(text, { path: file, relativePath: name, cleanUrls: false });
    await writeFile(file.replace(/md$/, "html"), pageOf(name, body));
  }
}

const pageOf = (name: string, body: string): string =>
  html`<!doctype html>
    <html lang="en">
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <title>${path.basename(name, ".md")}</title>
      <style>
        ${raw(style)}
      </style>
      <main>${raw(body)}</main>
    </html> `.text;
