import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Router } from "express";
import { basePath } from "../../generated/contract.ts";
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

/** The files of the page, with their folders. */
const served = [
  ["swagger-ui.css", files],
  ["swagger-ui-bundle.js", files],
  ["reference.css", import.meta.dirname],
  ["reference-start.js", import.meta.dirname],
] as const;

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
      styles: ["/reference/swagger-ui.css", "/reference/reference.css"],
      scripts: ["/reference/swagger-ui-bundle.js", "/reference/reference-start.js"],
    };
    response
      .set("Content-Type", "text/html; charset=utf-8")
      .end(page(head, html`<div id="reference" data-path-prefix="${basePath}"></div>`));
  });
  for (const [name, root] of served)
    router.get(`/${name}`, (_request, response) => response.sendFile(name, { root, maxAge: "1d" }));
  return router;
}
