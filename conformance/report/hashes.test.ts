import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { hashesOf, profileHash } from "./hashes.ts";
import { defaultProfile, type Profile } from "../server/profile.ts";

const profile: Profile = {
  ...defaultProfile("http://a/api/v1"),
  credentials: { account: "secret", pool: ["one", "two"] },
};

describe("the hashes of a report", () => {
  it("name the contract as sha256sum does, and are the same every time", () => {
    const contract = resolve(import.meta.dirname, "../../spec/contract.md");
    expect(execFileSync("sha256sum", [contract], { encoding: "utf8" })).toContain(hashesOf(profile).contract);
    expect(hashesOf(profile)).toEqual(hashesOf(structuredClone(profile)));
  });

  it("of a profile do not depend on its address, its secrets or the order of its names", () => {
    const other: Profile = {
      ...Object.fromEntries(Object.entries(profile).reverse()),
      base_url: "http://b/api/v1",
      credentials: { pool: ["three", "four"], account: "other secret" },
    } as Profile;
    expect(profileHash(other)).toBe(profileHash(profile));
  });

  it("of a profile change with its content, and with the set of its credentials", () => {
    const changed: Profile[] = [
      { ...profile, audit_lag: 6 },
      { ...profile, features: { claim: "not offered" } },
      { ...profile, known_failures: ["CALL-07"] },
      { ...profile, credentials: { pool: ["one", "two"] } },
      { ...profile, credentials: { account: "secret", pool: ["one"] } },
    ];
    const hashes = [profile, ...changed].map(profileHash);
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
