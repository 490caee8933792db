import { Account } from "../conformance/server/account.ts";
import { measuredLag } from "../conformance/server/audit-lag.ts";
import { Client } from "../conformance/server/client.ts";
import type { Profile } from "../conformance/server/profile.ts";
import type { Secrets } from "../conformance/server/secrets.ts";
import { Session } from "../conformance/server/session.ts";
import { findTools } from "../conformance/server/tools.ts";
import { registerTrial } from "../conformance/server/trials.ts";
import { Stranger } from "../conformance/server/account.ts";
import { greet } from "../conformance/run/greet.ts";
import { Waiting } from "../conformance/server/waiting.ts";
import { Unverifiable } from "../conformance/judge/verdict.ts";
import type { Clock } from "./clock.ts";
import type { Figures } from "./figures.ts";
import type { Elsewhere } from "./live.ts";
import type { Judgement } from "./judgement.ts";
import { openSending, type Sending } from "./open-loop.ts";
import type { Came } from "./came.ts";
import type { Sender } from "./planned.ts";

/** An account used by a load, with all its keys. */
export interface Seat {
  account: Account;
  senders: readonly Sender[];
}

/** The environment of a scenario. */
export interface LoadRun {
  /** The server under load, with its tools. */
  profile: Profile;
  session: Session;
  clock: Clock;
  sending: Sending;
  judgement: Judgement;
  figures: Figures;
  /** Judges an answer and counts it in the figures. */
  take: (came: Came) => void;
  /** The accounts so far, from the profile or registered. */
  seats: readonly Seat[];
  /** Reports progress. */
  say: (text: string) => void;
  /** The counts of worker processes for the current part. */
  elsewhere: Elsewhere;
  /** Set if the server announces another version of the contract than the one used to judge it. */
  versionNote: string | null;
}

/** The most requests of the session to keep: those of a soak would fill the memory. */
const mostKept = 2_000;

/**
 * Reaches the server, opens accounts, finds tools, and passes them all to `use`.
 * @param accounts the number the scenario wants; there may be fewer
 * @throws Unreachable if no server of this kind answers; Unverifiable if there is no account
 */
export async function loadRun<T>(
  given: Profile,
  {
    accounts,
    say,
    clock,
    waitSeconds,
    secrets,
    judgement,
    figures,
  }: Pick<LoadRun, "say" | "clock" | "judgement" | "figures"> & {
    accounts: number;
    secrets: Secrets;
    waitSeconds?: number | undefined;
  },
  use: (run: LoadRun) => Promise<T>,
): Promise<T> {
  secrets.learnFromProfile(given);
  const client = new Client(given.base_url, secrets, new Waiting(waitSeconds, say));
  const session = new Session(client, secrets);
  const sending = openSending(given.base_url, clock);
  try {
    say("reaching the server");
    const versionNote = await greet(given, session);
    client.listen((exchange) => {
      judgement.judge({ exchange });
      if (session.exchanges.length > mostKept) session.exchanges.splice(0, mostKept / 2);
    });
    say("opening accounts");
    const scouted: Profile = { ...given };
    const seats = await openSeats(session, scouted, accounts + 1);
    say("finding tools");
    // The scout's windows are partly used, so it is left out of the load if there are other accounts.
    const scout = seats.length > 1 ? seats.pop()! : seats[0]!;
    scouted.tools = await findTools(scout.account, given);
    scouted.audit_lag ??= await measuredLag(scout.account);
    const take = (came: Came): void => {
      judgement.judge(came);
      figures.take(came);
    };
    return await use({
      profile: scouted,
      session,
      clock,
      sending,
      judgement,
      figures,
      take,
      seats,
      say,
      elsewhere: { answers: 0 },
      versionNote,
    });
  } finally {
    sending.close();
    client.close();
  }
}

async function openSeats(session: Session, profile: Profile, wanted: number): Promise<Seat[]> {
  const { account, second_key_of_account: second, other_account: other, pool } = profile.credentials;
  const seats: Seat[] = [];
  const open = (label: string, ...keys: string[]): void => {
    const senders = keys.map((key, index) => {
      session.secrets.learn(key, "key");
      return { account: label, key, keyName: `key ${index + 1}` };
    });
    seats.push({ account: new Account(session, profile, keys[0]!, label), senders });
  };
  if (account !== undefined) open("account 1", account, ...(second === undefined ? [] : [second]));
  for (const key of [other, ...pool]) {
    if (key !== undefined && seats.length < wanted) open(`account ${seats.length + 1}`, key);
  }
  const stranger = new Stranger(session, profile);
  while (seats.length < wanted && profile.features.trial === undefined) {
    const trial = await registerTrial(stranger, `load ${seats.length + 1}`);
    open(`trial ${seats.length + 1}`, trial.account.key);
  }
  if (seats.length === 0) throw new Unverifiable("there is no account", "credentials: {account: KEY}");
  return seats;
}
