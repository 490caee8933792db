import { describe, expect, it } from "vitest";
import { checks } from "../suite/checks.ts";
import { staged } from "../proof/staged.fixture.ts";
import { forwarding } from "./forwarding.fixture.ts";
import { badge } from "../report/badge.ts";
import { githubAnnotations } from "../report/github.ts";
import { htmlReport } from "../report/html.ts";
import { junitReport } from "../report/junit.ts";
import { reportOf } from "../report/report.ts";
import { terminalReport } from "../report/terminal.ts";
import { traceOf } from "../report/trace.ts";
import { rules } from "../suite/rules.ts";
import { run } from "../run/run.ts";
import { select } from "../run/select.ts";
import { defaultProfile } from "./profile.ts";
import { Secrets } from "./secrets.ts";

/** A server would not issue a shorter text as a credential. */
const shortest = 16;

describe("the secrets of a run", () => {
  it("appear in none of its reports, whether the profile gave them or the server handed them out", async () => {
    const secrets = new Set<string>();
    const learn = (text: string | undefined): void => {
      if (text !== undefined && text.length >= shortest) secrets.add(text);
    };
    await staged(async (profile) => {
      const watched = await forwarding(profile.base_url, (body, { headers }) => {
        learn(/^Bearer (\S+)$/.exec(headers.authorization ?? "")?.[1]);
        for (const [, text] of body.matchAll(/"(?:api_key|claim_code)"\s*:\s*"([^"]+)"/g)) learn(text);
        // Every answer has a wrong field, so that as many checks as possible fail and are reported in full.
        return body.replaceAll('"status"', '"state"');
      });
      const { account, pool, delegation, ...others } = profile.credentials;
      for (const key of [account, ...pool, delegation?.token, ...Object.values(others)]) learn(key);
      try {
        const target = { ...profile, base_url: watched.baseUrl };
        const chosen = select(checks, rules, ["AUTH", "TRIA"]);
        const report = reportOf(await run(target, { ...chosen, fast: true }), target);
        expect(report.summary.fail).toBeGreaterThan(0);
        expect(secrets.size).toBeGreaterThan(20);
        const plain = (_style: unknown, text: string): string => text;
        const written = {
          json: JSON.stringify(report),
          html: htmlReport(report),
          junit: junitReport(report),
          terminal: terminalReport(report, plain),
          trace: report.checks.map((check) => traceOf(check, plain)).join("\n"),
          annotations: githubAnnotations(report).join("\n"),
          badge: badge(report),
        };
        expect(written.json).toContain("Bearer «key ");
        for (const [name, text] of Object.entries(written)) {
          for (const secret of secrets) expect(text.includes(secret), `${secret} in ${name}`).toBe(false);
        }
      } finally {
        await watched.close();
      }
    });
  });

  it("each have a unique label, the same every time, and a short one hides no number", () => {
    const known = new Secrets();
    const key = known.learn("sk-0123456789abcdef", "key");
    expect(known.learn("sk-0123456789abcdef", "key")).toBe(key);
    expect(known.learn("sk-fedcba9876543210", "key")).not.toBe(key);
    known.learn("123456", "code");
    expect(known.mask('{"code":"123456","cost":123456,"key":"Bearer sk-0123456789abcdef"}')).toBe(
      '{"code":"«code 3»","cost":123456,"key":"Bearer «key 1»"}',
    );
    known.learn("", "key");
    expect(known.mask("abc")).toBe("abc");
  });

  it("are found however their characters are written, and leave valid JSON", () => {
    const known = new Secrets();
    known.learn("sk+0123/456789abcdef", "key");
    known.learn("123456", "code");
    const echoed = String.raw`{"a":"sk\u002b0123\/456789abcdef","b":"{\"key\":\"sk\\u002B0123\\\/456789abcdef\",\"code\":\"123456\"}"}`;
    expect(JSON.parse(known.mask(echoed))).toEqual({
      a: "«key 1»",
      b: '{"key":"«key 1»","code":"«code 2»"}',
    });
    expect(known.mask("https://host/?key=sk%2B0123%2F456789abcdef&n=123456")).toBe(
      "https://host/?key=«key 1»&n=123456",
    );
    expect(known.mask(String.raw`{"a":"\/ \u0041 100%"}`)).toBe(String.raw`{"a":"\/ \u0041 100%"}`);
  });

  it("are masked in linear time", () => {
    const known = new Secrets();
    for (let index = 0; index < 200; index += 1) known.learn(`sk-${index}-0123456789abcdef`, "key");
    for (const piece of ["\\", "\\u0073", "%73", "sk-"]) {
      const text = piece.repeat(1_000_000 / piece.length);
      const started = process.cpuUsage();
      expect(known.mask(text)).toBe(text);
      expect(process.cpuUsage(started).user, `microseconds of CPU for ${piece}`).toBeLessThan(10_000_000);
    }
  });

  it("omit the user, password and query of an address", () => {
    expect(defaultProfile("https://user:pa%40ss@host:8443/api/v1").base_url).toBe("https://host:8443/api/v1");
    expect(defaultProfile("https://host/api/v1?a=b@c").base_url).toBe("https://host/api/v1");
  });

  it("are masked at any length where they are isolated", () => {
    const known = new Secrets();
    for (const key of ["key-one", "k1", "123456"]) known.learn(key, "key");
    expect(known.mask("Bearer key-one, Bearer k1, Bearer 123456, bad key key-one!")).toBe(
      "Bearer «key 1», Bearer «key 2», Bearer «key 3», bad key «key 1»!",
    );
    expect(known.mask('{"k1":1,"n":123456,"id":"key-one-of-many","total":"k12"}')).toBe(
      '{"«key 2»":1,"n":123456,"id":"key-one-of-many","total":"k12"}',
    );
  });

  it("are learned from a profile, each of its credentials, and not their other settings", () => {
    const known = new Secrets();
    const delegation = {
      token: "delegation-token",
      run_id: "run-of-delegation",
      provider_id: "provider-of-it",
    };
    known.learnFromProfile({
      ...defaultProfile(""),
      credentials: {
        pool: ["key-of-the-pool"],
        account: "key-of-the-account",
        jwt: "a-signed-token",
        delegation,
      },
    });
    expect(
      known.mask("key-of-the-account a-signed-token key-of-the-pool delegation-token run-of-delegation"),
    ).toBe("«key 1» «jwt 2» «key 3» «delegation 4» run-of-delegation");
  });

  it("are learned from the answer to a registration, wherever they are in it", () => {
    const known = new Secrets();
    known.learnFrom({
      data: [{ api_key: "sk-0123456789abcdef", deeper: { claim_code: "claim-0123456789" } }],
    });
    expect(known.mask("sk-0123456789abcdef claim-0123456789")).toBe("«key 1» «claim code 2»");
    expect([...known.trials]).toEqual(["Bearer «key 1»"]);
  });
});
