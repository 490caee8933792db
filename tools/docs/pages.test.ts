import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { brokenLinks } from "./anchors.ts";
import { indexed, slugOf } from "./navigation.ts";
import { relinked } from "./pages.ts";

test("links work in the site: to pages and to clauses; links to other files are removed", () => {
  const text =
    "[a](profile.md#readings) [b](../.github/SECURITY.md) [c](../spec/clauses/call.yaml) [d](../cli/cli.ts) [e](https://x.example)";
  expect(relinked(text, "docs/ci.md")).toBe(
    "[a](profile.md#readings) [b](security.md) [c](clauses/call.md) d [e](https://x.example)",
  );
});

test("a link to a missing file stops the build", () => {
  expect(() => relinked("[a](nowhere.md)", "docs/ci.md")).toThrow("docs/ci.md links to nowhere.md");
});

test("a link to a missing page or place is found", () => {
  const site = mkdtempSync(path.join(tmpdir(), "capability-contract-site-"));
  writeFileSync(
    path.join(site, "a.html"),
    '<a href="#here"><a href="./b.html#there"><a href="b.html#gone"><a href="c.html"><a href="https://x.example#y">',
  );
  writeFileSync(path.join(site, "b.html"), '<h2 id="there"><a href="a.html#here"><a href="a.html">');
  expect(brokenLinks(site)).toEqual([
    "a.html: #here",
    "a.html: b.html#gone",
    "a.html: c.html",
    "b.html: a.html#here",
  ]);
  rmSync(site, { recursive: true });
});

test("a clause is one entry of the search index, a page has one for each heading, without code", () => {
  const clause = "# CALL-07\n\n**must:** It settles.\n\n## Its checks\n\n````ts\ncheck()\n````\n\nend";
  expect(indexed("clauses/CALL-07.md", clause)).toEqual([
    { id: "clauses/CALL-07.html", title: "CALL-07: It settles.", text: "\n\n## Its checks\n\n\n\nend" },
  ]);
  expect(indexed("ci.md", "# Page\n\nlead\n\n## A part\n\n```sh\nrun\n```\n")).toEqual([
    { id: "ci.html", title: "Page", text: "\n\nlead\n\n" },
    { id: "ci.html#a-part", title: "A part", text: "\n\n\n" },
  ]);
  expect(indexed("news.md", "# News\n## Added\none\n## Added\ntwo").map(({ id }) => id)).toEqual([
    "news.html",
    "news.html#added",
    "news.html#added-1",
  ]);
  expect(indexed("clauses/call.md", "# Calls\n")).toEqual([]);
});

test("headings are named as on GitHub", () => {
  expect(slugOf("R-002: What does `status_code` hold?")).toBe("r-002-what-does-status_code-hold");
});

test("a page names a script of npm, which runs on the pinned Node, and no file for whatever Node is installed", () => {
  const repository = path.resolve(import.meta.dirname, "../..");
  const pages = ["*.md", ".github/*.md", "docs/**/*.md"].flatMap((pattern) =>
    globSync(pattern, { cwd: repository }),
  );
  const scripts = (
    JSON.parse(readFileSync(path.join(repository, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    }
  ).scripts;
  for (const page of pages) {
    const text = readFileSync(path.join(repository, page), "utf8");
    expect(text.match(/(?:^|`)node [\w./-]+\.ts/gm) ?? [], page).toEqual([]);
    const named = [...text.matchAll(/npm run ([a-z][\w:-]*)/g)].map(([, name]) => name!);
    expect(
      named.filter((name) => !(name in scripts)),
      page,
    ).toEqual([]);
  }
});
