import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { brokenAnchors } from "./anchors.ts";
import { searched, slugOf } from "./navigation.ts";
import { relinked } from "./pages.ts";

test("links hold in the site: to pages, to clauses, and none to other files", () => {
  const text =
    "[a](profile.md#readings) [b](../SECURITY.md) [c](../spec/clauses/call.yaml) [d](../cli.ts) [e](https://x.example)";
  expect(relinked(text, "docs/ci.md")).toBe(
    "[a](./profile.md#readings) [b](./security.md) [c](./clauses/call.md) d [e](https://x.example)",
  );
});

test("a link to a file that is not there stops the build", () => {
  expect(() => relinked("[a](nowhere.md)", "docs/ci.md")).toThrow("docs/ci.md links to nowhere.md");
});

test("a link to a place that a page does not have is found", () => {
  const site = mkdtempSync(path.join(tmpdir(), "capability-contract-site-"));
  writeFileSync(
    path.join(site, "a.html"),
    '<a href="#here"><a href="./b.html#there"><a href="/b.html#gone">',
  );
  writeFileSync(path.join(site, "b.html"), '<h2 id="there"><a href="/a.html#here">');
  expect(brokenAnchors(site, "/")).toEqual(["a.html: #here", "a.html: /b.html#gone", "b.html: /a.html#here"]);
  rmSync(site, { recursive: true });
});

test("a clause is one entry of the search index, a page one for each heading, without code", () => {
  const page = "# CALL-07\n\n**must:** It settles.\n\n## What judges it\n\n````ts\ncheck()\n````\n\nend";
  expect(searched(page).split(/\n+/)).toEqual(["# CALL-07: It settles.", "end"]);
  expect(searched("# Page\n\n## Part\n\n```sh\nrun\n```\n")).toContain("## Part");
});

test("headings are named as on GitHub", () => {
  expect(slugOf("R-002: What does `status_code` hold?")).toBe("r-002-what-does-status_code-hold");
});
