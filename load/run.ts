import { Finality, usualLagSeconds, type LastActs } from "../conformance/books/finality.ts";
import { Account } from "../conformance/server/account.ts";
import { measuredLag } from "../conformance/server/audit-lag.ts";
import { Client } from "../conformance/server/client.ts";
import type { OperationId } from "../generated/contract.ts";
import { whyOff, type Profile } from "../conformance/server/profile.ts";
import type { Secrets } from "../conformance/server/secrets.ts";
import { Session } from "../conformance/server/session.ts";
import { findTools } from "../conformance/server/tools.ts";
import { greet } from "../conformance/run/greet.ts";
import { Waiting } from "../conformance/server/waiting.ts";
import { Blocked, Unverifiable } from "../conformance/judge/verdict.ts";
import { readFile } from "node:fs/promises";
import { extname } from "node:path";
import { interruptible, type Clock } from "./engine/clock.ts";
import { unansweredStatus, type Figures } from "./engine/figures.ts";
import { performPart, type Part, type PartEnd } from "./engine/part.ts";
import { Unfinished, type Sent } from "./engine/request.ts";
import { openWorkers, type Workers } from "./engine/workers.ts";
import { Ended, lackingCredits, noCredits, presence } from "./ended.ts";
import { isExpected } from "./expected.ts";
import type { Judgement } from "./judgement.ts";
import { openLeases, requireOwnKeys, type AccountLease } from "./account-leases.ts";
import { openSending, type Sending } from "./sending.ts";
import { recorder, type Reply } from "./recorder.ts";
import type { Outcome } from "./outcome.ts";
import type { Planned } from "./planned.ts";
import type { FoundByWorker } from "./worker.ts";

/** The environment of a scenario. */
export interface LoadRun {
  /** The server under load, with its tools. */
  profile: Profile;
  session: Session;
  clock: Clock;
  sending: Sending;
  /** Another trusted certificate (PEM). */
  ca: string | undefined;
  judgement: Judgement;
  figures: Figures;
  /** Judges an answer and counts it in the figures. */
  take: (reply: Reply) => void;
  /** The accounts so far, from the profile or registered. */
  leases: readonly AccountLease[];
  /** Reports progress. */
  say: (text: string) => void;
  /** Ends the run early; its reason is an Ended. */
  signal: AbortSignal;
  /**
   * Sends a part from the run's processes, judging every answer.
   * @param into counts the answers; the figures of the run by default
   * @throws Ended if the run ended meanwhile
   */
  share: (part: Part<Planned>, into?: Figures) => Promise<PartEnd>;
  /** Gives the outcome so far, for a run that ends early; a scenario sets it. */
  soFar: { outcome: () => Outcome };
  /** Set if the server announces another version of the contract than the one used to judge it. */
  versionNote: string | null;
}

/** The options of a run. */
export interface RunOptions extends Pick<LoadRun, "say" | "clock" | "judgement" | "figures"> {
  /** The number of accounts that the scenario wants; there may be fewer. */
  accounts: number;
  /** The number of sending processes of shared parts. */
  workers: number;
  /** Whether the scenario reads books, so that it must be known how late they may be. */
  readsBooks: boolean;
  secrets: Secrets;
  waitSeconds?: number | undefined;
  /** Ends the run, with an Ended as its reason. */
  stop: AbortController;
  /** Gives the outcome so far. */
  soFar: LoadRun["soFar"];
}

/** The most requests of the session to keep: those of a soak would fill the memory. */
const maxKept = 2_000;
/** How long a scenario may take to end in milliseconds, once its run has ended. */
const graceMs = 1_500;

/**
 * Reaches the server, opens accounts, finds tools, and passes them all to `use`.
 * @throws Unreachable if no server of this kind answers; Unverifiable if there is no account; Ended if the run ended early
 */
export async function loadRun<T>(
  given: Profile,
  options: RunOptions,
  use: (run: LoadRun) => Promise<T>,
): Promise<T> {
  const { say, secrets, judgement, figures, stop, soFar } = options;
  const { signal } = stop;
  secrets.learnFromProfile(given);
  const clock = interruptible(options.clock, signal);
  const ca = given.tls?.ca === undefined ? undefined : await readFile(given.tls.ca, "utf8");
  const waiting = new Waiting(options.waitSeconds, say, { signal });
  const off = (operation: OperationId | null): string | undefined => whyOff(given, operation);
  const client = new Client(given.base_url, secrets, waiting, undefined, { ca, off });
  let profile = given;
  // What a load has done must show before it reads any books.
  const lagMs = (): number => 1_000 * (profile.audit_lag ?? usualLagSeconds);
  const pause = (milliseconds: number): Promise<void> => waiting.pause(milliseconds, "the audit");
  const acts: LastActs = new Map();
  const finality = new Finality({ lagMs, isPatient: true, pause, acts });
  const session = new Session(client, secrets, { finality });
  const sending = openSending(given.base_url, clock, signal, ca);
  const doubt = watchingPresence(given.base_url, figures, stop);
  const watch = ({ answer, request }: Sent<Planned>): void => {
    if (answer instanceof Unfinished) return;
    if (answer instanceof Error) return void doubt();
    if (answer.status === noCredits && !request.wants?.includes(noCredits))
      stop.abort(lackingCredits(request.sender.account));
  };
  const { share, close } = sharing(
    { baseUrl: given.base_url, ca },
    { ...options, clock, sending, doubt, watch },
  );
  signal.addEventListener("abort", () => sending.connections.cut(new Unfinished()));
  const prepared = async (): Promise<LoadRun> => {
    say("reaching the server");
    const versionNote = await greet(given, session);
    client.listen((exchange) => {
      judgement.judge({ exchange });
      if (session.exchanges.length > maxKept) session.exchanges.splice(0, maxKept / 2);
    });
    say("opening accounts");
    profile = { ...given };
    const leases = await openLeases(session, profile, options.accounts + 1);
    // What comes before the load asks for single rows, or for any: it waits for no others.
    const impatient = new Session(client, secrets, { finality: new Finality({ lagMs: () => 0, acts }) });
    await requireOwnKeys(impatient, leases);
    say("finding tools");
    // The scout's windows are partly used, so it is left out of the load if there are enough others.
    const scout = leases.length > options.accounts ? leases.pop()! : leases.at(-1)!;
    const scouting = new Account(impatient, profile, scout.account.key, scout.senders[0]!.account);
    profile.tools = await findTools(scouting, given);
    if (options.readsBooks) profile.audit_lag ??= (await measuredLag(scouting))?.seconds;
    const take = (reply: Reply): void => {
      figures.take(reply, isExpected(reply));
      watch(reply);
      if (!(reply.answer instanceof Unfinished)) judgement.judge(reply);
    };
    return {
      profile,
      session,
      clock,
      sending,
      ca,
      judgement,
      figures,
      take,
      leases,
      say,
      signal,
      share,
      soFar,
      versionNote,
    };
  };
  try {
    return await endingWith(signal, prepared().then(use));
  } catch (error) {
    if (!(error instanceof Blocked || error instanceof Unverifiable) || signal.aborted) throw error;
    // Something may be missing because the server is.
    if (!(await doubt())) throw signal.reason;
    throw error;
  } finally {
    close();
    sending.close();
    client.close();
  }
}

/** The result of some work; once a signal is aborted, the work has a moment to end by itself. */
async function endingWith<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => {
      timer = setTimeout(() => reject(signal.reason as Error), graceMs);
    });
  });
  try {
    return await Promise.race([work, ended]);
  } catch (error) {
    throw signal.aborted ? (signal.reason as Error) : error;
  } finally {
    clearTimeout(timer);
    work.catch(() => undefined);
  }
}

/** Asks whether the server is still there, and ends the run if it is not. */
function watchingPresence(baseUrl: string, figures: Figures, stop: AbortController): () => Promise<boolean> {
  const { isThere } = presence(baseUrl, stop.signal);
  return async () => {
    const there = await isThere();
    if (!there) stop.abort(new Ended("server", `the server went away after ${figures.answers} answers`));
    return there;
  };
}

/** Sends the parts of a load, from this process or from workers, which are started for the first part. */
function sharing(
  { baseUrl, ca }: { baseUrl: string; ca: string | undefined },
  {
    workers: count,
    figures: ofRun,
    judgement,
    clock,
    sending,
    stop,
    doubt,
    watch,
  }: RunOptions & Pick<LoadRun, "sending"> & { doubt: () => void; watch: (sent: Sent<Planned>) => void },
): Pick<LoadRun, "share"> & { close: () => void } {
  const { signal } = stop;
  const record = recorder(baseUrl);
  let workers: Workers | undefined;
  let figures = ofRun;
  const open = (): Workers => {
    const opened = openWorkers<FoundByWorker>(
      count,
      new URL(`worker${extname(import.meta.url)}`, import.meta.url),
      {
        onFigures: (some) => {
          figures.add(some);
          const failed = some.histograms.filter(({ expected }) => !expected);
          if (failed.some(({ status }) => status === unansweredStatus)) doubt();
          if (failed.some(({ status }) => status === noCredits)) stop.abort(lackingCredits("an account"));
        },
        onFound: ({ findings, judged }) => judgement.merge(findings, judged),
      },
    );
    signal.addEventListener("abort", () => opened.stop());
    return opened;
  };
  const performHere = (part: Part<Planned>): Promise<PartEnd> =>
    performPart(part, {
      server: { baseUrl, ca },
      connections: sending.connections,
      figures,
      clock,
      signal,
      isExpected,
      onSent: (sent) => {
        watch(sent);
        if (!(sent.answer instanceof Unfinished)) judgement.judge(record(sent));
      },
    });
  return {
    async share(part, into = ofRun) {
      signal.throwIfAborted();
      figures = into;
      const end =
        count === 1
          ? await performHere(part)
          : await (workers ??= open()).share({ baseUrl, ca, part, grain: figures.grain });
      signal.throwIfAborted();
      return end;
    },
    close: () => workers?.close(),
  };
}
