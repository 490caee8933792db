import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

/** The links of a built site whose page has no element of that id, as `page: link`; VitePress checks the pages only. */
export function brokenAnchors(site: string, base = process.env["DOCS_BASE"] ?? "/"): string[] {
  const pages = readdirSync(site, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".html"),
  );
  const texts = new Map(pages.map((name) => [name, readFileSync(path.join(site, name), "utf8")]));
  const ids = new Map([...texts].map(([name, text]) => [name, new Set(found(text, / id="([^"]+)"/g))]));
  return [...texts].flatMap(([name, text]) =>
    found(text, / href="([^":]*#[^"]+)"/g)
      .filter((link) => {
        const [page, anchor] = link.split("#") as [string, string];
        const { pathname } = new URL(page, `http://site${base}${name}`);
        const target = decodeURI(pathname)
          .replace(base, "")
          .replace(/(^|\/)$/, "$1index.html");
        return ids.get(target)?.has(decodeURIComponent(anchor)) !== true;
      })
      .map((link) => `${name}: ${link}`),
  );
}

const found = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, one]) => one!);
