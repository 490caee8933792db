import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Finding } from "../judge/finding.ts";
import { onFields, onOperation, type Change } from "../changes/mutant.ts";
import { openStage, type Stage } from "../proof/stage.ts";
import { run } from "../run/run.ts";
import { select } from "../run/select.ts";
import { checks } from "../suite/checks.ts";
import { rules } from "../suite/rules.ts";
import { Unverifiable } from "../judge/verdict.ts";
import { Client } from "./client.ts";
import { download } from "./download.ts";
import { defaultProfile, type Profile } from "./profile.ts";
import { scout, type Scouted } from "./scout.ts";
import { Secrets } from "./secrets.ts";
import { Session } from "./session.ts";
import { Stranger } from "./account.ts";
import { listTools } from "./tools.ts";
import { registerTrial } from "./trials.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

describe("a server with only its address known", () => {
  let found: Scouted;
  let reference: Profile;
  let credits: number[];
  let spent: number;
  let judged: string[];

  beforeAll(() =>
    stage.perform({}, async (given) => {
      reference = given;
      const profile = defaultProfile(given.base_url);
      const secrets = new Secrets();
      const client = new Client(given.base_url, secrets);
      const session = new Session(client, secrets);
      const stranger = new Stranger(session, profile);
      const { account } = await registerTrial(stranger);
      const contracts = await listTools(account, profile);
      judged = [];
      client.listen(({ operation }) => judged.push(String(operation)));
      found = await scout(session, profile, contracts);
      const creditsOf = async (key: string): Promise<number> => {
        const named = { ...profile, tools: found.tools };
        return new Stranger(session, named).withKey(key).credits();
      };
      const { every_kind: everyKind, exhausted } = found.credentials;
      credits = [await creditsOf(everyKind!), await creditsOf(exhausted!)];
      spent = client.allowance.used.requests;
      client.close();
    }),
  );

  it("shows which tools fail, and how, by the end of their Calls", () => {
    for (const role of [
      "empty_result",
      "partial_success",
      "provider_error",
      "provider_http_error",
      "provider_rate_limited",
      "provider_auth",
      "timeout",
      "no_response",
      "execution_failed",
      "oauth_required",
      "region_restricted",
      "failed_charged",
    ] as const) {
      expect([role, found.endings[role]]).toEqual([
        role,
        expect.objectContaining({ success: expect.any(Boolean) }),
      ]);
    }
    expect(found.tools.timeout?.id).toBe(reference.tools.timeout?.id);
    expect(found.endings.provider_error).toEqual({
      success: false,
      reasonCode: "provider.error",
      chargeOutcome: "failed_not_charged",
    });
  });

  it("shows which tool's result is large, which is slow or discounted, and which is exempt from charge", () => {
    for (const role of ["large_result", "slow", "discounted", "policy_exempt"] as const) {
      expect([role, found.tools[role]?.id]).toEqual([role, reference.tools[role]?.id]);
    }
  });

  it("shows which tool requires most, and which costs least", () => {
    expect(Object.keys(found.tools.required_parameter!.parameters!).length).toBeGreaterThan(1);
    expect(found.tools.charged_decimal?.id).toBe("currency.rate.v1");
  });

  it("shows its capabilities by its routing cards", () => {
    const { query, detail, legacy } = found.capabilities;
    expect(query).toEqual({ id: "market.quote", parameters: { symbol: "ACME" } });
    expect(detail?.id).toMatch(/^(market|translate|company)\./);
    expect(legacy).toEqual({ id: "weather.current", parameters: { city: "Vienna" } });
    expect(judged.filter((operation) => operation === "getCapability")).toEqual([]);
  });

  it("gives an account with rows of many kinds, and one without credits", () => {
    const [ofEveryKind, ofNone] = credits;
    expect(ofEveryKind).toBeGreaterThanOrEqual(0);
    expect(ofNone).toBe(0);
    expect(spent).toBeLessThan(400);
  });
});

it("has its downloads judged, on this machine without their CA", async () => {
  const { findings } = await stage.perform({}, ({ base_url: url }) =>
    run(defaultProfile(url), { ...select(checks, rules, ["RSLT-12"]), fast: true }),
  );
  expect(findings.map(({ verdict }) => verdict)).toEqual(findings.map(() => "pass"));
});

it("is not called wrong for a storage that cannot be reached without its CA", async () => {
  const profile = defaultProfile("http://127.0.0.1:9/api/v1");
  const secrets = new Secrets();
  const session = new Session(new Client(profile.base_url, secrets), secrets);
  await expect(download(session, profile, "https://storage.invalid/file")).rejects.toThrow(Unverifiable);
});

/** A provider that refuses the very first Call, and works from then on. */
function refusingOnce(): Change {
  let calls = 0;
  return onOperation("call", (call) => (request, context) => {
    const works = request.body.tool_id === "market.order-book.v1" && (calls += 1) > 1;
    return call(
      works
        ? {
            ...request,
            body: { ...request.body, tool_id: "market.quote.v1", parameters: { symbol: "ACME" } },
          }
        : request,
      context,
    );
  });
}

it("does not blame a server when a tool ends otherwise than when it was tried", async () => {
  const { findings } = await stage.perform(refusingOnce(), (profile) =>
    run(defaultProfile(profile.base_url), { ...select(checks, rules, ["BILL-30"]), fast: true }),
  );
  const [{ verdict, reason }] = findings.filter(({ clauses }) => clauses.includes("BILL-30")) as [Finding];
  expect([verdict, reason]).toEqual([
    "unverified",
    "the tool of the role provider_rate_limited ends otherwise than when it was tried",
  ]);
});

it("says what waits for the audit, where that cannot be read", async () => {
  const broken: Change = onFields("listUsage", { data: undefined });
  const { findings } = await stage.perform(broken, ({ base_url: url }) =>
    run(
      { ...defaultProfile(url), audit_lag: 0.2 },
      { ...select(checks, rules, ["BILL-30", "BILL-09"]), fast: true },
    ),
  );
  for (const id of [/^BILL-30\//, /^BILL-09\/.*discounted$/]) {
    const { verdict, exchanges, culprit } = findings.find((finding) => id.test(finding.id))!;
    expect([verdict, exchanges[culprit!]?.operation]).toEqual(["blocked", "listUsage"]);
  }
});
