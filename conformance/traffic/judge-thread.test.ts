import { expect, it } from "vitest";
import type { Crossed } from "./crossed.ts";
import { JudgeThread } from "./judge-thread.ts";
import type { Live } from "./traffic-judge.ts";

const baseUrl = "https://api.example.com/api/v1";
const brief = { party: "server", complete: false, baseUrl } as const;

const crossed = (members: Partial<Crossed> = {}): Crossed => ({
  startedAt: 1_800_000_000_000,
  durationMs: 5,
  method: "POST",
  url: `${baseUrl}/search`,
  headers: ["Authorization", "Bearer key-of-a-client"],
  sent: new Uint8Array(Buffer.from('{"query":"weather"}')),
  answer: { status: 200, headers: ["Content-Type", "application/json"], body: new Uint8Array([0x7b, 0x7d]) },
  error: null,
  missing: [],
  ...members,
});

it("judges exchanges in the order in which it gets them, whether one waits for it or not", async () => {
  const heard: string[] = [];
  const thread = await JudgeThread.start(brief, ({ exchange }) => heard.push(exchange.request.url));
  const judged: Live[][] = [];
  for (const query of ["?a", "?b"]) {
    thread.later(crossed({ url: `${baseUrl}/search${query}` }), ({ live }) => judged.push(live));
  }
  const { live: last } = await thread.now(crossed({ url: `${baseUrl}/search?c` }));
  expect(judged.every((live) => live.length > 0)).toBe(true);
  expect(last.map(({ exchange }) => exchange.account)).toContain("«key 1»");
  expect([...new Set(heard.map((url) => new URL(url).search))]).toEqual(["?a", "?b", "?c"]);
  thread.missed();
  const { report, counts } = await thread.end(baseUrl, "a test");
  expect(counts).toEqual({ judged: 3, partial: 0, answered: 3, missed: 1, foreign: 0 });
  expect(report.summary.fail).toBeGreaterThan(0);
});

it("that fails says so to every caller that waits for it", async () => {
  const thread = await JudgeThread.start(brief, () => undefined);
  const broken = crossed({ url: null as unknown as string });
  await expect(thread.now(broken)).rejects.toThrow();
  await expect(thread.failed).rejects.toThrow();
  await expect(thread.settled()).rejects.toThrow();
  await expect(thread.end(baseUrl, "a test")).rejects.toThrow();
});
