import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { withTemporaryFolder } from "./temporary-folder.ts";
import { requireWritable, written } from "./write.ts";

const folder = mkdtempSync(join(tmpdir(), "capability-contract-write-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("makes the folders of a file, even if others make them at the same time", async () => {
  const files = ["one", "other"].map((name) => join(folder, "reports/of/a/run", name));
  await Promise.all(files.map((file) => written(file, file)));
  expect(files.map((file) => readFileSync(file, "utf8"))).toEqual(files);
});

it("names a file that cannot be written because a file is in place of its folder", async () => {
  await written(join(folder, "report"), "");
  await expect(requireWritable(join(folder, "report/run.json"))).rejects.toThrow(
    /report\/run\.json cannot be written: /,
  );
});

it.runIf(existsSync("/proc/self"))("names a file in a folder that allows none", async () => {
  await expect(requireWritable("/proc/nowhere/deep/run.json")).rejects.toThrow(
    "/proc/nowhere/deep/run.json cannot be written: ENOENT",
  );
});

it("says what to set when there is no place for temporary files", async () => {
  vi.stubEnv("TMPDIR", join(folder, "nowhere"));
  const used = withTemporaryFolder(() => Promise.resolve());
  await expect(used).rejects.toThrow(
    /^no temporary folder: ENOENT.*; set TMPDIR to a folder that can be written$/,
  );
  vi.unstubAllEnvs();
});
