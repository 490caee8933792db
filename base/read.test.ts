import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fromPipe, givenBytes } from "./read.ts";
import { withTemporaryFolder } from "./temporary-folder.ts";

it("gives up a pipe into which nothing is written", () =>
  withTemporaryFolder(async (folder) => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const said = /nothing was written into the pipe .* for 0\.1 s/;
    await expect(fromPipe(pipe, 0.1).toArray()).rejects.toThrow(said);
  }));

it("reads neither a device nor more than it may", async () => {
  await expect(givenBytes("/dev/zero", 1)).rejects.toThrow("/dev/zero is not a file");
  await expect(givenBytes(import.meta.filename, 1)).rejects.toThrow("the most that is read of it");
});
