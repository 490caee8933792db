import express, { Router, type ErrorRequestHandler, type Request, type Response } from "express";
import { readFileSync } from "node:fs";
import type { Language } from "../../generated/contract.ts";
import { reasonInChinese } from "../accounts/claim-reasons.ts";
import { RateLimited } from "../http/errors.ts";
import { takeFromWindow } from "../http/rate-limits.ts";
import type { Context } from "../http/operation.ts";
import { claimPage, type ClaimForm, type ClaimStep, type Problem } from "./claim-page.ts";
import { claimTexts } from "./claim-texts.ts";
import { createReference } from "./reference.ts";

/** Only the style sheet may load, nothing may run, and no other site may frame the pages or receive their forms. */
const policy =
  "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

type PagesContext = Pick<Context, "claims" | "limiter" | "config" | "log">;

/**
 * The pages for people, outside the API's prefix: `/claim` (the claim of a trial, as plain forms) and `/reference` (the
 * API reference). The claim's posts count against the address like the API's open operations.
 * There is no session: the codes in the forms are the credentials, so cross-site requests gain nothing.
 */
export function createPages(context: PagesContext): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const style = readFileSync(new URL("pages.css", import.meta.url), "utf8");

  router.use(["/claim", "/reference", "/pages.css"], (_request, response, next) => {
    response.set({
      "Content-Security-Policy": policy,
      "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer",
    });
    next();
  });
  router.get("/pages.css", (_request, response) => {
    response.set({ "Content-Type": "text/css; charset=utf-8", "Cache-Control": "max-age=300" }).end(style);
  });
  router.use("/reference", createReference());
  claimRoutes(router, context);
  router.use(tooMany);
  return router;
}

/** The form of a claim and its two posts. */
function claimRoutes(router: Router, { claims, limiter, config, log }: PagesContext): void {
  const form = express.urlencoded({ extended: false, limit: "8kb" });
  router.get("/claim", (request, response) => {
    show(request, response, 200, "start", formOf(request), null);
  });
  router.post("/claim/start", form, async (request, response) => {
    await takeFromWindow(limiter, config, "anonymous", { address: request.ip ?? "unknown" }, response);
    const form = formOf(request);
    let answer: Awaited<ReturnType<typeof claims.start>>;
    try {
      answer = await claims.start(form.claimCode, form.email);
    } catch (error) {
      log.error({ error }, "a claim could not be started");
      const message = claimTexts[languageOf(request)].failed;
      return show(request, response, 503, "start", form, { field: null, message });
    }
    if (answer.status === "code_sent")
      return show(request, response, 200, "verify", { ...form, code: "" }, null);
    const message = translated(request, answer.reason);
    if (answer.status === "blocked") {
      return show(request, response, 200, "start", form, { field: null, message }, true);
    }
    show(request, response, 422, "start", form, { field: answer.field, message });
  });
  router.post("/claim/verify", form, async (request, response) => {
    await takeFromWindow(limiter, config, "anonymous", { address: request.ip ?? "unknown" }, response);
    const form = formOf(request);
    const answer = await claims.verify(form.claimCode, form.email, form.code);
    if (answer.status === "claimed") return show(request, response, 200, "done", form, null);
    const problem = { field: answer.field, message: translated(request, answer.reason) };
    show(
      request,
      response,
      422,
      answer.field === "code" ? "verify" : "start",
      { ...form, code: "" },
      problem,
    );
  });
}

/** Shown beyond an address's quota: the form again, with the time to wait. */
const tooMany: ErrorRequestHandler = (error, request, response, next) => {
  if (!(error instanceof RateLimited) || !request.path.startsWith("/claim")) return next(error);
  const message = claimTexts[languageOf(request)].tooMany(Number(error.headers["Retry-After"]));
  response.set(error.headers);
  const step = request.path === "/claim/verify" ? "verify" : "start";
  show(request, response, 429, step, formOf(request), { field: null, message });
};

function show(
  request: Request,
  response: Response,
  status: number,
  step: ClaimStep,
  form: ClaimForm,
  problem: Problem | null,
  blocked = false,
): void {
  const lang = languageOf(request);
  response.status(status).set({
    "Content-Type": "text/html; charset=utf-8",
    "Content-Language": lang === "zh" ? "zh-CN" : "en",
    "Cache-Control": "no-store",
    Vary: "Accept-Language",
  });
  response.end(claimPage(lang, step, form, problem, blocked));
}

/** The input without surrounding spaces; a code may also contain a space between two groups. */
function formOf(request: Request): ClaimForm {
  const body = (request.body ?? {}) as Record<string, unknown>;
  const text = (name: string) => (typeof body[name] === "string" ? body[name].trim().slice(0, 300) : "");
  return { claimCode: text("claim_code"), email: text("email"), code: text("code").replaceAll(" ", "") };
}

function languageOf(request: Request): Language {
  const asked = request.query.lang;
  if (asked === "zh" || asked === "en") return asked;
  return request.acceptsLanguages("en", "zh") === "zh" ? "zh" : "en";
}

const translated = (request: Request, reason: string): string =>
  languageOf(request) === "zh" ? reasonInChinese(reason) : reason;
