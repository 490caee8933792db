import { WrongUse } from "../../base/exit.ts";
import { text, valueOf, wrongValue, yes, type Flag } from "../../base/flag.ts";
import { group, verb, type Flags, type Values, type Verb } from "../../base/verb.ts";
import { BookRefusal } from "../billing/book.ts";
import { micro, type Micro } from "../billing/money.ts";
import { defaultConfig } from "../config.ts";
import type { EntryType } from "../../generated/contract.ts";
import { openDataFolder, type DataFolder } from "../parts-default.ts";
import { settings } from "../settings.ts";
import {
  closeAccount,
  createAccount,
  createKey,
  createTrial,
  listAccounts,
  listKeys,
  mintDelegation,
  mintJwt,
  moveCredits,
  recordModelCall,
  reopenAccount,
  revokeKey,
} from "./commands.ts";

/** The result of a command: printed as lines, or as JSON with `--json`. */
type Result = Record<string, unknown> | Record<string, unknown>[];

/** Non-negative credits with at most six decimals. */
const credits = (spelled: string, help: string): Flag<Micro | undefined> =>
  valueOf(spelled, help, (text, name) =>
    /^\d{1,9}(\.\d{1,6})?$/.test(text)
      ? micro(Number(text))
      : wrongValue(name, "credits such as 12.5, with at most six decimals", text),
  );

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A duration such as `90s`, `15m`, `1h`, `8d`, in ms. */
const span = (spelled: string, help: string): Flag<number | undefined> =>
  valueOf(spelled, help, (text, name) => {
    const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
    if (count === undefined || unit === undefined) {
      return wrongValue(name, "a time such as 90s, 15m, 1h or 8d", text);
    }
    return Number(count) * unitMs[unit as keyof typeof unitMs];
  });

const folderFlags = {
  dataFolder: settings.dataFolder,
  databaseUrl: settings.databaseUrl,
  json: yes("--json", "the answer as JSON"),
};

/** An operator command. It works on the data of a server, even a running one. */
const command = <F extends Flags>(
  flags: F,
  run: (flags: Values<F>, folder: DataFolder) => Promise<Result>,
): Verb =>
  verb({
    flags: { ...flags, ...folderFlags },
    async run(flags) {
      const { dataFolder, databaseUrl = null, json } = flags as Values<typeof folderFlags>;
      const folder = await openDataFolder({ ...defaultConfig, dataFolder, databaseUrl, logLevel: "error" });
      try {
        print(await run(flags, folder), json);
      } catch (error) {
        if (error instanceof BookRefusal) throw new WrongUse(error.message, { cause: error });
        throw error;
      } finally {
        await folder.storage.close();
      }
    },
  });

function print(result: Result, json: boolean): void {
  if (json) {
    console.log(JSON.stringify(result, null, 2));
    return;
  }
  for (const record of Array.isArray(result) ? result : [result]) {
    const fields = Object.entries(record).filter(([, value]) => value !== null);
    const [equals, between] = Array.isArray(result) ? ["=", "  "] : [": ", "\n"];
    console.log(fields.map(([name, value]) => `${name}${equals}${String(value)}`).join(between));
  }
}

const account = text("--account <ID>", "the account's id; see account list").needed();
const lifetimeMs = span("--lifetime <TIME>", "how long the token is valid").or(3_600_000, "1h");
const ageMs = (what: string): Flag<number> => span("--age <TIME>", what).or(0, "0s");
const price = (help: string): Flag<Micro> => credits("--credits <CREDITS>", help).needed();

/** A grant, or a refund if the sign is negative. */
const moving = (entryType: EntryType, sign: 1 | -1, description: string): Verb =>
  command(
    {
      account,
      amount: price("how many"),
      description: text("--description <TEXT>", "the text of its ledger entry").or(description),
    },
    ({ amount, ...given }, folder) => moveCredits({ ...given, amount: sign * amount }, entryType, folder),
  );

const accounts = group({
  create: [
    "opens a formal account with a first key, and credits if --grant is given",
    command(
      {
        name: text("--name <NAME>", "the name of the account").needed(),
        email: text("--email <ADDRESS>", "its owner's address"),
        grant: credits("--grant <CREDITS>", "credits to begin with").or(0),
      },
      createAccount,
    ),
  ],
  list: ["lists the accounts", command({}, listAccounts)],
  close: [
    "closes an account: its credentials are refused, and calls in progress are not charged",
    command({ account }, closeAccount),
  ],
  reopen: [
    "opens a closed account again, with its keys and credits unchanged",
    command({ account }, reopenAccount),
  ],
});

const keys = group({
  create: [
    "adds a key to an account, and shows it once",
    command({ account, name: text("--name <NAME>", "the name of the key").or("key") }, createKey),
  ],
  list: ["lists the keys of an account, masked", command({ account }, listKeys)],
  revoke: [
    "revokes a key by its id, immediately for all servers",
    command({ key: text("--key <ID>", "the key's id; see key list").needed() }, revokeKey),
  ],
});

const grants = group({
  recharge: ["as grant_payment_recharge", moving("grant_payment_recharge", 1, "Grant: recharge")],
  welcome: ["as grant_welcome_bonus", moving("grant_welcome_bonus", 1, "Grant: welcome")],
  invitation: ["as grant_invitation_reward", moving("grant_invitation_reward", 1, "Grant: invitation")],
});

const jwt = command(
  {
    account,
    lifetimeMs,
    ageMs: ageMs("its age, such as 15m"),
    oauthClientId: text("--oauth-client <ID>", "the OAuth client that it belongs to"),
  },
  mintJwt,
);

const delegation = command(
  {
    account,
    runId: text("--run-id <ID>", "the run that it is for").needed(),
    providerId: text("--provider-id <ID>", "the provider that it is for").needed(),
    maxCredits: credits(
      "--max-credits <CREDITS>",
      "the most that each query of the run may cost, not all of them together",
    ),
    lifetimeMs,
  },
  mintDelegation,
);

const modelCall = command(
  {
    account,
    model: text("--model <NAME>", "the model that was used").needed(),
    price: price("its price; 0: included"),
    session: text("--session <ID>", "the session that it belongs to"),
  },
  recordModelCall,
);

const trial = command(
  {
    name: text("--name <NAME>", "the agent's name"),
    ageMs: ageMs("its age, such as 8d, which is past its end"),
  },
  createTrial,
);

export default group(
  {
    account: ["opens, lists and closes accounts", accounts],
    key: ["creates, lists and revokes keys", keys],
    grant: ["grants credits", grants],
    refund: [
      "takes back credits of a recharge (consume_payment_refund)",
      moving("consume_payment_refund", -1, "Refund of a recharge"),
    ],
    jwt: ["mints a JWT of an account", jwt],
    delegation: ["mints a constrained delegation token", delegation],
    "model-call": ["records the use of a model, with its price", modelCall],
    trial: [
      "opens trials",
      group({ create: ["opens a trial as if it had been registered some time ago", trial] }),
    ],
  },
  "Commands for the operator; they also work while the server runs.",
);
