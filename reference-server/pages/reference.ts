import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Router } from "express";
import { html, page } from "./html.ts";

/** Only files of this host may run or be requested; Swagger UI sets styles of single elements. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'";

/**
 * Swagger UI: in the published package a copy, since its own package has one that reports who installs it; in a clone
 * the package of which tools/build.ts makes the copy.
 */
const copy = join(import.meta.dirname, "swagger-ui");
const files = existsSync(copy)
  ? copy
  : dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));

const start = `SwaggerUIBundle({ url: "/openapi.json", dom_id: "#reference", deepLinking: true, validatorUrl: null });`;

/** `/reference`: the API reference, which Swagger UI shows from the served document. */
export function createReference(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use((_request, response, next) => {
    response.set("Content-Security-Policy", policy);
    next();
  });
  router.get("/", (_request, response) => {
    const head = {
      title: "API reference",
      lang: "en",
      styles: ["/reference/swagger-ui.css"],
      scripts: ["/reference/swagger-ui-bundle.js", "/reference/start.js"],
    };
    response
      .set("Content-Type", "text/html; charset=utf-8")
      .end(page(head, html`<div id="reference"></div>`));
  });
  router.get("/start.js", (_request, response) => {
    response.set("Content-Type", "text/javascript; charset=utf-8").end(start);
  });
  for (const name of ["swagger-ui.css", "swagger-ui-bundle.js"])
    router.get(`/${name}`, (_request, response) => response.sendFile(name, { root: files, maxAge: "1d" }));
  return router;
}
