import { expect, it } from "vitest";
import { Answer } from "../judge/answer.ts";
import type { Account } from "../server/account.ts";
import { Unverifiable } from "../judge/verdict.ts";
import { requireNoPlanUsed, watchGrants } from "./balance.ts";

/** An account whose ledger answers one after another with the ids of its grants, or with a refusal. */
function accountWith(...ledgers: (string[] | null)[]): Account {
  const ledger = (): Promise<Answer> => {
    const ids = ledgers.shift()!;
    const items = ids?.map((id) => ({ id, entry_type: "grant_welcome_bonus", amount_credits: 50 }));
    const text = JSON.stringify({ data: { items } });
    return Promise.resolve(
      new Answer(ids === null ? 403 : 200, {}, text, {} as never, () => JSON.parse(text)),
    );
  };
  return { ledger } as Account;
}

it.each([
  [[], ["new"], 50],
  [["old"], ["old", "new"], 50],
  [null, ["old"], 0],
  [["old"], null, 0],
])(
  "sees what was granted between two reads of the ledger, each of which may be refused",
  async (...given) => {
    const [before, after, granted] = given;
    const grantedSince = await watchGrants(accountWith(before, after));
    expect(await grantedSince()).toBe(granted);
  },
);

it.each([
  ["as many fewer", 2, 3, "what remains may count daily, which went from 5 to 3"],
  ["fewer, but not as many", 4, 3, null],
  ["more, as where they count what was used", 2, 7, null],
  ["the same", 2, 5, null],
])("lets credits of a day explain a fall of the balance where they are %s", (_, missing, now, excuse) => {
  const hold = (): void => requireNoPlanUsed(missing, new Map([["daily", 5]]), new Map([["daily", now]]));
  if (excuse === null) expect(hold).not.toThrow();
  else expect(hold).toThrow(new Unverifiable(excuse));
});
