import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { compareVersions } from "./version-order.ts";

/**
 * Reads the pinned releases of the contract; the newest version is in generated/. A process started with
 * CONTRACT_VERSION judges, serves and reports by that version: every fact of the contract is the pinned one.
 */
const generated = fileURLToPath(new URL("../generated/", import.meta.url));
const folder = process.env["CONTRACT_RELEASES"] ?? path.join(generated, "released");
const chosen = process.env["CONTRACT_VERSION"];

/** The files of a release other than its document. */
export const releaseFiles = ["clauses.json", "readings.json", "facts.json", "contract.md"] as const;

/** The path of a release's file; its document is `openapi.json`. */
export const releaseFile = (version: string, name: string): string =>
  name === "openapi.json" ? path.join(folder, `${version}.json`) : path.join(folder, version, name);

/** The pinned versions, oldest first. */
export function releasedVersions(): string[] {
  if (!existsSync(folder)) return [];
  const versions = readdirSync(folder).flatMap((name) => /^(.+)\.json$/.exec(name)?.[1] ?? []);
  return versions.toSorted(compareVersions);
}

const requirements = path.join(generated, "released", "requirements");

/** The releases of the suite whose checks and rules are pinned, oldest first. */
export const suiteReleases = (): string[] =>
  readdirSync(requirements)
    .map((name) => path.parse(name).name)
    .toSorted(compareVersions);

/** The file with the ids of the checks and rules that a release of the suite has. */
export const requirementsFile = (release: string): string => path.join(requirements, `${release}.json`);

const readJson = (name: string): unknown => JSON.parse(readFileSync(releaseFile(chosen!, name), "utf8"));

const facts =
  chosen === undefined
    ? {}
    : {
        ...(readJson("facts.json") as Record<string, unknown>),
        clauses: readJson("clauses.json"),
        readings: readJson("readings.json"),
      };

const newestFacts = new Map<string, unknown>();

/** A fact of the contract: of the version that the process was started with, or the newest. */
export function fact<const Value>(name: string, newest: Value): Value {
  newestFacts.set(name, newest);
  return Object.hasOwn(facts, name) ? ((facts as Record<string, unknown>)[name] as Value) : newest;
}

/** A fact of the newest version, whichever one the process uses; undefined until the module of the fact is loaded. */
export const newestFact = (name: string): unknown => newestFacts.get(name);

/** The OpenAPI document of the version that the process uses. */
export const documentFile = (): string =>
  chosen === undefined ? path.join(generated, "openapi.json") : releaseFile(chosen, "openapi.json");

/** The contract text of that version. */
export const contractFile = (): string =>
  chosen === undefined
    ? fileURLToPath(new URL("../spec/contract.md", import.meta.url))
    : releaseFile(chosen, "contract.md");
