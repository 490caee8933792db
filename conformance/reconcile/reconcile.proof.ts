import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { billingMutants } from "../../load/billing-mutants.fixture.ts";
import { isAlarm } from "./booked.fixture.ts";
import { pause } from "../server/session.ts";
import { variations } from "../proof/variations/index.ts";
import { mutants as suiteMutants } from "../suite/billing/mutants.ts";
import { writeHar } from "../traffic/write-har.ts";
import type { ReportedAnomaly } from "./anomalies.ts";
import { openBooked, reconciled, type Booked } from "./booked.fixture.ts";
import { Recorded } from "./recording.ts";
import type { State } from "./state.ts";

/** What no read contradicts, by the words of the mutant, with the reason. */
const unseen: readonly (readonly [RegExp, string])[] = [
  [/^charges nothing for any Call$/, "a discount to nothing is lawful"],
  [/^rounds balances to hundredths$/, "only POSTs show that balance"],
  [
    /^charges a (Call|call) twice (when another|while others)/,
    "the second charge is a refund by its type, or another Call",
  ],
  [/^takes the balance below zero when Calls race/, "the account has credits enough"],
  [/^gives (\S+) as the reason instead of (\S+)$/, "only the provider knows the reason"],
];

/** What the reads only warn of, by the words of the mutant: no event tells that a policy exempts its Call. */
const isOnlyWarned = (words: string): boolean => words === "charges the list price under a policy exemption";

/** Whether there is anything to reconcile. */
const hasBooks = ({ name }: { name: string }): boolean => !/ledger to show it$/.test(name);

/** Commands and seeds of the account: its history is a function of its length. */
const [events, eventsOfVariations] = [10_000, 1_000];

const folder = mkdtempSync(join(tmpdir(), "capability-contract-reconcile-proof-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe(`an account of ${events} events`, () => {
  let booked: Booked;
  beforeAll(async () => void (booked = await openBooked(events)), 120_000);
  afterAll(() => booked.close());

  const mutants = [
    ...suiteMutants.map(({ clause, name, change }) => ({ name: `${clause} ${name}`, words: name, change })),
    ...billingMutants.map(({ caughtBy, name, change }) => ({
      name: `${caughtBy}: ${name}`,
      words: name,
      change,
    })),
  ].filter(hasBooks);

  test("of the unaltered server has no anomaly", async () => {
    const found = await booked.perform(
      {},
      async (profile) => (await reconciled(profile, booked.key)).anomalies,
    );
    expect(found.total, JSON.stringify(found.kept)).toBe(0);
  });

  test.for(mutants)("$name", async ({ words, change }) => {
    const isUnseen = unseen.some(([pattern]) => pattern.test(words));
    const found = await booked.perform(change, async (profile, exchanges) => {
      const file = join(folder, "calls.har");
      await writeHar(file, exchanges);
      const read = async (state?: State): Promise<string[]> => {
        const recorded = await Recorded.read(file, profile.base_url, booked.key);
        const { kept } = (await reconciled(profile, booked.key, { recorded, state })).anomalies;
        return kept.filter((anomaly) => isOnlyWarned(words) || isAlarm(anomaly)).map(({ kind }) => kind);
      };
      // A run that continues from the history, which is right, costs a tenth of one that reads it again.
      const continued = await read(await booked.afterHistory(profile));
      return continued.length > 0 || isUnseen ? continued : read();
    });
    if (!isUnseen) expect(found).not.toEqual([]);
  });
});

describe(`a variation with ${eventsOfVariations} events`, () => {
  let booked: Booked;
  beforeAll(async () => void (booked = await openBooked(eventsOfVariations)), 120_000);
  afterAll(() => booked.close());

  test.for(variations.filter(hasBooks))("$name", async ({ change }) => {
    const alarms = await booked.perform(change, async (profile) => {
      const read = async (): Promise<ReportedAnomaly[]> =>
        (await reconciled(profile, booked.key, { holdsMs: 10_000 })).anomalies.kept.filter(isAlarm);
      const atOnce = await read();
      if (atOnce.length === 0) return [];
      // Some settle and record seconds later, within the minute that a reconciliation leaves out.
      await pause(10_000);
      return read();
    });
    expect(alarms).toEqual([]);
  });
});
