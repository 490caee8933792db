import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { WrongUse } from "../../base/exit.ts";
import { defaultProfile, parseProfile, readProfile, roles, whyOff } from "./profile.ts";

const address = "base_url: http://localhost:8080/api/v1\n";
const parsed = (yaml: string) => parseProfile(address + yaml, "p.yaml");

/** The message with which a profile is rejected. The address is on line 1. */
function refusal(yaml: string, text = address + yaml): string {
  try {
    parseProfile(text, "p.yaml");
  } catch (error) {
    if (error instanceof WrongUse) return error.message;
    throw error;
  }
  throw new Error("the profile was accepted");
}

describe("a profile", () => {
  it("needs only an address, which the command line may give", () => {
    expect(parsed("")).toEqual(defaultProfile("http://localhost:8080/api/v1"));
    expect(parseProfile("", "p.yaml", "http://other/api/v1").base_url).toBe("http://other/api/v1");
    expect(parseProfile(address, "p.yaml", "http://other/api/v1").base_url).toBe("http://other/api/v1");
  });

  it("may leave sections empty, as in a file that is filled in gradually", () => {
    expect(parsed("credentials:\ntools:\nemails:\nlimits:\nfeatures:\nknown_failures:\n")).toEqual(
      parsed(""),
    );
  });

  it("contains what its file says", () => {
    const profile = parsed(`
credentials: { account: k1, pool: [k2, k3], delegation: { token: t, run_id: r, provider_id: p } }
tools:
  charged: weather.v1
  enum: { id: translate.v1, parameters: { target: zh } }
capabilities: { query: market.quote }
mailbox: { directory: outbox }
clock: { command: set-ahead }
limits: { call: 50, window: 10 }
audit_lag: 0.5
mail_lag: 2s
readings: { R-012: 404, R-109: text }
features: { claim: { off: by contract only }, jwt: on, exports: true }
known_failures: [CALL-07]
`);
    expect(profile).toMatchObject({
      credentials: {
        account: "k1",
        pool: ["k2", "k3"],
        delegation: { token: "t", run_id: "r", provider_id: "p" },
      },
      tools: { charged: { id: "weather.v1" }, enum: { id: "translate.v1", parameters: { target: "zh" } } },
      capabilities: { query: { id: "market.quote" } },
      mailbox: { directory: "outbox" },
      clock: { command: "set-ahead" },
      limits: { discover: 120, call: 50, window: 10 },
      audit_lag: 0.5,
      mail_lag: 2,
      readings: { "R-012": "404", "R-109": "text" },
      features: { claim: "by contract only" },
      known_failures: ["CALL-07"],
    });
    expect(Object.keys(profile.features)).toEqual(["claim"]);
    expect(whyOff(profile, "verifyClaim")).toBe("by contract only");
    expect(whyOff(profile, "listUsage")).toBeUndefined();
    for (const closed of ["trial", "registerAnonymous"])
      expect(parsed(`features: { ${closed}: { off: by contract } }\n`).features).toMatchObject({
        trial: "by contract",
        claim: "by contract",
      });
  });

  it.each([
    ["no address", "", "p.yaml:1: base_url is missing; add it, or give --base-url", "tools: {}"],
    ["an address of another type", "", "p.yaml:1: base_url: must be a text", "base_url: 8080"],
    ["broken YAML", "tools: {charged: [}\n", "p.yaml:2: "],
    ["a repeated name", "audit_lag: 1\naudit_lag: 2\n", "p.yaml:3: Map keys must be unique"],
    ["no mapping", "", "p.yaml:1: must be a mapping", "- base_url"],
    [
      "an unknown section",
      "\nlimit: {}\n",
      "p.yaml:3: limit: not known here; known are base_url, also, contract, requirements, credentials",
    ],
    [
      "an unknown credential",
      "credentials:\n  acount: k\n",
      "p.yaml:3: credentials.acount: not known here; known are account,",
    ],
    [
      "a key that is a number",
      "credentials:\n  account: 12\n",
      "p.yaml:3: credentials.account: must be a text",
    ],
    ["an empty key", "credentials: { revoked: '' }\n", "p.yaml:2: credentials.revoked: must be a text"],
    ["a pool that is not a list", "credentials:\n  pool: k\n", "p.yaml:3: credentials.pool: must be a list"],
    [
      "a pool with a hole",
      "credentials:\n  pool:\n    - k\n    -\n",
      "p.yaml:5: credentials.pool.1: must be a text",
    ],
    [
      "half a delegation",
      "credentials:\n  delegation:\n    token: t\n",
      "p.yaml:3: credentials.delegation: run_id is missing",
    ],
    [
      "an unknown role",
      "tools: { chargd: a }\n",
      `p.yaml:2: tools.chargd: not known here; known are ${roles.join(", ")}`,
    ],
    [
      "a tool without id",
      "tools:\n  charged:\n    parameters: {}\n",
      "p.yaml:3: tools.charged: id is missing",
    ],
    [
      "parameters as a list",
      "tools:\n  charged:\n    id: a\n    parameters: [1]\n",
      "p.yaml:5: tools.charged.parameters: must be names with values",
    ],
    [
      "an unknown capability",
      "capabilities: { list: a }\n",
      "p.yaml:2: capabilities.list: not known here; known are query, detail, legacy",
    ],
    [
      "two mailboxes",
      "mailbox: { directory: a, command: b }\n",
      "p.yaml:2: mailbox: must be one of smtp_listen, directory, command",
    ],
    ["two clocks", "clock: { url: a, command: b }\n", "p.yaml:2: clock: must be one of url, command"],
    [
      "an empty mailbox",
      "mailbox: {}\n",
      "p.yaml:2: mailbox: must be one of smtp_listen, directory, command",
    ],
    [
      "a quota of nothing",
      "limits:\n  call: 0\n",
      "p.yaml:3: limits.call: must be a whole number of requests, at least 1",
    ],
    [
      "half a request",
      "limits: { probe: 1.5 }\n",
      "p.yaml:2: limits.probe: must be a whole number of requests, at least 1",
    ],
    [
      "a negative lag",
      "audit_lag: -1\n",
      "p.yaml:2: audit_lag: must be a number of seconds, or a text such as 90s or 500ms",
    ],
    [
      "a lag in days",
      "audit_lag: 1d\n",
      "p.yaml:2: audit_lag: must be a number of seconds, or a text such as",
    ],
    [
      "an unknown feature",
      "features: { claims: { off: a } }\n",
      'p.yaml:2: features.claims: not known here. Did you mean "claim"?',
    ],
    [
      "a feature off without reason",
      "features:\n  claim: { off: '' }\n",
      "p.yaml:3: features.claim.off: must be a text",
    ],
    [
      "a feature off in one word",
      "features:\n  claim: off\n",
      "p.yaml:3: features.claim: must be on, or { off: why the server lacks it }",
    ],
    [
      "an answer that the reading does not have",
      "readings: { R-012: 410 }\n",
      "p.yaml:2: readings.R-012: must be one of 404, envelope, other",
    ],
    [
      "an answer that cannot be observed",
      "readings: { R-163: kept }\n",
      "p.yaml:2: readings.R-163: must be left out: A client cannot set the server's clock.",
    ],
    [
      "a known failure that is not a list",
      "known_failures: CALL-07\n",
      "p.yaml:2: known_failures: must be a list",
    ],
  ])("is refused for %s, with file, line and what would be right", (_what, yaml, sentence, text?: string) => {
    expect(refusal(yaml, text)).toContain(sentence);
  });

  it("that cannot be read is refused by name", async () => {
    await expect(readProfile("/nowhere/p.yaml")).rejects.toThrow("profile /nowhere/p.yaml cannot be read");
  });
});

describe("a variable of the environment", () => {
  const text = "base_url: ${CONTRACT_TEST_HOST}/api/v1\ncredentials:\n  account: ${CONTRACT_TEST_KEY}\n";
  afterEach(() => vi.unstubAllEnvs());

  it("may be in any text of a profile", () => {
    vi.stubEnv("CONTRACT_TEST_HOST", "http://a.test");
    vi.stubEnv("CONTRACT_TEST_KEY", "sk-1");
    const { base_url: url, credentials } = parseProfile(text, "p.yaml");
    expect([url, credentials.account]).toEqual(["http://a.test/api/v1", "sk-1"]);
  });

  it("must be quoted within braces, and the message says only that", () => {
    const unquoted = "credentials: {account: ${A}, pool: [b]}\nfeatures: {a: b}\n";
    expect(() => parseProfile(unquoted, "p.yaml")).toThrow(/^p\.yaml:1: .*quote a variable: "\$\{NAME\}"$/);
  });

  it("is refused where it is not set, and so is a key or an address that cannot be sent", () => {
    expect(() => parseProfile(text, "p.yaml")).toThrow(
      "p.yaml:3: credentials.account: ${CONTRACT_TEST_KEY} is not set in the environment",
    );
    vi.stubEnv("CONTRACT_TEST_HOST", "a.test");
    vi.stubEnv("CONTRACT_TEST_KEY", "sk-1\n");
    expect(() => parseProfile(text, "p.yaml")).toThrow("base_url: must be an http or https address");
    expect(() => parseProfile(text, "p.yaml", "http://a.test")).toThrow("it has U+000A at its end");
  });
});

it("is not read when it is far larger than people write", async () => {
  const file = join(tmpdir(), `profile-${process.pid}.yaml`);
  await writeFile(file, `#${"x".repeat(2 ** 20)}\n`);
  try {
    await expect(readProfile(file)).rejects.toThrow(`${file} has more than 1 MiB`);
  } finally {
    await rm(file);
  }
});
