import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { build } from "vitepress";
import { brokenAnchors } from "./anchors.ts";
import { clausePages } from "./clause-pages.ts";
import { repository, writtenPages } from "./pages.ts";

/** The folders of the site: the assembled pages, and what is built of them. */
const source = path.join(repository, "reports/pages");
const site = path.join(repository, "reports/site");

/** Builds docs/ and the generated pages into reports/site. @throws Error for a broken link */
async function buildSite(): Promise<void> {
  await rm(source, { recursive: true, force: true });
  for (const [name, text] of [...(await writtenPages()), ...(await clausePages())]) {
    const file = path.join(source, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  await build(path.join(repository, "docs"));
  const broken = brokenAnchors(site);
  if (broken.length > 0) throw new Error(`links to places that do not exist:\n${broken.join("\n")}`);
}

await buildSite();
