import { execFileSync, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { contractVersion } from "../../generated/contract.ts";
import { catalogSchema } from "../catalog/shape.ts";
import { createMetrics } from "../http/metrics.ts";
import { proveBackup } from "./operation.fixture.ts";

/*
 * The instructions of docs/operation.md for an operator, carried out.
 */

proveBackup("SQLite");
proveBackup("Postgres");
// An upgrade that is rolled back: operation.proof.ts. Each step of the schema, on both: storage/upgrade.test.ts.

const repository = resolve(import.meta.dirname, "../..");

const deployed = (name: string): Promise<string> =>
  readFile(new URL(`../deploy/${name}`, import.meta.url), "utf8");
const page = await readFile(join(repository, "docs/operation.md"), "utf8");
/** The beginnings of the first column of a table of the page. */
const rowsOf = (name: RegExp): string[] => [...page.matchAll(name)].map(([, found]) => found!).toSorted();

test("each container of the composition has a health check of plain words", async () => {
  const { services } = parse(await deployed("compose.yaml"), { merge: true }) as {
    services: Record<string, { healthcheck?: { test: unknown[] } }>;
  };
  const words = Object.values(services).flatMap(({ healthcheck }) => healthcheck?.test ?? []);
  expect(words.length).toBeGreaterThan(0);
  expect(words.filter((word) => typeof word !== "string")).toEqual([]);
});

test("the images of the deployment have the version as their tag", async () => {
  const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  for (const name of ["compose.yaml", "kubernetes.yaml", "load-job.yaml", "Dockerfile"]) {
    const text = await deployed(name);
    const tags = [...text.matchAll(/(?:image: |-t )capability-(?:server|suite)(\S*)/g)].map(([, tag]) => tag);
    expect(new Set(tags), name).toEqual(new Set([`:${version}`]));
  }
});

test("the page has a row for every metric and every alert", async () => {
  const metrics = createMetrics("1");
  metrics.countHolds(() => Promise.resolve(0));
  metrics.watchLimiter(() => false);
  metrics.watchPool(() => ({}));
  const names = [...(await metrics.text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name).toSorted();
  expect(rowsOf(/^\| `(capability_\w+)`/gm)).toEqual(names);
  const alerts = [...(await deployed("alerts.yaml")).matchAll(/alert: (\w+)/g)].map(([, name]) => name);
  expect(rowsOf(/^\| `(Capability\w+)`/gm)).toEqual(alerts.toSorted());
});

test.skipIf(spawnSync("promtool", ["--version"]).status !== 0)("each alert fires, and only then", () => {
  const file = resolve(import.meta.dirname, "../deploy/alerts.test.yaml");
  execFileSync("promtool", ["test", "rules", file], { stdio: "pipe" });
});

test("the Ingress leads to the public paths only", async () => {
  const found = parseAllDocuments(await deployed("kubernetes.yaml")).map(
    (each) =>
      each.toJS() as { kind: string; spec: { rules: { http: { paths: { path: string }[] } }[] } } | null,
  );
  const ingress = found.find((each) => each?.kind === "Ingress");
  const paths = ingress!.spec.rules.flatMap(({ http }) => http.paths.map(({ path }) => path));
  const isLed = (path: string): boolean =>
    paths.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
  const asked = [
    "/api/v1/search",
    "/openapi.json",
    "/openapi.yaml",
    `/openapi/${contractVersion}.json`,
    "/reference/",
  ];
  expect([...asked, "/claim/start", "/pages.css"].filter((path) => !isLed(path))).toEqual([]);
  expect(["/metrics", "/healthz", "/readyz", "/-/clock", "/chaos"].filter(isLed)).toEqual([]);
});

test("nginx waits longer for an answer than a tool may take", async () => {
  const [, seconds] = /proxy_read_timeout (\d+)s/.exec(await deployed("nginx.conf"))!;
  const { maximum } = JSON.parse(/"timeout_ms":(\{[^}]*\})/.exec(JSON.stringify(catalogSchema))![1]!) as {
    maximum: number;
  };
  expect(Number(seconds) * 1_000).toBeGreaterThan(maximum);
});
