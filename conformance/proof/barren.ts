import { micro } from "../../reference-server/billing/money.ts";
import type { Config } from "../../reference-server/config.ts";
import { openDataFolder } from "../../reference-server/parts-default.ts";
import type { Change } from "../changes/mutant.ts";
import type { Profile } from "../server/profile.ts";

/** Keys of accounts with only one recharge in their ledger. */
export type PlainKeys = readonly string[];

const plainAccounts = 8;

/** Opens the plain accounts in a data folder. */
export async function furnishPlain(config: Config): Promise<PlainKeys> {
  const { accounts, books, storage } = await openDataFolder(config);
  try {
    return await Promise.all(
      Array.from({ length: plainAccounts }, async (_, index) => {
        const { id: accountId } = await accounts.create({ name: `plain ${index}`, email: null });
        const entryType = "grant_payment_recharge";
        await books.move({ accountId, entryType, amount: micro(1_000), description: entryType });
        return (await accounts.addKey(accountId, "first key")).apiKey;
      }),
    );
  } finally {
    await storage.close();
  }
}

/**
 * Stages that lack what checks of selection, caps and differences need to see. A check that finds a mutant elsewhere
 * may be unable to find it here; it may pass only if it has seen that the mutant's fault is absent.
 */
export const barrenStages = {
  "accounts that hold one recharge, and tools that are charged at their list price": (keys) =>
    onProfile(({ tools: { charged, charged_decimal }, credentials, ...rest }) => ({
      ...rest,
      credentials: { ...without(credentials, "every_kind", "second_key_of_account"), ...accountsOf(keys) },
      tools: { ...(charged && { charged }), ...(charged_decimal && { charged_decimal }) },
    })),
  "one account, without credits and rows": () =>
    onProfile(({ credentials, features, ...rest }) => ({
      ...rest,
      credentials: {
        ...without(credentials, "every_kind", "second_key_of_account"),
        account: credentials.exhausted!,
        pool: [],
      },
      features: { ...features, trial: "no further account is to be had here" },
    })),
} satisfies Record<string, (keys: PlainKeys) => Change>;

/**
 * Mutants, by clause and name or by id, that a check may miss on a barren stage: its finding about what is there stays
 * true, and the clause is not of the kind that needs a counter-example.
 */
export const openBarren: Readonly<Record<string, readonly string[]>> = {
  "no check can make rows of two days; those that have lived are judged with credentials.every_kind": [
    "LSUM-13 starts a week on each day that has rows",
  ],
  "the walk judges that the books agree with each other, whatever happened": [
    "USUM-09 counts requested amounts as settled",
    "ACCT-06 counts billed amounts that were not charged",
  ],
  "a further kind of Call has a role of its own; the entry of the usual one is judged by itself": [
    "LEDG-11 shows no execution_id for the charge of a failed Call",
  ],
  "the stage declares that nobody registers there, and the rest of the check's operations is judged": [
    "parameter registerAnonymous body agent_name of another type accepted",
    "status registerAnonymous 422 as 400",
  ],
  "it fell to a request too many, of which the stage sees none: the checks are about the refusal of a credential":
    ["status getCapability 429 as 503", "status queryCapability 429 as 503", "status verifyToken 429 as 503"],
  "what the stage shows stays true: its events all succeed, and the words of its accounts are the same": [
    "field getUsageEvent 200 data.success constant",
    "field listUsage 200 data.items.*.billing_summary of another account",
  ],
};

const onProfile = (profile: (profile: Profile) => Profile): Change => ({ profile });

const accountsOf = ([account, ...pool]: PlainKeys): { account: string; pool: string[] } => ({
  account: account!,
  pool,
});

const without = <Whole extends object, Name extends keyof Whole>(
  whole: Whole,
  ...names: Name[]
): Omit<Whole, Name> =>
  Object.fromEntries(
    Object.entries(whole).filter(([name]) => !(names as PropertyKey[]).includes(name)),
  ) as Omit<Whole, Name>;
