import { kept } from "../../base/data.ts";
import { writeHistory } from "../../tools/hardening/bench/history.ts";
import type { Change } from "../changes/mutant.ts";
import type { Exchange } from "../judge/exchange.ts";
import { openStage } from "../proof/stage.ts";
import { Account } from "../server/account.ts";
import { Client } from "../server/client.ts";
import type { Profile } from "../server/profile.ts";
import { Secrets } from "../server/secrets.ts";
import { Session } from "../server/session.ts";
import type { ReportedAnomaly } from "./anomalies.ts";
import { accountOf } from "./reader.ts";
import { reconcile, type Reconciled, type ReconcileOptions } from "./reconcile.ts";
import { sliceOf } from "./slices.ts";
import type { State } from "./state.ts";

/** Reference servers whose account has a long history, and then calls every tool of the profile. */
export interface Booked {
  key: string;
  /** The state of a run that has read the history from an unchanged server, with what the account did since. */
  afterHistory(profile: Profile): Promise<State>;
  /** Starts the server with a change, lets the account act and passes its profile on. */
  perform<T>(
    change: Change,
    use: (profile: Profile, exchanges: readonly Exchange[]) => Promise<T>,
  ): Promise<T>;
  /** As `perform`, but once for each change: the server is kept for tests that only read from it. */
  acted(change: Change): Promise<Acted>;
  close(): Promise<void>;
}

interface Acted {
  profile: Profile;
  exchanges: readonly Exchange[];
}

/** @param events of the history, before the account acts */
export async function openBooked(events: number): Promise<Booked> {
  let key = "";
  const stage = await openStage(async (folder) => void ({ key } = await writeHistory(folder, events)));
  const to = Date.now();
  let history: State | undefined;
  await stage.perform({}, (profile) =>
    reconciled(profile, key, { to, onState: async (at) => void (history = structuredClone(at())) }),
  );
  const { window, done, ...read } = history!;
  const perform: Booked["perform"] = (change, use) =>
    stage.perform(change, async (given) => {
      const profile = { ...given, credentials: { ...given.credentials, account: key } };
      return use(profile, await act(profile, key));
    });
  const closing = Promise.withResolvers<null>();
  const ends: Promise<void>[] = [];
  const keptServers = new Map<Change, Promise<Acted>>();
  return {
    key,
    async afterHistory(profile) {
      const account = await accountOf(profile, key, { waitSeconds: 60 });
      const rest = await sliceOf(account, { start: to, end: Date.now() + 2_000 });
      account.session.client.close();
      const total = { events: done.events + rest.events, entries: done.entries + rest.entries };
      return { ...read, window: { ...window, end: rest.end }, done, total, open: [rest] };
    },
    perform,
    acted: (change) =>
      kept(keptServers, change, () => {
        const started = Promise.withResolvers<Acted>();
        const end = perform({ parts: (parts) => parts, ...change }, async (profile, exchanges) => {
          started.resolve({ profile, exchanges });
          await closing.promise;
        });
        end.catch(started.reject);
        ends.push(end);
        return started.promise;
      }),
    async close() {
      closing.resolve(null);
      await Promise.allSettled(ends);
      await stage.close();
    },
  };
}

/** Calls every tool and capability, some at the same time, as a client of the account does. */
async function act(profile: Profile, key: string): Promise<readonly Exchange[]> {
  const client = new Client(profile.base_url, new Secrets());
  const session = new Session(client, new Secrets());
  const account = new Account(session, profile, key, "account");
  const tools = Object.values(profile.tools);
  const call = (id: string, parameters: Record<string, unknown> = {}, more: object = {}) =>
    account.call({ id, parameters }, { ...more }).catch(() => undefined);
  try {
    await account.discover("weather");
    await account.inspect(tools.slice(0, 1).map(({ id }) => id));
    await Promise.all(tools.map(({ id, parameters }) => call(id, parameters)));
    const { charged } = profile.tools;
    if (charged !== undefined)
      await Promise.all(
        Array.from({ length: 6 }, () => call(charged.id, charged.parameters, { model: "m-1" })),
      );
    for (const { id, parameters } of tools) await call(id, parameters, { max_response_size: -1 });
    for (const capability of Object.values(profile.capabilities)) {
      if (capability === undefined) continue;
      const body = { capability_id: capability.id, parameters: capability.parameters ?? {}, max_credits: 5 };
      await account.ask("queryCapability", { body }).catch(() => undefined);
    }
    // What a server has not settled yet says nothing.
    await account.settled().catch(() => undefined);
    return session.exchanges;
  } finally {
    client.close();
  }
}

/** Reconciles the account immediately, whatever has just been written. */
export const reconciled = (
  profile: Profile,
  key: string,
  options: Partial<ReconcileOptions> = {},
): Promise<Reconciled> =>
  reconcile(profile, { key, all: true, waitSeconds: 60, settlesMs: -2_000, holdsMs: 300, ...options });

/** Whether an anomaly accuses: what a `should` forbids is a warning. */
export const isAlarm = ({ level }: ReportedAnomaly): boolean => level === "must";
