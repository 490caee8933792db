import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clauses, type Clause } from "../../generated/clauses.ts";
import { repository } from "./pages.ts";

const executable = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
const site = path.join(repository, "reports/site");

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
};

/** A plain file server, like any host of static pages. */
const files = (): Server =>
  createServer((request, response) => {
    const name = new URL(request.url!, "http://site").pathname.replace(/\/$/, "/index.html");
    readFile(path.join(site, name)).then(
      (content) =>
        response
          .setHeader("content-type", types[path.extname(name)] ?? "application/octet-stream")
          .end(content),
      () => response.writeHead(404).end(),
    );
  });

describe.skipIf(!existsSync(executable))("the site of npm run docs", () => {
  let browser: Browser;
  let server: Server;
  let address: string;

  beforeAll(async () => {
    // In a separate process: the pages show the sources of functions, which vitest rewrites.
    await promisify(execFile)(process.execPath, [path.join(repository, "tools/docs/site.ts")]);
    server = files().listen(0, "127.0.0.1");
    await once(server, "listening");
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox"] });
  });

  afterAll(async () => {
    await browser.close();
    server.close();
  });

  /** Opens a page, and fails for an error of a script, a missing file, or a request to another host. */
  async function visit(
    page: string,
    options: BrowserContextOptions,
    look: (page: Page) => Promise<void>,
  ): Promise<void> {
    const context = await browser.newContext(options);
    const complaints: string[] = [];
    const tab = await context.newPage();
    tab.on("pageerror", (error) => complaints.push(error.message));
    tab.on(
      "response",
      (response) => response.status() >= 400 && complaints.push(`${response.status()} ${response.url()}`),
    );
    tab.on(
      "request",
      (request) => new URL(request.url()).origin !== address && complaints.push(request.url()),
    );
    await tab.goto(`${address}${page}`, { waitUntil: "networkidle" });
    await look(tab);
    await context.close();
    expect(complaints).toEqual([]);
  }

  it("has a page for every clause, with its words and what judges it", async () => {
    const lacking = async (heading: string, some: readonly Clause[]): Promise<string[]> => {
      const texts = some.map(async ({ id }) => [
        id,
        await readFile(path.join(site, `clauses/${id}.html`), "utf8"),
      ]);
      return (await Promise.all(texts)).flatMap(([id, text]) =>
        text!.includes(`id="${heading}"`) ? [] : [id!],
      );
    };
    const all: readonly Clause[] = clauses;
    const seen = all.filter(({ seen: how }) => typeof how === "string" || "needs" in how);
    expect(await lacking("the-contracts-words", all)).toEqual([]);
    expect(await lacking("what-to-fix", all)).toEqual([]);
    expect(await lacking("its-checks", seen)).toEqual([]);
  });

  it("finds a clause by its id and by its words", async () => {
    await visit("/", {}, async (page) => {
      for (const words of ["CALL-07", "effective success settles zero credits"]) {
        await page.keyboard.press("Control+k");
        await page.locator("search input").fill(words);
        await page.locator('search a[href*="/CALL-07"]').first().click();
        await expect.poll(() => page.locator("h1").first().textContent()).toMatch(/^CALL-07/);
      }
    });
  });

  it("finds an id that is typed in full first, opens it by keyboard, and says where it finds nothing", async () => {
    await visit("/", {}, async (page) => {
      const field = page.locator("search input");
      await field.fill("LEDG-07");
      const first = page.locator("search li a").first();
      await expect.poll(() => first.textContent()).toMatch(/^LEDG-07/);
      await field.press("ArrowDown");
      expect(await page.evaluate("document.activeElement.textContent")).toMatch(/^LEDG-07/);
      await field.fill("call-07");
      await expect.poll(() => first.textContent()).toMatch(/^CALL-07/);
      await field.press("Enter");
      await expect.poll(() => page.locator("h1").first().textContent()).toMatch(/^CALL-07/);
      await page.locator("search input").fill("zzzqqq");
      await expect.poll(() => page.locator("search ol").textContent()).toBe("Nothing found.");
    });
  });

  it.each(["light", "dark"] as const)("fits a phone's width, %s", async (colorScheme) => {
    for (const name of ["/", "/ci.html", "/clauses/", "/clauses/CALL-07.html", "/proof.html"])
      await visit(name, { viewport: { width: 390, height: 800 }, colorScheme }, async (page) => {
        expect(await page.evaluate("document.documentElement.scrollWidth"), name).toBe(390);
      });
  });
});
