import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { staged } from "../proof/staged.fixture.ts";
import { forwarding } from "../server/forwarding.fixture.ts";

const repository = resolve(import.meta.dirname, "../..");
const home = await mkdtemp(join(tmpdir(), "capability-contract-vitest-"));
afterAll(() => rm(home, { recursive: true, force: true }));

interface Results {
  success: boolean;
  testResults: {
    message: string;
    assertionResults: { title: string; status: string; failureMessages: string[] }[];
  }[];
}

/** Runs the fixture in a separate vitest process, as an implementer would. */
async function vitest(
  environment: Record<string, string>,
): Promise<Results["testResults"][0] & { status: number }> {
  const output = join(home, `${Object.values(environment).join("-").replace(/\W/g, "")}.json`);
  const status = await new Promise<number>((done) => {
    execFile(
      process.execPath,
      [
        join(repository, "node_modules/vitest/vitest.mjs"),
        "run",
        "--config",
        join(repository, "conformance/run/vitest.fixture.config.ts"),
        "--reporter=json",
        `--outputFile=${output}`,
      ],
      { cwd: repository, env: { ...process.env, ...environment } },
      (error) => done(error === null ? 0 : Number(error.code)),
    );
  });
  const { testResults } = JSON.parse(await readFile(output, "utf8")) as Results;
  return { ...testResults[0]!, status };
}

const withStatus = (results: Results["testResults"][0], status: string) =>
  results.assertionResults.filter((result) => result.status === status);

describe("the vitest adapter", () => {
  it("makes each check a test that names clause, expectation and curl line when it fails", async () => {
    await staged(async ({ base_url }) => {
      const right = await vitest({ FIXTURE_BASE_URL: base_url, FIXTURE_ONLY: "DISC" });
      expect(withStatus(right, "failed")).toEqual([]);
      expect(right.status).toBe(0);
      expect(withStatus(right, "passed").length).toBeGreaterThan(20);
      expect(withStatus(right, "skipped").length).toBeGreaterThan(0);

      const broken = await forwarding(base_url, (body) => body.replaceAll('"search_id"', '"searchId"'));
      try {
        const wrong = await vitest({
          FIXTURE_BASE_URL: broken.baseUrl,
          FIXTURE_ONLY: "DISC-02,DISC-43",
          FIXTURE_STRICT: "yes",
        });
        expect(wrong.status).toBe(1);
        expect(withStatus(wrong, "skipped")).toEqual([]);
        const messages = withStatus(wrong, "failed").flatMap(({ failureMessages }) => failureMessages);
        expect(messages).toContainEqual(
          expect.stringMatching(/^Disappointment: fail: .*search_id[^]*must: [^]*expected[^]*repeat {4}curl/),
        );
        expect(messages).toContainEqual(expect.stringContaining("Disappointment: unverified: "));
      } finally {
        await broken.close();
      }
    });
  });
});
