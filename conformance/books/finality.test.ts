import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Exchange } from "../judge/exchange.ts";
import { Unverifiable } from "../judge/verdict.ts";
import { Finality, knownLag, readsBooks } from "./finality.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const lagMs = (): number => 6_000;

it("counts reads that come before the last act must show, of the account or of an unknown one", async () => {
  const finality = new Finality({ lagMs });
  await finality.beforeRead("account 1");
  finality.acted("account 2");
  await finality.beforeRead("account 1");
  expect(finality.restsOnYoungReads).toBe(false);
  finality.acted(null);
  vi.advanceTimersByTime(6_001);
  await finality.beforeRead("account 1");
  expect(finality.restsOnYoungReads).toBe(false);
  finality.acted("made up");
  await finality.beforeRead("account 1");
  expect(finality.restsOnYoungReads).toBe(true);
});

it("waits until a read is final, knowing what other conversations did", async () => {
  const acts = new Map<string, number>();
  new Finality({ lagMs, acts }).acted("account 1");
  vi.advanceTimersByTime(2_000);
  const patient = new Finality({ lagMs, acts, isPatient: true });
  const asked = performance.now();
  const read = patient.beforeRead("account 1").then(() => performance.now() - asked);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await read).toBe(4_000);
  expect(patient.restsOnYoungReads).toBe(false);
});

it("says how a later audit is declared, where something is missing and none is", () => {
  const [declared, measured] = [new Finality({ lagMs, isDeclared: true }), new Finality({ lagMs })];
  expect(measured.remedyFor({ value: [] })).toBeUndefined();
  for (const one of [declared, measured]) one.missed();
  expect(declared.remedyFor({ value: [] })).toBeUndefined();
  expect(measured.remedyFor({ value: 2 })).toContain("within 6 s");
  const patient = new Finality({ lagMs, isPatient: true });
  expect(patient.remedyFor({ value: 2 })).toBeUndefined();
  expect(patient.remedyFor({ value: null })).toContain("audit_lag: SECONDS");
  expect(() => knownLag({})).toThrow(Unverifiable);
});

it("takes for final what a row was due in, and nothing else", () => {
  const finality = new Finality({ lagMs });
  const [final, young] = [{}, {}] as [Exchange, Exchange];
  finality.missed(final);
  expect(finality.isMissing({ value: null }, final)).toBe(true);
  expect(finality.isMissing({ value: 2 }, final)).toBe(false);
  expect(finality.isMissing({ value: null }, young)).toBe(false);
  expect(finality.isMissing({ value: null }, undefined)).toBe(false);
});

it("knows the operations that read an account's books", () => {
  expect(
    ["listUsage", "exportLedger", "getCredits"].every((operation) => readsBooks(operation as never)),
  ).toBe(true);
  expect(["call", "inspect", null].some((operation) => readsBooks(operation as never))).toBe(false);
});
