import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip } from "node:zlib";
import { expect, it } from "vitest";
import { withTemporaryFolder } from "../../base/temporary-folder.ts";
import { contractVersion } from "../../generated/contract.ts";
import { harEntryOf } from "./write-har.ts";

const program = resolve(import.meta.dirname, "../../cli/cli.ts");

/** An entry with a long answer. */
const entry = JSON.stringify(
  harEntryOf({
    operation: null,
    account: null,
    started_at: 1_800_000_000_000,
    duration_ms: 5,
    request: {
      method: "POST",
      url: "https://api.example.com/api/v1/search",
      headers: { authorization: "Bearer sk_live_0123456789abcdef" },
      body: JSON.stringify({ query: "weather" }),
    },
    response: {
      status: 200,
      headers: { "content-type": "application/json", "x-service-api-version": contractVersion },
      body: JSON.stringify({ search_id: "s", results: [], padding: "x".repeat(60_000) }),
    },
    error: null,
  }),
);

it("a HAR file of any size is judged in bounded memory", () =>
  withTemporaryFolder(async (folder) => {
    const count = Math.ceil((200 * 2 ** 20) / entry.length);
    function* texts(): Generator<string> {
      yield '{"log":{"entries":[';
      for (let index = 0; index < count; index += 1) yield index === 0 ? entry : `,${entry}`;
      yield "]}}";
    }
    const packed = join(folder, "large.har.gz");
    await pipeline(texts, createGzip({ level: 1 }), createWriteStream(packed));
    // The file exceeds the memory of the process, which would crash if it kept the whole. It needs about 50 MB; a collector
    // that gets no core for a while needs room.
    const ended = await promisify(execFile)(process.execPath, [
      "--max-old-space-size=160",
      program,
      "judge",
      packed,
    ]).catch((error: unknown) => error as { stdout: string; stderr: string; signal: string });
    expect(ended.stdout, JSON.stringify({ signal: null, ...ended, stdout: "" })).toContain(
      `${count} exchanges of the API; 0 others`,
    );
  }));
