import type { Express } from "express";
import { existsSync, readFileSync } from "node:fs";
import { stringify } from "yaml";
import { basePath, contractVersion } from "../../generated/contract.ts";
import { documentFile, releasedVersions, releaseFile, releaseFiles } from "../../base/pinned.ts";

const types = {
  json: "application/json; charset=utf-8",
  yaml: "application/yaml; charset=utf-8",
  md: "text/markdown; charset=utf-8",
};

/**
 * Serves the spec as JSON and YAML, at stable addresses and at versioned ones (contract: Versioning), at the root and
 * under the path prefix: `/openapi.json`, `/openapi/VERSION.json`. The files of a release keep their addresses: its
 * document, and `/contract/VERSION/clauses.json` and so on.
 */
export function publishedSpec(app: Express): void {
  const serve = (address: string, type: keyof typeof types, read: () => string): void => {
    let text: string | undefined;
    app.get([address, `${basePath}${address}`], (_request, response) => {
      response.set("Content-Type", types[type]).end((text ??= read()));
    });
  };
  const document = (name: string, file: string): void => {
    const json = (): string => readFileSync(file, "utf8");
    serve(`${name}.json`, "json", json);
    serve(`${name}.yaml`, "yaml", () =>
      stringify(JSON.parse(json()), { aliasDuplicateObjects: false, lineWidth: 0 }),
    );
  };
  document("/openapi", documentFile());
  document(`/openapi/${contractVersion}`, documentFile());
  for (const version of releasedVersions()) {
    if (version !== contractVersion) document(`/openapi/${version}`, releaseFile(version, "openapi.json"));
    for (const name of releaseFiles) {
      const file = releaseFile(version, name);
      if (!existsSync(file)) continue;
      serve(`/contract/${version}/${name}`, name === "contract.md" ? "md" : "json", () =>
        readFileSync(file, "utf8"),
      );
    }
  }
}
