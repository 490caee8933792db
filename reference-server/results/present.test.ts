import pino from "pino";
import { expect, test, vi } from "vitest";
import { limitTopLevel, present } from "./present.ts";
import { parseRespondWith, type RespondWith } from "./projection.ts";

const log = pino({ level: "silent" });
const tool = { mapping: { rows: "rows" }, content_schema: { type: "object", title: "the tool's own" } };
const data = {
  rows: [
    { id: 1, text: "ü".repeat(100) },
    { id: 2, text: "b" },
  ],
};

function shown(
  respondWith: string | undefined,
  maxResponseSize: number,
  stored: string[] = [],
  fails = false,
) {
  const objects = {
    put: (name: string, content: string) => {
      if (fails) return Promise.reject(new Error("disk full"));
      stored.push(content);
      return Promise.resolve(`https://objects.example/${name}`);
    },
  };
  return present(
    { accountId: "a1", executionId: "ex1", tool, execution: { data, statusCode: 200 } },
    { respondWith: parseRespondWith(respondWith) as RespondWith, maxResponseSize },
    { objects, log },
  );
}

test("a result that fits is the payload itself, and nothing is stored", async () => {
  const stored: string[] = [];
  const size = Buffer.byteLength(JSON.stringify(data));
  for (const limit of [size, -1]) {
    expect(await shown("full", limit, stored)).toEqual({
      result: { status_code: 200, data },
      topLevelKeys: null,
    });
  }
  expect(stored).toEqual([]);
});

test("one extra byte: no data, but its beginning, its schema and the address of all of it", async () => {
  const stored: string[] = [];
  const limit = Buffer.byteLength(JSON.stringify(data)) - 1;
  const { result } = await shown(undefined, limit, stored);
  expect(Object.keys(result).sort()).toEqual(
    ["content_schema", "full_content_file_url", "message", "status_code", "truncated_content"].sort(),
  );
  expect(result.full_content_file_url).toBe("https://objects.example/ex1.json");
  expect(result.content_schema).toEqual(tool.content_schema);
  expect(stored).toEqual([JSON.stringify(data)]);
  expect(stored[0]!.startsWith(result.truncated_content as string)).toBe(true);
});

test("a summary shows statistics and no row", async () => {
  const { result, topLevelKeys } = await shown("summary", 20480);
  expect(Object.keys(result).sort()).toEqual(
    ["content_schema", "full_content_file_url", "message", "respond_with", "summary"].sort(),
  );
  expect(result.summary).toMatchObject({ row_count: 2, fields: ["id", "text"] });
  expect(JSON.stringify(result)).not.toContain("ü");
  const body = { execution_id: "ex1", success: true, billing: {}, search_id: "s", cost: 1, result };
  expect(Object.keys(limitTopLevel(body, topLevelKeys))).toEqual([
    "execution_id",
    "success",
    "cost",
    "result",
  ]);
});

test("a projection holds what was requested, and is truncated like any other content", async () => {
  const text = "fields:$.rows[*].id";
  expect((await shown(text, 20480)).result).toEqual({ respond_with: text, data: { id: [1, 2] } });
  const { result } = await shown("fields:$.rows[0].text", 50);
  expect(result).not.toHaveProperty("data");
  expect(result.content_schema).toMatchObject({ required: ["text"] });
});

/** What a result says that was not cut since it could not be stored. */
const uncut = expect.stringMatching(
  /^The content has \d+ bytes, more than max_response_size \(10\), but it could not be stored for download: data holds all of it, not cut\.$/,
) as string;

test("when the storage fails, paid content is answered whole, and says that it was not cut", async () => {
  expect((await shown("full", 10, [], true)).result).toEqual({ status_code: 200, message: uncut, data });
  expect((await shown("full", -1, [], true)).result).toEqual({ status_code: 200, data });
  expect((await shown("summary", 10, [], true)).result).not.toHaveProperty("full_content_file_url");
});

test("a storage that does not answer delays a call for ten seconds, and loses nothing", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const presenting = present(
      { accountId: "a1", executionId: "ex1", tool, execution: { data, statusCode: 200 } },
      { respondWith: { mode: "full" }, maxResponseSize: 10 },
      { objects: { put: () => new Promise<string>(() => undefined) }, log },
    );
    await vi.advanceTimersByTimeAsync(10_000);
    expect((await presenting).result).toEqual({ status_code: 200, message: uncut, data });
  } finally {
    vi.useRealTimers();
  }
});
