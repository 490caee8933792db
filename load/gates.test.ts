import { createServer, request as forward, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { contractVersion, responseHeaders } from "../generated/contract.ts";
import { withStatus } from "../conformance/changes/mutant.ts";
import type { Wire } from "../conformance/changes/wire.ts";
import { openStage } from "../conformance/proof/stage.ts";
import { failure } from "../reference-server/http/operation.ts";
import type { Clock } from "./engine/clock.ts";
import { goingBy, jumpingClock } from "./jumping-clock.fixture.ts";
import { load } from "./load.ts";
import { smallWindows } from "./mutants.fixture.ts";
import { smallest } from "./performed.fixture.ts";

const quota = 30;
const windowMs = 60_000;

/** Counts of fixed windows from the first request on. */
const countsBy = (clock: Clock) => {
  const windows = new Map<string, { endsAt: number; count: number }>();
  return (bucket: string) => {
    const known = windows.get(bucket);
    const window = known && known.endsAt > clock.now() ? known : { endsAt: clock.now() + windowMs, count: 0 };
    windows.set(bucket, window);
    return { ...window, count: (window.count += 1) };
  };
};

/** A gate in front of a server that serves every spelling of a path, and counts by a bucket. */
async function gate(
  upstream: string,
  bucketOf: (rawPath: string, path: string) => string,
  { count, clock }: { count: ReturnType<typeof countsBy>; clock: Clock },
): Promise<string> {
  const server: Server = createServer((request, response) => {
    const raw = request.url!;
    const path = decodeURI(raw.split("?")[0]!).replaceAll(/\/+/g, "/").replace(/\/$/, "");
    const isLimited = path.endsWith("/search") && request.headers.authorization !== undefined;
    const { count: used, endsAt } = isLimited ? count(bucketOf(raw, path)) : { count: 0, endsAt: 0 };
    const wait = String(Math.max(1, Math.ceil((endsAt - clock.now()) / 1000)));
    const shown = {
      "X-RateLimit-Limit": String(quota),
      "X-RateLimit-Remaining": String(Math.max(0, quota - used)),
      "X-RateLimit-Reset": String(Math.ceil(endsAt / 1000)),
    };
    if (used > quota) {
      response.writeHead(429, {
        ...shown,
        "Content-Type": "application/json",
        "Retry-After": wait,
        Date: new Date(clock.now()).toUTCString(),
        [responseHeaders.apiVersion]: contractVersion,
      });
      return void response.end(JSON.stringify(failure(429, "Too many requests.")));
    }
    const { hostname, port } = new URL(upstream);
    const options = { hostname, port, path, method: request.method, headers: request.headers };
    const onward = forward(options, (answer) => {
      for (const [name, value] of Object.entries({ ...answer.headers, ...(isLimited && shown) }))
        if (value !== undefined) response.setHeader(name, value);
      response.writeHead(answer.statusCode!);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
}

test("a limiter that counts by the raw path, and a second address with a count of its own, are named", async () => {
  const clock = jumpingClock(11_000);
  const stage = await openStage();
  onTestFinished(() => stage.close());
  const unlimited = { discover: 5000, inspect: 5000, probe: 5000, call: 5000, anonymous: 5000 };
  const names = async (byRawPath: boolean, sharing: boolean): Promise<string[]> =>
    stage.perform(goingBy(clock, { config: { ...smallWindows, quotas: unlimited } }), async (profile) => {
      const shared = { count: countsBy(clock), clock };
      const own = { count: sharing ? shared.count : countsBy(clock), clock };
      const bucketOf = (raw: string, path: string): string => (byRawPath ? raw.split("?")[0]! : path);
      const [one, other] = [
        await gate(profile.base_url, bucketOf, shared),
        await gate(profile.base_url, bucketOf, own),
      ];
      const options = { ...smallest, operations: ["discover"] as const, also: [other] };
      const { anonymous: _, ...limits } = { ...profile.limits, discover: quota };
      const given = { ...profile, base_url: one, limits };
      // One account has one key here: a gate does not know which keys belong together.
      const credentials = { ...profile.credentials, pool: [] };
      delete credentials.second_key_of_account;
      delete credentials.other_account;
      const features = { ...profile.features, trial: "not here" };
      const { findings } = await load(
        { ...given, credentials, features },
        { scenario: "rate-limits", options, thresholds: [] },
        {},
        clock,
      );
      return findings.map(({ name }) => name);
    });
  expect(await names(false, true)).toEqual([]);
  expect(await names(true, true)).toContain("counts-apart-by-spelling-of-the-path-an-escaped-letter");
  expect(await names(false, false)).toEqual(["counts-apart-by-server"]);
});

test("the quota of Call is judged before a server keeps records, and what its records would show is not", async () => {
  const clock = jumpingClock(11_000);
  const stage = await openStage();
  onTestFinished(() => stage.close());
  const judged = (features: object, wire?: Wire) =>
    stage.perform(goingBy(clock, { config: smallWindows, ...(wire && { wire }) }), async (profile) => {
      const options = { ...smallest, operations: ["call"] as const };
      const given = { ...profile, features: { ...profile.features, ...features } };
      const task = { scenario: "rate-limits", options, thresholds: [] } as const;
      const { ended, findings, limits, questions } = await load(given, task, {}, clock);
      const trace = questions?.find(({ what }) => what === "whether a refused Call leaves a trace");
      expect({ ended, findings }).toEqual({ ended: null, findings: [] });
      expect(limits?.[0]?.first_refusal).toMatchObject({});
      return trace?.lack?.what;
    });
  const off = "not implemented yet";
  expect(await judged({ usage: off, ledger: off })).toBe(`usage audit or ledger are off: ${off}`);
  const absent: Wire = ({ operation }, answer) =>
    operation === "listUsage" ? withStatus(404)(answer) : answer;
  expect(await judged({}, absent)).toBe("usage audit or ledger are not implemented (404)");
});
