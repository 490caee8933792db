import { readdirSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { contractVersion } from "../../../generated/contract.ts";
import type { Report } from "../../report/report.ts";
import judge from "../judge.ts";

const here = new URL(".", import.meta.url).pathname;
const fixtures = readdirSync(here).filter((name) => /\.(har|json)$/.test(name));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "capability-contract-dialects-"));
  for (const name of fixtures) {
    const text = await readFile(join(here, name), "utf8");
    await writeFile(join(folder, name), text.replaceAll("CONTRACT-VERSION", contractVersion));
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a run of the verb says and reports. */
async function judged(file: string, ...flags: string[]) {
  const out = join(folder, "report.json");
  const log = vi.spyOn(console, "log").mockReturnValue();
  try {
    const status = await judge.run("judge", [file, "--json", out, ...flags]);
    const report = JSON.parse(await readFile(out, "utf8")) as Report;
    return { status, report, said: log.mock.calls.flat().join("\n") };
  } finally {
    log.mockRestore();
  }
}

const redIn = ({ checks }: Report): string[] =>
  checks.filter(({ verdict }) => !["pass", "unverified"].includes(verdict)).map(({ id }) => id);

/** The fixtures hold the same four exchanges of one server, with these three defects. */
const defects = ["DISC-46/always", "VERS-02/always", "DISC-03/discover-200-total"].sort();

const body = "the body of the response";
const duration = "the duration";
const clock = "the time of day";
const cached = { "from a cache or a service worker": 1 };
const tunnel = { "tunnels of a proxy": 1 };

/** Each dialect with what its peculiar entries take away. */
const dialects: Record<
  string,
  Pick<NonNullable<Report["recording"]>, "judged" | "incomplete" | "skipped">
> = {
  "charles.har": { judged: 5, incomplete: { [body]: 1 }, skipped: {} },
  "chrome.har": { judged: 5, incomplete: { [body]: 1 }, skipped: { ...cached, "never sent": 1 } },
  "fiddler.har": { judged: 5, incomplete: { [body]: 1 }, skipped: tunnel },
  "firefox.har": { judged: 6, incomplete: { [body]: 2 }, skipped: cached },
  "insomnia.har": { judged: 5, incomplete: { [clock]: 5, [duration]: 1 }, skipped: {} },
  "mitmproxy.har": { judged: 6, incomplete: { [body]: 1 }, skipped: tunnel },
  "newman.json": { judged: 3, incomplete: { [clock]: 3, [duration]: 1 }, skipped: {} },
  "playwright.har": {
    judged: 5,
    incomplete: { [duration]: 5 },
    skipped: { "answered by the test itself": 1 },
  },
  "postman.json": { judged: 4, incomplete: { [clock]: 4, [duration]: 4 }, skipped: {} },
  "proxyman.har": { judged: 7, incomplete: { [body]: 2, "the body of the request": 1 }, skipped: {} },
  "safari.har": { judged: 6, incomplete: { [duration]: 1 }, skipped: cached },
};

describe("a recording of", () => {
  it.each(Object.entries(dialects))("%s is judged as far as the tool wrote it", async (name, counts) => {
    const { status, report, said } = await judged(join(folder, name));
    expect(redIn(report).sort()).toEqual(defects);
    expect(status).toBe(1);
    expect(report.target).toBe("https://api.example.com/api/v1");
    expect(report.recording).toMatchObject(counts);
    for (const [reason, count] of Object.entries({ ...counts.incomplete, ...counts.skipped }))
      expect(said).toContain(`${count} ${reason}`);
  });

  it.each(Object.keys(dialects))("%s accuses no client", async (name) => {
    const { report } = await judged(join(folder, name), "--client");
    expect(redIn(report)).toEqual([]);
  });

  it("any day has the same verdicts five years later", async () => {
    const verdicts = ({ report }: Awaited<ReturnType<typeof judged>>) =>
      report.checks.map(({ id, verdict }) => `${id} ${verdict}`);
    const now = await judged(join(folder, "chrome.har"));
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 5 * 366 * 86_400_000 });
    const later = await judged(join(folder, "chrome.har")).finally(() => vi.useRealTimers());
    expect(verdicts(later)).toEqual(verdicts(now));
  });

  it("every tool of the table has a fixture", () => {
    const fixtures = readdirSync(here).filter(
      (name) => /\.(har|json)$/.test(name) && !name.includes("-body"),
    );
    expect(fixtures.sort()).toEqual(Object.keys(dialects));
  });
});

interface Har {
  log: { entries: Record<string, Record<string, unknown>>[] };
}

/** A fixture, changed. */
async function changed(name: string, change: (har: Har) => unknown): Promise<string> {
  const har = JSON.parse(await readFile(join(folder, name), "utf8")) as Har;
  change(har);
  const file = join(folder, "changed.har");
  await writeFile(file, JSON.stringify(har));
  return file;
}

const each =
  (change: (entry: Har["log"]["entries"][number], index: number) => unknown) =>
  ({ log }: Har): void => {
    log.entries.splice(4);
    for (const [index, entry] of log.entries.entries()) change(entry, index);
  };

describe("a collection", () => {
  const base = "https://api.example.com/api/v1";
  /** The collection, its text changed. */
  async function collection(change: (text: string) => string): Promise<string> {
    const file = join(folder, "changed.json");
    await writeFile(file, change(await readFile(join(folder, "postman.json"), "utf8")));
    return file;
  }

  it.each([
    ["{{base}}", "{{server}}"],
    ["{{base}}", "https://{{host}}/api/v1"],
  ])(
    "whose addresses begin with %s of an environment, as %s, is judged at --base-url",
    async (own, other) => {
      const file = await collection((text) => text.replaceAll(own, other));
      const { report } = await judged(file, "--base-url", base);
      expect(redIn(report).sort()).toEqual(defects);
      expect(report.recording).toMatchObject({ judged: 4, skipped: {} });
    },
  );

  it("whose requests hold variables without a value has no request that is known", async () => {
    const file = await collection((text) => text.replaceAll("{{base}}/search", "{{base}}/{{path}}"));
    const { report } = await judged(file);
    expect(report.recording!.skipped).toEqual({
      "without an absolute address": expect.any(Number) as number,
    });
    const bodies = await collection((text) => text.replaceAll('\\"weather\\"', '\\"{{query}}\\"'));
    expect((await judged(bodies)).report.recording!.incomplete).toHaveProperty("the body of the request");
  });

  it("whose address has variables of its path is read with their values", async () => {
    const file = await collection((text) =>
      text
        .replaceAll(/"raw": "\{\{base\}\}\/search",/g, '$& "variable": [{"key": "name", "value": "search"}],')
        .replaceAll("{{base}}/search", "{{base}}/:name"),
    );
    expect(redIn((await judged(file)).report).sort()).toEqual(defects);
  });
});

describe("a recording in which", () => {
  it.each([
    ["are numbers", (at: string) => Date.parse(at)],
    ["are seconds since the epoch", (at: string) => Date.parse(at) / 1000],
    ["have no zone", (at: string) => at.replace("Z", "")],
    ["are absent", () => undefined],
  ])("the times %s is still judged", async (_, time) => {
    const file = await changed(
      "chrome.har",
      each((entry) => Object.assign(entry, { startedDateTime: time(String(entry["startedDateTime"])) })),
    );
    expect(redIn((await judged(file)).report).sort()).toEqual(defects);
  });

  it("no body is kept shows what headers and status show", async () => {
    const file = await changed(
      "chrome.har",
      each(({ request, response }) => {
        delete request!["postData"];
        response!["content"] = { size: 100, mimeType: "application/json" };
      }),
    );
    const { report, status } = await judged(file);
    expect(redIn(report)).toEqual(["VERS-02/always"]);
    expect(status).toBe(1);
  });

  it("nothing can be judged is not a success, and says why", async () => {
    const file = await changed(
      "chrome.har",
      each(({ response }) => Object.assign(response!, { status: 0, headers: [], content: {} })),
    );
    const { status, said } = await judged(file);
    expect(status).toBe(3);
    expect(said).toContain("nothing was judged");
    const client = await judged(file, "--client");
    expect(client.status).toBe(3);
    expect(client.said).toContain("No request was answered");
  });

  it("host and port are spelled in two ways has one server", async () => {
    const file = await changed(
      "chrome.har",
      each(({ request }, index) => {
        if (index % 2 === 0)
          request!["url"] = String(request!["url"]).replace(
            "https://api.example.com",
            "https://API.Example.com:443",
          );
      }),
    );
    const { report } = await judged(file);
    expect(report.recording).toMatchObject({ judged: 4, others: 0 });
    expect(
      redIn((await judged(file, "--base-url", "https://api.EXAMPLE.com:443/api/v1/")).report).sort(),
    ).toEqual(defects);
  });

  it.each([
    ["Content-Length is more than arrived", (content: Record<string, unknown>) => content],
    ["the tool kept less than its size", (content: Record<string, unknown>) => ({ ...content, size: 2000 })],
  ])("%s blames no server", async (_, sized) => {
    const file = await changed(
      "fiddler.har",
      each(({ response }) => {
        if (response === undefined || response["status"] === 0) return;
        const text = String((response["content"] as Record<string, unknown>)["text"] ?? "").slice(0, 60);
        response["content"] = sized({ size: Buffer.byteLength(text), text });
      }),
    );
    expect(redIn((await judged(file)).report)).toEqual([]);
  });
});

describe("a file that is", () => {
  const har = (): Promise<string> => readFile(join(folder, "firefox.har"), "utf8");
  const stored = async (bytes: Buffer): Promise<string> => {
    const file = join(folder, "stored.har");
    await writeFile(file, bytes);
    return file;
  };

  it.each([
    ["UTF-16", (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le")],
    ["big-endian UTF-16", (text: string) => Buffer.from(`\uFEFF${text}`, "utf16le").swap16()],
    ["deflated, as .zhar of mitmproxy", (text: string) => deflateSync(text)],
    ["padded with NUL", (text: string) => Buffer.concat([Buffer.from(text), Buffer.alloc(700)])],
  ])("%s is read", async (_, encode) => {
    expect(redIn((await judged(await stored(encode(await har())))).report).sort()).toEqual(defects);
  });

  it.each([
    ["a zip", "504b03041400", /is a zip archive/],
    ["a session of Charles", "aced00057372", /is a session of Charles/],
    ["a dump of mitmproxy", Buffer.from("1234:7:version").toString("hex"), /mitmdump -nr/],
    ["a capture", "d4c3b2a10200", /is a capture of packets/],
    ["HTML", Buffer.from("<!doctype html>").toString("hex"), /is a document of markup/],
    ["another JSON", Buffer.from('{"openapi":"3.1.0"}').toString("hex"), /is JSON, but not a HAR file/],
  ])("%s is named as such", async (_, hex, sentence) => {
    await expect(judged(await stored(Buffer.from(hex, "hex")))).rejects.toThrow(sentence);
  });
});
