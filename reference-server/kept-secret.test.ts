import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { keptSecret } from "./kept-secret.ts";
import { systemRandom } from "./storage/temporary.fixture.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "secret-"))));
afterAll(() => rm(folder, { recursive: true }));

it("is one whole secret for all that start together, and the same one later", async () => {
  const path = join(folder, "key");
  const secrets = await Promise.all(Array.from({ length: 20 }, () => keptSecret(path, systemRandom)));
  expect(new Set(secrets.map((each) => each.toString("hex"))).size).toBe(1);
  expect(await keptSecret(path, systemRandom)).toEqual(secrets[0]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(["key"]);
});

it("refuses a file that holds something else", async () => {
  const path = join(folder, "short");
  await writeFile(path, "too short");
  await expect(keptSecret(path, systemRandom)).rejects.toThrow("must hold 32 bytes");
});
