import { createRequire } from "node:module";
import express from "express";
import type { AddressInfo } from "node:net";
import type { Server } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import pino from "pino";
import { chromium, type Browser, type Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { claimReasons, wrongCode } from "../accounts/claim-reasons.ts";
import { defaultConfig } from "../config.ts";
import { publishedOperations, readSpec } from "../http/published-operations.ts";
import { publishedSpec } from "../http/published-spec.ts";
import type { Allowance, Claims } from "../parts.ts";
import { createPages } from "./pages.ts";

const account = {
  id: "acc_1",
  type: "formal" as const,
  name: null,
  email: "jane@example.com",
  createdAt: 0,
  trialExpiresAt: null,
};
const refused = <Field extends string>(field: Field, reason: string) => ({
  status: "refused" as const,
  field,
  reason,
});

/** A claim whose code is 123456; accounts/claim.test.ts covers the real one. */
const claims: Claims = {
  start(claimCode, email) {
    if (email.endsWith("@broken.example")) return Promise.reject(new Error("no SMTP server"));
    if (claimCode !== "claim_abc")
      return Promise.resolve(refused("claim_code", claimReasons.unknownClaimCode.en));
    if (email.endsWith("@blocked.example")) {
      return Promise.resolve({ status: "blocked", reason: claimReasons.blocked.en });
    }
    return Promise.resolve({ status: "code_sent", emailMasked: "j***@example.com", codeExpiresAt: 0 });
  },
  verify(_claimCode, _email, code) {
    if (code !== "123456") return Promise.resolve(refused("code", wrongCode(4).en));
    return Promise.resolve({ status: "claimed", account });
  },
};

let allowed = true;
const limiter = {
  take: (_bucket: string, limit: number): Promise<Allowance> =>
    Promise.resolve({ allowed, limit, remaining: allowed ? 1 : 0, reset: 60, retryAfter: 42 }),
};

let server: Server;
let origin: string;

beforeAll(async () => {
  const app = express();
  publishedSpec(app);
  app.use(createPages({ claims, limiter, config: defaultConfig, log: pino({ level: "silent" }) }));
  server = await new Promise<Server>((resolve) => {
    const listening: Server = app.listen(0, "127.0.0.1", () => resolve(listening));
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

beforeEach(() => {
  allowed = true;
});

const post = (path: string, fields: Record<string, string>) =>
  fetch(origin + path, { method: "POST", body: new URLSearchParams(fields) });

test("the claim page speaks the requested language", async () => {
  const read = async (path: string, accept: string) =>
    (await fetch(origin + path, { headers: { "Accept-Language": accept } })).headers.get("content-language");
  expect(await read("/claim", "zh-CN,zh;q=0.9,en;q=0.5")).toBe("zh-CN");
  expect(await read("/claim", "en;q=0.9,zh;q=0.5")).toBe("en");
  expect(await read("/claim", "fr")).toBe("en");
  expect(await read("/claim?lang=zh", "en")).toBe("zh-CN");
});

test("typed text is shown again as text, never as markup", async () => {
  const typed = `"><script>alert(1)</script>`;
  const response = await post("/claim/start", { claim_code: typed, email: "a@example.com" });
  const body = await response.text();
  expect(response.status).toBe(422);
  expect(body).not.toContain("<script");
  expect(body).toContain("&#60;script&#62;");
  expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect(response.headers.get("cache-control")).toBe("no-store");
});

test("blocked claims, a used-up window and a mail that cannot be sent are reported on the page", async () => {
  const blocked = await post("/claim/start?lang=zh", { claim_code: "claim_abc", email: "a@blocked.example" });
  expect([blocked.status, await blocked.text()]).toEqual([
    200,
    expect.stringContaining(claimReasons.blocked.zh),
  ]);
  const failed = await post("/claim/start", { claim_code: "claim_abc", email: "a@broken.example" });
  expect([failed.status, await failed.text()]).toEqual([503, expect.stringContaining("could not be sent")]);
  allowed = false;
  const limited = await post("/claim/verify", {
    claim_code: "claim_abc",
    email: "a@example.com",
    code: "123456",
  });
  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "42"]);
  expect(await limited.text()).toContain("Try again in 42 seconds");
});

test("the reference loads only files of this host", async () => {
  const answer = await fetch(`${origin}/reference`);
  const body = await answer.text();
  expect(answer.headers.get("content-security-policy")).toContain("script-src 'self'");
  const files = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file!);
  expect(files.filter((file) => !file.startsWith("/reference/"))).toEqual(["data:,"]);
  for (const file of files.filter((name) => name.startsWith("/")))
    expect([file, (await fetch(origin + file)).status]).toEqual([file, 200]);
  expect((await fetch(`${origin}/reference/package.json`)).status).toBe(404);
});

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
const hasChromium = existsSync(executablePath);
if (!hasChromium)
  console.warn(`pages.test.ts: no ${executablePath}: the browser tests do not run; set CHROMIUM`);

describe.runIf(hasChromium)("in Chromium", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  });
  afterAll(() => browser.close());

  interface Options {
    locale?: string;
    width?: number;
    scripts?: boolean;
  }

  /** A page, without JavaScript unless asked for; requests to another origin and violations of its policy are recorded. */
  async function open(path: string, options: Options = {}) {
    const context = await browser.newContext({
      javaScriptEnabled: options.scripts ?? false,
      locale: options.locale ?? "en-GB",
      viewport: { width: options.width ?? 1200, height: 900 },
    });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(`${origin}/`) && !url.startsWith("data:")) faults.push(url);
    });
    page.on("console", (message) => {
      if (message.type() === "error" && !message.text().includes("422")) faults.push(message.text());
    });
    await page.goto(origin + path);
    return { page, faults };
  }

  const shot = async (page: Page, name: string) => {
    const folder = process.env.SCREENSHOTS;
    if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
  };

  const wordings = [
    {
      locale: "en-GB",
      claimCode: "Claim code",
      email: "E-mail address",
      send: "Send me a code",
      code: "Code of six digits",
      verify: "Claim the account",
      wrong: wrongCode(4).en,
      unknown: claimReasons.unknownClaimCode.en,
      done: "The account is yours",
    },
    {
      locale: "zh-CN",
      claimCode: "认领码",
      email: "邮箱地址",
      send: "发送验证码",
      code: "6 位验证码",
      verify: "认领账户",
      wrong: wrongCode(4).zh,
      unknown: claimReasons.unknownClaimCode.zh,
      done: "认领成功",
    },
  ];
  for (const words of wordings) {
    test(`a person claims an account, past two mistakes, without JavaScript (${words.locale})`, async () => {
      const { page, faults } = await open("/claim", { locale: words.locale });
      await shot(page, `claim-1-${words.locale}`);
      await page.getByLabel(words.claimCode).fill("claim_xyz");
      await page.getByLabel(words.email).fill("jane@example.com");
      await page.getByRole("button", { name: words.send }).click();
      const claimCode = page.getByLabel(words.claimCode);
      expect(await page.getByRole("alert").innerText()).toContain(words.unknown);
      expect(await claimCode.getAttribute("aria-invalid")).toBe("true");
      await shot(page, `claim-2-unknown-${words.locale}`);

      await claimCode.fill("claim_abc");
      await page.getByRole("button", { name: words.send }).click();
      await shot(page, `claim-3-code-${words.locale}`);
      await page.getByLabel(words.code).fill("654321");
      await page.getByRole("button", { name: words.verify }).click();
      expect(await page.getByRole("alert").innerText()).toContain(words.wrong);
      await shot(page, `claim-4-wrong-${words.locale}`);

      await page.getByLabel(words.code).fill("123 456");
      await page.keyboard.press("Enter");
      expect(await page.getByRole("status").innerText()).toContain("jane@example.com");
      expect(await page.getByRole("heading", { level: 1 }).innerText()).toContain(words.done);
      await shot(page, `claim-5-done-${words.locale}`);
      expect(faults).toEqual([]);
      await page.context().close();
    });
  }

  describe("the reference", () => {
    // Opened once: drawing it takes seconds.
    let page: Page;
    let faults: string[];
    beforeAll(async () => {
      ({ page, faults } = await open("/reference", { width: 390, scripts: true }));
    });
    afterAll(() => page.context().close());

    /** Changes the colours, without the transitions between them. */
    async function showIn(colorScheme: "light" | "dark"): Promise<void> {
      await page.emulateMedia({ colorScheme });
      await page.locator(colorScheme === "dark" ? "html.dark-mode" : "html:not(.dark-mode)").waitFor();
      await page.evaluate("document.getAnimations().forEach((transition) => transition.finish())");
    }

    const violations = (context: string, options = {}): Promise<unknown> =>
      page.evaluate(
        `axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)})
          .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))`,
      );

    async function expectNoViolation(context: string): Promise<void> {
      expect(await violations(context)).toEqual([]);
      await showIn("dark");
      // Of what axe verifies, only contrast depends on the colours.
      expect(await violations(context, { runOnly: ["color-contrast"] })).toEqual([]);
      await showIn("light");
    }

    test("shows every operation of the spec, and fits a phone", async () => {
      for (const { id } of publishedOperations(readSpec()))
        await page.locator(`[id$="-${id}"]`).first().waitFor({ timeout: 20_000 });
      await shot(page, "reference-phone");
      expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
      expect(faults).toEqual([]);
    });

    test("asks its own address, and violates no rule of axe, light or dark", async () => {
      await page.setViewportSize({ width: 1200, height: 900 });
      await page.locator("#operations-Tools-discover").waitFor();
      await page.evaluate(
        readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"),
      );
      await expectNoViolation("html");
      await page.locator("#operations-Tools-discover .opblock-summary-control").click();
      await page.getByRole("button", { name: "Try it out" }).click();
      await page.getByRole("button", { name: "Execute", exact: true }).click();
      const asked = page.locator(".request-url pre");
      expect(await asked.innerText()).toBe(`${origin}/api/v1/search`);
      await shot(page, "reference");
      await expectNoViolation("#operations-Tools-discover");
    });
  });
});
