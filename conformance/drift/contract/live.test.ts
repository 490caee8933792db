import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { contractVersion } from "../../../generated/contract.ts";
import { staged } from "../../proof/staged.fixture.ts";
import { defaultProfile } from "../../server/profile.ts";
import { Unreachable } from "../../../base/exit.ts";
import { driftLive } from "./live.ts";
import { readSource } from "../source.ts";

const ours = await readSource("generated/openapi.json");

const settings = { today: "2026-11-20" };

/** A server of another contract: a later version, without one operation, and with an extra field in an answer. */
const server = createServer((request, response) => {
  const answer = (status: number, body: unknown): void => {
    response.writeHead(status, {
      "content-type": 'Application/JSON;charset=UTF-8; profile="x"',
      "x-service-api-version": "2099-01-01.1",
    });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
  if (request.url === "/api/v1/openapi.json") {
    const theirs = JSON.parse(readFileSync("generated/openapi.json", "utf8")) as {
      paths: Record<string, unknown>;
    };
    Reflect.deleteProperty(theirs.paths, "/auth/verify-token");
    answer(200, theirs);
  } else if (request.url === "/api/v1/openapi/2099-01-01.1.json") answer(200, "{}");
  else if (request.url === "/api/v1/search") {
    answer(401, { search_id: "srch_failed", total: 0, results: [], colour: "red" });
  } else answer(404, { status: "failure", message: "not here" });
});
await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
afterAll(() => server.close());

test("a server of another contract is recognised by its header, its document and its answers", async () => {
  const report = await driftLive(defaultProfile(`${origin}/api/v1`), ours, settings);
  const changesOf = (kind: string) => report.changes.filter((change) => change.kind === kind);
  expect(report).toMatchObject({ old_version: contractVersion, new_version: "2099-01-01.1" });
  expect(changesOf("live_version_differs")[0]).toMatchObject({
    class: "breaking",
    old: contractVersion,
    new: "2099-01-01.1",
  });
  expect(changesOf("live_pinned_document_differs")).toHaveLength(1);
  expect(changesOf("operation_removed").map(({ operations }) => operations)).toEqual([
    ["POST /auth/verify-token"],
  ]);
  expect(changesOf("live_field_undocumented")[0]).toMatchObject({
    where: "answer 401: colour",
    operations: ["POST /search"],
  });
  expect(changesOf("live_media_type_undocumented")).toEqual([]);
  expect(report.notes.join("\n")).toContain("not seen: no trial account can be registered");
});

// Seen with a profile it does not drift either, however it varies: live.proof.ts.
test("the reference server does not drift, seen without a profile", async () => {
  await staged(async ({ base_url: url }) => {
    const { changes, old_version, new_version } = await driftLive(defaultProfile(url), ours, settings);
    expect(changes.map(({ kind, where, new: found }) => [kind, where, found])).toEqual([]);
    expect(new_version).toBe(old_version);
  });
});

test("an absent server is reported as unreachable", async () => {
  await expect(driftLive(defaultProfile("http://127.0.0.1:1/api/v1"), ours, settings)).rejects.toThrow(
    Unreachable,
  );
});
