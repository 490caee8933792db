import { describe, expect, it, vi } from "vitest";
import type { OperationId } from "../../generated/contract.ts";
import { Blocked, Unverifiable } from "../judge/verdict.ts";
import type { Account } from "./account.ts";
import { Client } from "./client.ts";
import { defaultProfile, type Profile } from "./profile.ts";
import { AccountLeases } from "./account-leases.ts";
import { Secrets } from "./secrets.ts";
import { Session } from "./session.ts";
import { Answer } from "../judge/answer.ts";
import type { Exchange } from "../judge/exchange.ts";

const wish = { fresh: false, credits: 5, owner: false };

/** A session with a server that registers trial accounts, or answers every request with the given status. */
function sessionOf(status = 200): { session: Session; registered: () => number } {
  const secrets = new Secrets();
  const session = new Session(new Client("http://127.0.0.1:9/api/v1", secrets), secrets);
  let count = 0;
  vi.spyOn(session, "sendPatiently").mockImplementation((outgoing) => {
    count += 1;
    const body = JSON.stringify({ status: "success", data: { api_key: `trial-key-number-${count}` } });
    const exchange: Exchange = {
      operation: "registerAnonymous",
      account: null,
      started_at: 0,
      duration_ms: 1,
      request: { method: outgoing.method, url: outgoing.path, headers: {}, body: outgoing.body ?? null },
      response: { status, headers: {}, body },
      error: null,
    };
    return Promise.resolve(new Answer(status, {}, body, exchange));
  });
  return { session, registered: () => count };
}

/** Records requests of an account in a session, as a check would have sent them. */
function act(session: Session, account: Account, operation: OperationId, times: number, body = "{}"): void {
  for (let sent = 0; sent < times; sent += 1) {
    session.exchanges.push({
      ...{ operation, account: account.label, started_at: 0, duration_ms: 1, error: null },
      request: { method: "POST", url: "/", headers: {}, body: "{}" },
      response: { status: 200, headers: {}, body },
    });
  }
}

const profileOf = (credentials: Partial<Profile["credentials"]>, given: Partial<Profile> = {}): Profile => ({
  ...defaultProfile("http://127.0.0.1:9/api/v1"),
  credentials: { pool: [], ...credentials },
  ...given,
});
const noTrial = { features: { trial: "accounts are opened by contract" } };

describe("the accounts of a run", () => {
  it("are lent to one check at a time: the next one waits until they are given back", async () => {
    const { session } = sessionOf();
    const leases = new AccountLeases(profileOf({ account: "key-of-the-account" }, noTrial));
    const first = await leases.lend(session, wish);
    let taken = false;
    const second = leases.lend(session, wish).then((lent) => {
      taken = true;
      return lent;
    });
    await Promise.resolve();
    expect(taken).toBe(false);
    first.giveBack();
    expect((await second).account.key).toBe("key-of-the-account");
  });

  it("are those of the profile first, then new trial accounts, used again while they have credits", async () => {
    const { session, registered } = sessionOf();
    const leases = new AccountLeases(profileOf({ account: "key-of-the-account" }));
    const given = await leases.lend(session, wish);
    const trial = await leases.lend(session, { ...wish, credits: 30 });
    expect([given.account.key, trial.account.key]).toEqual(["key-of-the-account", "trial-key-number-1"]);
    act(session, trial.account, "call", 15);
    trial.giveBack();
    const again = await leases.lend(session, { ...wish, credits: 20 });
    expect(again.account.key).toBe("trial-key-number-1");
    again.giveBack();
    expect((await leases.lend(session, { ...wish, credits: 1 })).account.key).toBe("trial-key-number-2");
    expect(registered()).toBe(2);
  });

  it("leave to the next check what one did not spend, if the server shows no less", async () => {
    const { session } = sessionOf();
    const leases = new AccountLeases(profileOf({}));
    const first = await leases.lend(session, { ...wish, credits: 30 });
    first.giveBack();
    const second = await leases.lend(session, { ...wish, credits: 50 });
    expect(second.account.key).toBe(first.account.key);
    act(session, second.account, "inspect", 1, JSON.stringify({ remaining_credits: 4 }));
    second.giveBack();
    expect((await leases.lend(session, wish)).account.key).toBe("trial-key-number-2");
  });

  it("are spared for a window by those who register others, once half of a quota is used", async () => {
    const { session } = sessionOf();
    const leases = new AccountLeases(profileOf({}));
    const first = await leases.lend(session, wish);
    act(session, first.account, "discover", 60);
    first.giveBack();
    const second = await leases.lend(session, wish);
    expect(second.account.key).toBe(first.account.key);
    act(session, second.account, "discover", 1);
    second.giveBack();
    expect((await leases.lend(session, wish)).account.key).toBe("trial-key-number-2");
  });

  it("are fresh when a check wants unused windows, and the profile's own when it wants the second key", async () => {
    const { session } = sessionOf();
    const leases = new AccountLeases(profileOf({ account: "key-of-the-account", pool: ["key-of-the-pool"] }));
    (await leases.lend(session, wish)).giveBack();
    expect((await leases.lend(session, { ...wish, fresh: true })).account.key).toBe("key-of-the-pool");
    expect((await leases.lend(session, { ...wish, owner: true })).account.key).toBe("key-of-the-account");
  });

  it("are missing with the profile line that would give them", async () => {
    const { session } = sessionOf();
    await expect(new AccountLeases(profileOf({}, noTrial)).lend(session, wish)).rejects.toThrow(Unverifiable);
    const trials = new AccountLeases(profileOf({}));
    for (const costly of [
      { ...wish, credits: 51 },
      { ...wish, owner: true },
    ]) {
      await expect(trials.lend(session, costly)).rejects.toMatchObject({
        remedy: "credentials: {account: KEY}",
      });
    }
  });

  it("are missing immediately, even while trial accounts are still being registered", async () => {
    const { session } = sessionOf();
    const leases = new AccountLeases(profileOf({}));
    const registering = leases.lend(session, wish);
    await expect(leases.lend(session, { ...wish, credits: 250 })).rejects.toThrow(Unverifiable);
    expect((await registering).account.key).toBe("trial-key-number-1");
  });

  it("are refused to a check that waits for more credits than any of them has left", async () => {
    const { session } = sessionOf();
    const leases = new AccountLeases(profileOf({ account: "key-of-the-account" }, noTrial));
    const spender = await leases.lend(session, { ...wish, credits: 999_999 });
    const modest = leases.lend(session, { ...wish, credits: 1 });
    const costly = leases.lend(session, wish);
    act(session, spender.account, "call", 500_000);
    spender.giveBack();
    await expect(costly).rejects.toThrow("no account has 5 credits left");
    expect((await modest).account.key).toBe("key-of-the-account");
  });

  it("are not counted as registered when the server does not answer", async () => {
    const { session, registered } = sessionOf();
    const leases = new AccountLeases(profileOf({}));
    vi.spyOn(session, "sendPatiently").mockRejectedValueOnce(new Blocked("no answer"));
    await expect(leases.lend(session, wish)).rejects.toThrow("no answer");
    expect((await leases.lend(session, wish)).account.key).toBe("trial-key-number-1");
    expect(registered()).toBe(1);
  });

  it("are waited for where the profile gives some and the server, asked once, registers none", async () => {
    const { session, registered } = sessionOf(404);
    const leases = new AccountLeases(profileOf({ account: "key-of-the-account" }));
    const first = await leases.lend(session, wish);
    const others = [leases.lend(session, wish), leases.lend(session, wish)];
    await expect.poll(() => leases.mayRegister).toBe(false);
    first.giveBack();
    const second = await Promise.race(others);
    second.giveBack();
    const lent = await Promise.all(others);
    expect(lent.map(({ account }) => account.key)).toEqual(["key-of-the-account", "key-of-the-account"]);
    expect([registered(), leases.several]).toEqual([1, false]);
  });

  it("are refused to each check with one answer, where neither profile nor server gives any", async () => {
    const { session, registered } = sessionOf(403);
    const leases = new AccountLeases(profileOf({}));
    const message = "no trial account can be registered: POST /agent/anonymous-register answered 403";
    await expect(leases.lend(session, wish)).rejects.toThrow(message);
    await expect(leases.lend(session, wish)).rejects.toThrow(message);
    expect([registered(), session.exchanges.length]).toEqual([1, 1]);
  });

  it("are lent to a check that wants unused windows without a wait, where none shows or can be used up", async () => {
    const { session } = sessionOf();
    const pause = vi.spyOn(session, "untilWindowEnds").mockResolvedValue();
    const leases = new AccountLeases(profileOf({ account: "key-of-the-account" }, noTrial));
    const fresh = { ...wish, fresh: true };
    (await leases.lend(session, fresh)).giveBack();
    (await leases.lend(session, fresh)).giveBack();
    expect(pause).not.toHaveBeenCalled();
    session.client.showsLimits = true;
    const many = { discover: 1e5, inspect: 1e5, probe: 1e5, call: 1e5, window: 60 };
    const vast = new AccountLeases(
      profileOf({ account: "key-of-the-account" }, { ...noTrial, limits: many }),
    );
    (await vast.lend(session, fresh)).giveBack();
    await vast.lend(session, fresh);
    expect(pause).not.toHaveBeenCalled();
    await leases.lend(session, fresh);
    expect(pause).toHaveBeenCalledOnce();
  });

  it("block a check, and never fail it, when the server registers none", async () => {
    const { session } = sessionOf(503);
    await expect(new AccountLeases(profileOf({})).lend(session, wish)).rejects.toThrow(Blocked);
  });
});
