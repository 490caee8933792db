import { defineConfig } from "vitepress";
import { searched, sidebar, slugOf } from "../../tools/docs/navigation.ts";

/** The site of `npm run docs`, which assembles its pages in `srcDir` first. Nothing is fetched from other hosts. */
export default defineConfig({
  title: "capability-contract",
  description:
    "One API as a spec and numbered clauses; a server that keeps them, and a suite that judges any server",
  lang: "en",
  srcDir: "../reports/pages",
  outDir: "../reports/site",
  cacheDir: "../reports/vitepress",
  base: process.env["DOCS_BASE"] ?? "/",
  // What is the same on every page is in one file, and not in each.
  metaChunk: true,
  // The search index is one file, which is fetched with the first search.
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  // Headings are named as on GitHub, so that a link to one holds in both places.
  markdown: { anchor: { slugify: (heading) => slugOf(heading) } },
  themeConfig: {
    nav: [
      { text: "Implement", link: "/implementers" },
      { text: "CI", link: "/ci" },
      { text: "Load", link: "/load-testers" },
      { text: "Clients", link: "/clients" },
      { text: "Clauses", link: "/clauses/" },
    ],
    sidebar,
    outline: [2, 3],
    // A clause has no next page: readers come to it from a report, its area or the search.
    docFooter: { prev: false, next: false },
    search: {
      provider: "local",
      options: {
        _render(page, env, markdown) {
          const html = markdown.render(searched(page), env);
          return env.frontmatter?.["search"] === false ? "" : html;
        },
      },
    },
  },
});
