import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contractVersion } from "../../../generated/contract.ts";
import { staged } from "../../proof/staged.fixture.ts";
import init, { explore } from "./init.ts";
import { profileText } from "./init-text.ts";
import { keyNames } from "../../server/profile-schema.ts";
import { defaultProfile, features, parseProfile, roles } from "../../server/profile.ts";
import { Unreachable, WrongUse } from "../../../base/exit.ts";

const home = await mkdtemp(join(tmpdir(), "capability-contract-init-"));
afterAll(() => rm(home, { recursive: true, force: true }));

/** The profile with every commented-out setting enabled. */
const switchedOn = (text: string): string => text.replace(/^( *)#(?! )/gm, "$1");

describe("a profile written for the reference server", () => {
  const file = join(home, "profile.yaml");
  let [text, address, refusal] = ["", "", ""];
  beforeAll(async () => {
    await staged(async ({ base_url }) => {
      address = base_url;
      await init.run("init", ["--base-url", base_url, "--out", file]);
      text = await readFile(file, "utf8");
      await init
        .run("init", ["--base-url", base_url, "--out", file])
        .catch((error: Error) => (refusal = error.message));
    });
  });

  it("is accepted as it is, with tools and quotas that were found", () => {
    expect(text).toMatch(/^# yaml-language-server: \$schema=https:\S+\/profile\.json\n/);
    const profile = parseProfile(text, file);
    expect(profile.base_url).toBe(address);
    expect(profile.limits).toMatchObject(defaultProfile(address).limits);
    expect(Object.keys(profile.tools)).toEqual(
      expect.arrayContaining(["charged", "charged_decimal", "included", "enum", "one_of", "zero_parameter"]),
    );
    expect(Object.keys(profile.tools)).toEqual(expect.arrayContaining(["provider_error", "large_result"]));
    expect(profile.capabilities).toMatchObject({ query: { id: "market.quote" }, legacy: {} });
    expect(profile.features).toEqual({});
    expect(profile.credentials).toEqual({ pool: [] });
  });

  it("holds every setting, and is accepted with all of them switched on", () => {
    const profile = parseProfile(switchedOn(text), file);
    expect(Object.keys(profile.tools).sort()).toEqual([...roles].sort());
    expect(Object.keys(profile.features).sort()).toEqual([...features].sort());
    expect(Object.keys(profile.credentials)).toHaveLength(keyNames.length + 2);
    expect(profile).toMatchObject({
      capabilities: { query: {}, detail: {}, legacy: {}, timeout: {}, unroutable: {}, forbidden: {} },
      mailbox: { smtp_listen: "127.0.0.1:2525" },
      clock: { url: "http://127.0.0.1:8080/-/clock" },
      known_failures: ["CALL-07"],
    });
  });

  it("is readable only by its owner, and is never overwritten", async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(refusal).toContain("is there already");
    expect(await readFile(file, "utf8")).toBe(text);
  });
});

describe("init", () => {
  it("describes a server without registration, and switches nothing off by itself", async () => {
    const server = createServer((request, response) => {
      const failure = { status: "failure", message: "no", status_code: 401 };
      request.resume();
      response
        .writeHead(401, { "content-type": "application/json", "x-service-api-version": contractVersion })
        .end(JSON.stringify(failure));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`;
    try {
      const findings = await explore(address);
      expect(findings).toEqual({
        trial: false,
        tools: {},
        capabilities: {},
        quotas: {},
        absent: { trial: "no trial account could be registered" },
      });
      const text = profileText(address, findings);
      expect(parseProfile(text, "profile.yaml")).toMatchObject({ base_url: address, features: {} });
      expect(text).toContain('trial: { off: "no trial account could be registered" }');
      await expect(explore(address, "wrong-key")).rejects.toThrow(WrongUse);
    } finally {
      server.close();
    }
  });

  it("says in a sentence what cannot be used", async () => {
    await expect(init.run("init", [])).rejects.toThrow(/option '--base-url <URL>' not specified/);
    await expect(init.run("init", ["--base-url", "localhost"])).rejects.toThrow(
      /--base-url must be an http or https address/,
    );
    await expect(init.run("init", ["--base-url", "http://127.0.0.1:9/api/v1"])).rejects.toThrow(Unreachable);
  });
});
