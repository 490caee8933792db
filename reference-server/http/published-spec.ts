import type { Express } from "express";
import { readFileSync } from "node:fs";
import { basePath, contractVersion } from "../../generated/contract.ts";
import { specFile } from "./published-operations.ts";

/**
 * Serves the spec as JSON and YAML, at stable addresses and at ones that name the version (contract: Versioning):
 * `/openapi.json` and `/openapi/VERSION.json`, at the root and under the path prefix.
 */
export function publishedSpec(app: Express): void {
  const forms = [
    { form: "json" as const, type: "application/json; charset=utf-8" },
    { form: "yaml" as const, type: "application/yaml; charset=utf-8" },
  ];
  for (const { form, type } of forms) {
    const text = readFileSync(specFile(form), "utf8");
    for (const prefix of ["", basePath]) {
      app.get(
        [`${prefix}/openapi.${form}`, `${prefix}/openapi/${contractVersion}.${form}`],
        (_request, response) => {
          response.set("Content-Type", type).end(text);
        },
      );
    }
  }
}
