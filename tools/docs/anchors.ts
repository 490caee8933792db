import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

/** The links of a built site to a page or a place that does not exist, as `page: link`. */
export function brokenLinks(site: string): string[] {
  const files = readdirSync(site, { recursive: true, encoding: "utf8" });
  const pages = files.filter((name) => name.endsWith(".html"));
  const texts = new Map(pages.map((name) => [name, readFileSync(path.join(site, name), "utf8")]));
  const ids = new Map([...texts].map(([name, text]) => [name, new Set(found(text, / id="([^"]+)"/g))]));
  const isBroken = (name: string, link: string): boolean => {
    const [page, anchor] = link.split("#") as [string, string?];
    const target = page === "" ? name : path.posix.join(path.posix.dirname(name), decodeURI(page));
    if (anchor === undefined) return !files.includes(target);
    return ids.get(target)?.has(decodeURIComponent(anchor)) !== true;
  };
  return [...texts].flatMap(([name, text]) =>
    found(text, / href="([^":]+)"/g)
      .filter((link) => isBroken(name, link))
      .map((link) => `${name}: ${link}`),
  );
}

const found = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, anchor]) => anchor!);
