import { cpSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { marked } from "marked";
import MiniSearch from "minisearch";
import { html, raw, type Markup } from "../../conformance/report/html-markup.ts";
import { brokenLinks } from "./anchors.ts";
import { clausePages } from "./clause-pages.ts";
import { headingIds, indexed, sidebar } from "./navigation.ts";
import { repository, writtenPages } from "./pages.ts";

/**
 * Writes docs/ and the page of each clause into a folder: as HTML that a browser opens from disk as well as from a
 * host, and the clauses also as Markdown in one file, from which `explain` prints.
 * @throws Error for a link that leads nowhere
 */
export async function writeSite(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const clauses = await clausePages();
  const pages = new Map([...(await writtenPages()), ...clauses]);
  for (const [name, text] of pages) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file.replace(/md$/, "html"), pageOf(name, text));
  }
  await writeFile(
    path.join(folder, "clauses.json.gz"),
    gzipSync(JSON.stringify(Object.fromEntries(clauses))),
  );
  await writeSearch(folder, pages);
  cpSync(path.join(import.meta.dirname, "site.css"), path.join(folder, "site.css"));
  const broken = brokenLinks(folder);
  if (broken.length > 0) throw new Error(`links to places that do not exist:\n${broken.join("\n")}`);
}

/** The index and its engine, as scripts: a page that was opened from the disk may load those. */
async function writeSearch(folder: string, pages: ReadonlyMap<string, string>): Promise<void> {
  const options = { fields: ["title", "text"], storeFields: ["title"] };
  const index = new MiniSearch(options);
  index.addAll([...pages].flatMap(([name, text]) => indexed(name, text)));
  const engine = path.join(
    path.dirname(createRequire(import.meta.url).resolve("minisearch")),
    "../umd/index.js",
  );
  const script = await readFile(path.join(import.meta.dirname, "site-search.js"), "utf8");
  const load = `window.searchIndex = MiniSearch.loadJSON(${JSON.stringify(JSON.stringify(index))}, ${JSON.stringify(options)});`;
  await writeFile(path.join(folder, "search.js"), script);
  await writeFile(path.join(folder, "search-index.js"), `${await readFile(engine, "utf8")}\n${load}\n`);
}

function pageOf(name: string, text: string): string {
  const home = "../".repeat(name.split("/").length - 1);
  const title = /^# (.*)$/m.exec(text)?.[1] ?? path.basename(name, ".md");
  return html`<!doctype html>
    <html lang="en" data-home="${home}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <title>${title.replaceAll("`", "")} · capability-contract</title>
        <link rel="stylesheet" href="${home}site.css" />
        <script src="${home}search.js" defer></script>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the text</a>
        <header>
          <a href="${home}index.html">capability-contract</a>
          <search>
            <input type="search" placeholder="Search: a clause, a word" aria-label="Search" />
            <ol hidden></ol>
          </search>
        </header>
        <div class="columns">
          <nav aria-label="Pages">
            ${sidebar.map(({ text: group, items }) => navigationOf(group, items, name, home))}
          </nav>
          <main id="content">${raw(rendered(text))}</main>
        </div>
      </body>
    </html> `.text;
}

function navigationOf(
  group: string,
  items: readonly { text: string; page: string }[],
  name: string,
  home: string,
): Markup {
  const isOpen = items.length < 10 || name.startsWith("clauses/");
  return html`<details ${isOpen ? raw("open") : ""}>
    <summary>${group}</summary>
    <ul>
      ${items.map(
        ({ text, page }) =>
          html`<li>
            <a href="${home}${page}.html" ${`${page}.md` === name ? raw('aria-current="page"') : ""}
              >${text}</a
            >
          </li>`,
      )}
    </ul>
  </details>`;
}

/** Markdown as HTML. A link to a heading works here and on GitHub. */
function rendered(text: string): string {
  const idOf = headingIds();
  const renderer = new marked.Renderer();
  let tables = 0;
  renderer.heading = function ({ tokens, depth, text: heading }) {
    return `<h${depth} id="${idOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1"))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
  };
  renderer.table = function (token) {
    tables += 1;
    return `<div class="wide" tabindex="0" role="region" aria-label="Table ${tables}">${marked.Renderer.prototype.table.call(this, token)}</div>`;
  };
  renderer.code = function (token) {
    return marked.Renderer.prototype.code.call(this, token).replace("<pre>", '<pre tabindex="0">');
  };
  renderer.link = function ({ href, tokens }) {
    const to = /^[a-z]+:/.test(href) ? href : href.replace(/\.md(?=#|$)/, ".html");
    return `<a href="${to}">${this.parser.parseInline(tokens)}</a>`;
  };
  return marked.parse(text, { renderer, async: false });
}

if (import.meta.main) {
  const site = path.join(repository, "reports/site");
  await writeSite(site);
  console.log(`Open ${path.relative(process.cwd(), site)}/index.html`);
}
