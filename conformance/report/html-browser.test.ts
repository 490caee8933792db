import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { certificateOf, type Certificate } from "../certify/certificate.ts";
import { certificateHtml } from "../certify/html.ts";
import { Trial } from "../certify/trial.ts";
import { kept } from "../../base/data.ts";
import { condition } from "../judge/fact.ts";
import { reconciliationHtml } from "../reconcile/html.ts";
import type { Reconciliation } from "../reconcile/reconciliation.ts";
import { badge } from "./badge.ts";
import { compareReports } from "./compare.ts";
import { historyPage } from "./history-page.ts";
import { htmlReport } from "./html.ts";
import { junitReport } from "./junit.ts";
import { sampleCheck, sampleExchange, sampleReport, sampleRun } from "./sample-report.fixture.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

function sampleCertificate(): Certificate {
  const baseline = new Trial({ name: "baseline", call: null, planned: [], oddity: null });
  const usual = { runs: [baseline] as const, broken: [] };
  const problem = {
    fault: "pays twice",
    level: "must",
    clause: "FLOW-15",
    fact: condition("one Call", "two"),
    at: null,
  } as const;
  const certified = { usual, problems: [problem], idle: null, judged: [] };
  return certificateOf(certified, { command: ["client"], options: [], startedAt: 0 });
}

const sampleReconciliation: Reconciliation = {
  contract_version: "1",
  suite_version: "0.1.0",
  target: "https://api.example.test/api/v1",
  started_at: "2026-11-20T09:30:00.000Z",
  duration_ms: 900,
  interrupted: false,
  version_note: null,
  window: { start: "2026-11-19T00:00:00.000Z", end: "2026-11-20T00:00:00.000Z" },
  counts: { events: 1, entries: 1, requests: 9 },
  credits: { settled: 1, consumed: 1, granted: 0 },
  balances: [100, 99, 97].map((summed, index) => ({
    at: 1_763_550_000_000 + index,
    stated: 100 - index,
    summed,
  })),
  held: [{ what: "balance", rows: 1, why: null }],
  recording: null,
  anomaly_counts: { "charge-without-entry": 1 },
  anomalies: [
    {
      kind: "charge-without-entry",
      clause: "BILL-11",
      level: "must",
      title: "a charge without an entry",
      expected: "an entry of -1 credits",
      received: "none",
      execution_id: "e-1",
      search_id: null,
      session_id: null,
      tool_id: "weather.current",
      event_id: "u-1",
      ledger_entry_id: null,
      settled_credits: 1,
      moved_credits: null,
      created_at: null,
    },
  ],
};

const executable = process.env["CHROMIUM_PATH"] ?? "/usr/bin/chromium";
const missing = !existsSync(executable);

describe.skipIf(missing)(
  `the reports in a browser${missing ? ` (skipped: there is no ${executable})` : ""}`,
  () => {
    let browser: Browser;
    let directory: string;
    let run: string;

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), "html-report-"));
      // Every verdict occurs in these areas. A page of all costs each test four times as much.
      run = await written("run.html", htmlReport(sampleRun(["ACCT", "AUTH", "BILL", "CALL", "TRIA"])));
      browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox"] });
    });

    afterAll(async () => {
      await browser.close();
      await rm(directory, { recursive: true });
    });

    async function written(name: string, text: string): Promise<string> {
      const file = join(directory, name);
      await writeFile(file, text);
      return pathToFileURL(file).href;
    }

    /** One page for each kind of context, since to open one costs more than most tests do. */
    const opened = new Map<string, Promise<Page>>();
    let address: string;
    let complaints: string[];

    const pageOf = (options: BrowserContextOptions): Promise<Page> =>
      kept(opened, JSON.stringify(options), async () => {
        const permissions = ["clipboard-read", "clipboard-write"];
        const context = await browser.newContext({ reducedMotion: "reduce", permissions, ...options });
        const page = await context.newPage();
        page.on("console", (message) => complaints.push(message.text()));
        page.on("pageerror", (error) => complaints.push(error.message));
        page.on("dialog", (dialog) => {
          complaints.push(`a dialog: ${dialog.message()}`);
          void dialog.dismiss();
        });
        page.on("request", (request) => {
          if (request.url().split("#")[0] !== address && !request.url().startsWith("data:"))
            complaints.push(request.url());
        });
        return page;
      });

    /** Loads a page and fails if it reports an error or requests any other resource. */
    async function visit(
      url: string,
      options: BrowserContextOptions,
      look: (page: Page) => Promise<void>,
    ): Promise<void> {
      const page = await pageOf(options);
      address = url;
      complaints = [];
      await page.goto(url);
      await look(page);
      expect(complaints).toEqual([]);
    }

    it("a certificate of a client offers its commands to copy, without the filter of a run", async () => {
      await visit(
        await written("certificate.html", certificateHtml(sampleCertificate())),
        {},
        async (page) => {
          expect(await page.locator("button.copy:visible").count()).toBe(1);
        },
      );
    });

    it("filters by area, verdict and text, and shows all again", async () => {
      await visit(run, {}, async (page) => {
        const clauses = page.locator("article.clause:visible");
        const cards = page.locator("#failed article.card:visible");
        const before = await cards.count();
        expect(before).toBe(6);

        await page.getByRole("combobox", { name: "Area" }).selectOption("BILL");
        expect(await page.locator("article.clause:visible:not([data-areas=BILL])").count()).toBe(0);
        expect(await clauses.count()).toBeGreaterThan(10);

        await page.getByRole("checkbox", { name: "failed" }).check();
        expect(await page.locator("article.clause:visible:not([data-verdict=fail])").count()).toBe(0);
        expect(await page.locator("#unverified article:visible").count()).toBe(0);

        await page.getByRole("searchbox", { name: "Text" }).fill("no such words anywhere");
        expect(await clauses.count()).toBe(0);
        expect(await cards.count()).toBe(0);
        await expect.poll(() => page.locator("output").textContent()).toBe("0 clauses, 0 of what failed");

        await page.getByRole("button", { name: "Show all" }).click();
        await expect.poll(() => cards.count()).toBe(before);
      });
    });

    it("leads from a cell of the map to its clause, through folds and filters", async () => {
      await visit(run, {}, async (page) => {
        const clause = page.locator("#AUTH-03");
        await page.locator("#area-AUTH").evaluate((fold) => fold.removeAttribute("open"));
        expect(await clause.isVisible()).toBe(false);
        await page.locator('.cell[href="#AUTH-03"]').click();
        await expect.poll(() => clause.isVisible()).toBe(true);
        expect(await page.locator(":focus").getAttribute("id")).toBe("AUTH-03");

        await page.getByRole("combobox", { name: "Area" }).selectOption("CALL");
        expect(await clause.isVisible()).toBe(false);
        await page.locator('.cell[href="#AUTH-03"]').click();
        await expect.poll(() => clause.isVisible()).toBe(true);
      });
    });

    it("works by keyboard: one stop for the map, arrows inside, the focus named and visible", async () => {
      await visit(run, {}, async (page) => {
        const cells = page.locator(".cell");
        await cells.first().focus();
        await page.keyboard.press("ArrowRight");
        const focused = page.locator(":focus");
        expect(await focused.getAttribute("href")).toBe("#ACCT-02");
        expect(await page.evaluate("getComputedStyle(document.activeElement, '::after').content")).toMatch(
          /ACCT-02, /,
        );
        expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe("solid");
        await page.keyboard.press("ArrowDown");
        expect(await focused.getAttribute("href")).not.toBe("#ACCT-02");
        expect(await page.locator(".cell[tabindex='0']").count()).toBe(1);
      });
    });

    it("copies the curl line as it is in the report", async () => {
      await visit(run, {}, async (page) => {
        const button = page.getByRole("button", { name: "Copy: Repeat the request" }).first();
        await button.click();
        await expect.poll(() => button.textContent()).toBe("Copied");
        expect(await page.evaluate("navigator.clipboard.readText()")).toBe(sampleExchange().curl);
      });
    });

    it("fits a phone's width, light and dark", async () => {
      await visit(run, {}, async (page) => {
        await page.setViewportSize({ width: 360, height: 740 });
        await page.evaluate(
          "document.querySelectorAll('#failed details.trace').forEach((fold) => (fold.open = true))",
        );
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          expect(await page.evaluate("document.documentElement.scrollWidth"), colorScheme).toBe(360);
        }
        await page.setViewportSize({ width: 1280, height: 720 });
      });
    });

    /** A page of each kind of report. */
    function pages(): Record<string, string> {
      const reports = [sampleRun(), sampleReport([sampleCheck({ verdict: "fail", expected: "1" })])];
      const failing = sampleReport([
        sampleCheck({ verdict: "fail", exchanges: [sampleExchange(), sampleExchange()], culprit: 1 }),
      ]);
      return {
        conformance: htmlReport(failing),
        certify: certificateHtml(sampleCertificate()),
        compare: historyPage(reports, ["one", "other"], compareReports(reports)),
        reconcile: reconciliationHtml(sampleReconciliation),
      };
    }

    // axe would take seconds for the thousands of elements of the long run: it reads the short one.
    it("has enough contrast for small text, light and dark, and violates no rule of axe", async () => {
      const others = Object.entries(pages()).map(([name, text]) => written(`judged-${name}.html`, text));
      for (const url of [run, ...(await Promise.all(others))]) {
        await visit(url, {}, async (page) => {
          await page.evaluate(thinned);
          for (const colorScheme of ["light", "dark"] as const) {
            await page.emulateMedia({ colorScheme });
            expect(await page.evaluate(weakContrasts), `${url}, ${colorScheme}`).toEqual([]);
          }
          if (url === run) return;
          await page.evaluate(axe);
          expect(await page.evaluate(violations), url).toEqual([]);
        });
      }
    });

    it("is readable without scripts, and then shows no control that would do nothing", async () => {
      await visit(run, { javaScriptEnabled: false }, async (page) => {
        expect(await page.locator("#failed article.card").first().isVisible()).toBe(true);
        expect(await page.locator("form:visible, button:visible").count()).toBe(0);
        await page.locator("details.trace > summary").first().click();
        expect(await page.locator("details.exchange[open] pre.body").first().isVisible()).toBe(true);
      });
    });

    it("opens what matters when it is printed", async () => {
      await visit(run, {}, async (page) => {
        await page.emulateMedia({ media: "print" });
        await page.evaluate("dispatchEvent(new Event('beforeprint'))");
        expect(await page.locator("details.exchange[open] pre.body").first().isVisible()).toBe(true);
        expect(await page.locator("details.area:not([open])").count()).toBe(0);
        expect(await page.locator("form:visible, button:visible, nav:visible").count()).toBe(0);
        await page.evaluate(thinned);
        expect((await page.pdf({ format: "A4" })).length).toBeGreaterThan(10_000);
      });
    });

    it("does not run what a hostile server sent", async () => {
      const attack = `"'></pre></details></style></script><script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>`;
      const exchange = sampleExchange({
        url: attack,
        response: { headers: { [attack]: attack }, body: attack },
        curl: attack,
      });
      const check = sampleCheck({
        id: attack,
        title: attack,
        verdict: "fail",
        expected: attack,
        received: attack,
        exchanges: [exchange],
        culprit: 0,
      });
      const hostile = await written(
        "hostile.html",
        htmlReport(sampleReport([check, { ...check, verdict: "unverified", remedy: attack }])),
      );
      await visit(hostile, {}, async (page) => {
        await page.locator("details.trace > summary").first().click();
        expect(await page.locator("script").count()).toBe(1);
        expect(await page.locator("img, svg:not(.timeline svg)").count()).toBe(0);
        expect(await page.locator("pre.body").last().textContent()).toBe(attack);
      });
    });

    it("reads JUnit and badge as well-formed XML, whatever a server sent", async () => {
      const attack = `<&>"' ]]> \u0000\u001b[31m\ud800\ufffe two\nlines`;
      const check = sampleCheck({
        title: attack,
        verdict: "fail",
        reason: attack,
        expected: attack,
        received: attack,
      });
      const checks = [check, ...sampleRun().checks];
      const report = sampleReport(checks, { target: attack, contract_version: attack });
      await visit("about:blank", {}, async (page) => {
        for (const document of [junitReport(report), badge(report)]) {
          const parsed = await page.evaluate(`(${parseXml})(${JSON.stringify(document)})`);
          expect(parsed).toEqual({
            error: null,
            message: document.includes("testsuite") ? expect.stringContaining("two\nlines") : null,
          });
        }
      });
    });
  },
);

/** Runs in the page. @returns the parser's error, and the message of the first failure */
const parseXml = `(text) => {
  const parsed = new DOMParser().parseFromString(text, "application/xml");
  return {
    error: parsed.querySelector("parsererror")?.textContent ?? null,
    message: parsed.querySelector("failure")?.getAttribute("message") ?? null,
  };
}`;

/** Runs in the page, which lists hundreds of clauses: of those whose elements are the same, three are left. */
const thinned = `(() => {
  const counts = new Map();
  for (const element of document.querySelectorAll(".row, article.clause, a.cell")) {
    const look = [element, ...element.querySelectorAll("*")].map((one) => one.localName + "." + one.className).join();
    counts.set(look, (counts.get(look) ?? 0) + 1);
    if (counts.get(look) > 3) element.remove();
  }
})()`;

/** Runs in the page. @returns the rules of axe that it violates, each with an element; the contrast is verified apart */
const violations = `axe.run({ rules: { "color-contrast": { enabled: false } } }).then(({ violations }) =>
  violations.map(({ id, nodes }) => [id, nodes[0].html]))`;

/** Runs in the page. @returns each colour pair of visible text below the WCAG AA contrast of 4.5, with an example */
const weakContrasts = `(() => {
  const rgb = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgb(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const weak = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const element = text.parentElement;
    if (text.data.trim() === "" || !element.checkVisibility()) continue;
    const colour = getComputedStyle(element).color;
    const [one, other] = [light(rgb(colour)), light(ground(element))].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05);
    if (ratio < 4.5) weak.set(colour + " on " + ground(element), element.outerHTML.slice(0, 80) + " " + ratio.toFixed(2));
  }
  return [...weak];
})()`;
