import {
  limitedOperations,
  operations,
  trialCredits,
  type LimitedOperation,
  type OperationId,
} from "../../generated/contract.ts";
import { member } from "../../base/data.ts";
import { Blocked, Unverifiable } from "../judge/verdict.ts";
import { Account, Stranger } from "./account.ts";
import { jsonOf, type Exchange } from "../judge/exchange.ts";
import { Past } from "./past.ts";
import { isOutOfReach, type Profile } from "./profile.ts";
import type { Session } from "./session.ts";
import { UsedUp } from "./waiting.ts";

/** One account of the server under test, lent to one check at a time. */
interface AccountLease {
  key: string;
  label: string;
  past: Past;
  /** Credits that checks may still spend on it, as far as the suite knows. */
  credits: number;
  /** Until when one of its rate-limit windows may be in use, in epoch milliseconds. */
  unusedFrom: number;
  /** How many requests of each limited operation a check sent with it, and until when they may count. */
  used: { operation: LimitedOperation; count: number; until: number }[];
  /** Until when the quota of an operation is used up, as far as an answer said so. */
  refusedUntil: Map<OperationId, number>;
}

interface Wish {
  /**
   * Requires unused rate-limit windows, except for the owner's account, of which there is only one. The check uses them
   * up.
   */
  fresh: boolean;
  /** The credits that the check may spend where a Call costs two at most. */
  credits: number;
  /** Requires the profile's `account`, to which the second key belongs. */
  owner: boolean;
  /** An operation whose quota it needs: preferably an account that has not used it up. */
  quota?: OperationId | undefined;
}

/** A check that waits for an account. */
interface Waiting {
  wish: Wish;
  session: Session;
  take: (lease: AccountLease) => void;
  refuse: (reason: Unverifiable) => void;
}

/** The assumed credits of a profile's account, since the suite does not know them. */
const givenCredits = 1_000_000;
/** What a Call costs at most in the wish of a check. */
const usualPrice = 2;
/** Maximum number of accounts to register before a check waits for a free one. */
const maxRegistered = 200;

/**
 * The accounts of a run: the profile's and trial accounts that the suite registers. Each is lent to one check at a
 * time, so that no check sees another's credits, events or rate limits.
 */
export class AccountLeases {
  /** The cost of a Call, relative to the two credits that checks assume. */
  priceFactor = 1;
  readonly #profile: Profile;
  readonly #all: AccountLease[] = [];
  readonly #idle: AccountLease[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #mayRegister: boolean;
  /** The number of accounts that the profile gives. */
  readonly given: number;
  #registered = 0;
  #registering = 0;
  /** The first registration, while it is under way: no other is sent before its answer. */
  #first: Promise<void> | undefined;
  #hasRegistered = false;
  /** Until when registrations are refused, in epoch milliseconds, as far as a check knows that does not wait for them. */
  #refusedUntil = 0;
  /** The checks that hold an account. */
  readonly #holding = new Set<Session>();
  /** Why the first registration was refused; no other is sent. */
  refused: Blocked | undefined;

  /** @param mayRegister whether the suite may register accounts, where the server offers trials */
  constructor(profile: Profile, mayRegister = true) {
    this.#profile = profile;
    const { account, other_account: other, pool } = profile.credentials;
    const given = [account, other, ...pool].filter((key) => key !== undefined);
    for (const [index, key] of given.entries()) {
      this.#idle.push(this.#added(key, `account ${index + 1}`, givenCredits));
    }
    this.given = given.length;
    this.#mayRegister = mayRegister && profile.features.trial === undefined;
  }

  /** Whether the server itself issues trial accounts, as far as the suite knows. */
  get mayRegister(): boolean {
    return this.#mayRegister && this.refused === undefined;
  }

  /** Whether two checks that each want a second account can both have one: no registration will be refused. */
  get plenty(): boolean {
    return this.#mayRegister && this.#hasRegistered && this.#refusedUntil === 0;
  }

  /** Whether two checks can each have an account at the same time. */
  get several(): boolean {
    return this.mayRegister || this.#all.length > 1;
  }

  /** Lends no trial account again: time has passed, and trials end. The others were used long ago. */
  forgetTrials(): void {
    const given = this.#all.slice(0, this.given);
    for (const lease of given) lease.past.made.clear();
    this.#all.splice(this.given);
    this.#idle.splice(0, this.#idle.length, ...this.#idle.filter((lease) => given.includes(lease)));
    this.#registered = 0;
  }

  /**
   * Lends an account that meets the request to a session.
   * @returns the account and the function that returns it
   * @throws Unverifiable when the profile has none and none can be registered; UsedUp when a check that does not wait
   *   needs another, and the quota of registrations is used up
   */
  async lend(session: Session, asked: Wish): Promise<{ account: Account; giveBack: () => void }> {
    const wish = { ...asked, credits: asked.credits * this.priceFactor };
    const lease = await this.#lease(session, wish);
    this.#holding.add(session);
    session.secrets.learn(lease.key, "key");
    const account = new Account(session, this.#profile, lease.key, lease.label, lease.past);
    const giveBack = (): void => {
      account.leave();
      this.#holding.delete(session);
      this.#countCredits(lease, session, wish);
      lease.unusedFrom = session.now() + 1000 * this.#profile.limits.window;
      this.#countUse(lease, session, wish);
      const { usedUp } = session;
      if (usedUp?.account === lease.label) lease.refusedUntil.set(usedUp.operation, usedUp.until);
      this.#giveBack(lease);
    };
    return { account, giveBack };
  }

  /** Leaves to the next check what this one did not spend, as far as the server shows no less. */
  #countCredits(lease: AccountLease, { exchanges }: Session, { credits }: Wish): void {
    const own = exchanges.filter(({ account }) => account === lease.label);
    const paid = own.filter(
      ({ operation }) => operation !== null && operations[operation].changes === "credits",
    );
    lease.credits -= Math.min(credits, usualPrice * this.priceFactor * paid.length);
    // What is shown of a profile's account may be anything: it may pay later, or have no end of credits.
    if (this.#isGiven(lease)) return;
    for (const exchange of own.filter(({ operation }) => operation === "inspect")) {
      const shown = member(jsonOf(exchange), "remaining_credits");
      if (typeof shown === "number") lease.credits = Math.min(lease.credits, shown);
    }
  }

  /**
   * Notes how much of each quota a check used, for as long as its window may last. What a few given accounts have left
   * is used to the end, unless a check wanted unused windows: the next run begins with them.
   */
  #countUse(lease: AccountLease, { exchanges }: Session, { fresh }: Wish): void {
    const isGiven = this.#isGiven(lease);
    for (const operation of limitedOperations) {
      const sent = exchanges.filter(
        (exchange) => exchange.account === lease.label && exchange.operation === operation,
      );
      const count = isGiven ? (fresh ? Infinity : 0) : sent.length;
      if (count > 0) lease.used.push({ operation, count, until: lease.unusedFrom });
    }
  }

  #isGiven(lease: AccountLease): boolean {
    return this.#all.indexOf(lease) < this.given;
  }

  /** Whether at most half of each quota may be used; a check that borrowed it would only wait for the rest. */
  #isRested(lease: AccountLease, now: number): boolean {
    lease.used = lease.used.filter(({ until }) => until > now);
    return limitedOperations.every((operation) => {
      const sent = lease.used.reduce((sum, use) => sum + (use.operation === operation ? use.count : 0), 0);
      return sent <= this.#profile.limits[operation] / 2;
    });
  }

  #giveBack(lease: AccountLease): void {
    const index = this.#waiting.findIndex((waiting) => this.#suits(lease, waiting.wish));
    if (index < 0) this.#idle.push(lease);
    else this.#waiting.splice(index, 1)[0]!.take(lease);
    this.#refuseHopeless();
  }

  /** Refuses checks that wait for an account with more credits than any has left: none would be returned. */
  #refuseHopeless(): void {
    if (this.#registering > 0) return;
    const hopeless = this.#waiting.filter(({ wish }) => !this.#all.some((lease) => this.#suits(lease, wish)));
    for (const waiting of hopeless) {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      waiting.refuse(
        this.#sharesTrials(waiting.session)
          ? new UsedUp("registerAnonymous")
          : new Unverifiable(
              `no account has ${waiting.wish.credits} credits left`,
              "credentials: {pool: [KEY]}",
            ),
      );
    }
  }

  /** Whether a check that does not wait has to do with the trials there are: the quota of registrations is used up. */
  #sharesTrials(session: Session): boolean {
    return session.leaves && this.#refusedUntil > session.now();
  }

  async #lease(session: Session, wish: Wish): Promise<AccountLease> {
    const fulfilling = this.#idle.filter((lease) => this.#fulfils(lease, wish, session));
    // Save unused accounts for the checks that need one.
    if (!wish.fresh)
      fulfilling.sort((one, other) => Number(isUnused(one, session)) - Number(isUnused(other, session)));
    const now = session.now();
    const isRested = (lease: AccountLease): boolean =>
      this.#isRested(lease, now) && ((wish.quota && lease.refusedUntil.get(wish.quota)) ?? 0) <= now;
    const restedFirst = fulfilling.find(isRested);
    const affordable = wish.credits <= trialCredits;
    const sharesTrials = this.#sharesTrials(session);
    if (restedFirst !== undefined) return this.#takeIdle(restedFirst);
    if (this.mayRegister && !sharesTrials && !wish.owner && affordable && this.#registered < maxRegistered) {
      // Where none is registered, accounts may have come back meanwhile.
      return (await this.#register(session)) ?? this.#lease(session, wish);
    }
    if (this.given === 0 && this.refused !== undefined) throw this.#refusedTo(session);
    if (fulfilling[0] !== undefined) return this.#takeIdle(fulfilling[0]);
    // Count by the profile: while trial accounts are being registered, the number of leases lags behind.
    if (this.given === 0 && (wish.owner || !affordable)) {
      throw new Unverifiable(
        `no account with ${wish.credits} credits is given`,
        "credentials: {account: KEY}",
      );
    }
    if (this.#all.length === 0 && sharesTrials) throw new UsedUp("registerAnonymous");
    if (this.#all.length === 0) throw new Unverifiable("there is no account", "credentials: {account: KEY}");
    const used = this.#idle.find((lease) => this.#suits(lease, wish));
    // Checks that each hold a trial, with no more to be had, would wait for each other.
    const isStuck = used === undefined && sharesTrials && this.#holding.has(session);
    if (isStuck) throw new UsedUp("registerAnonymous");
    const lease =
      used !== undefined
        ? this.#takeIdle(used)
        : await session.idle(
            new Promise<AccountLease>((take, refuse) => {
              this.#waiting.push({ wish, session, take, refuse });
              this.#refuseHopeless();
            }),
          );
    if (wish.fresh && !wish.owner) await this.#untilUnused(lease, session);
    return lease;
  }

  async #untilUnused(lease: AccountLease, session: Session): Promise<void> {
    const left = lease.unusedFrom - session.now();
    const isVast = limitedOperations.every((operation) => isOutOfReach(this.#profile, operation));
    if (left <= 0 || isVast || !session.client.showsLimits) return;
    try {
      await session.untilWindowEnds(left, `the windows of ${lease.label} to end`);
    } catch (error) {
      this.#giveBack(lease);
      throw error;
    }
  }

  #takeIdle(lease: AccountLease): AccountLease {
    this.#idle.splice(this.#idle.indexOf(lease), 1);
    return lease;
  }

  /**
   * Registers an account, unless an earlier answer shows that the server registers none.
   * @returns null if it does not
   */
  async #register(session: Session): Promise<AccountLease | null> {
    while (this.#first !== undefined) await session.idle(this.#first);
    if (!this.mayRegister) return null;
    const registration = this.#registration(session);
    if (this.#hasRegistered) return registration;
    const over = (): void => (this.#first = undefined);
    this.#first = registration.then(over, over);
    return registration;
  }

  async #registration(session: Session): Promise<AccountLease | null> {
    this.#registered += 1;
    this.#registering += 1;
    let key: unknown;
    try {
      const answer = await new Stranger(session, this.#profile).ask("registerAnonymous", {
        body: { agent_name: `conformance ${this.#registered}` },
      });
      if (answer.status === 200) key = answer.at("data.api_key").value;
      if (typeof key === "string") {
        this.#hasRegistered = true;
        return this.#added(key, `trial ${this.#all.length - this.given + 1}`, trialCredits);
      }
      const received = answer.status === 200 ? "200 without an api_key" : String(answer.status);
      const refused = new Blocked(
        `no trial account can be registered: POST /agent/anonymous-register answered ${received}`,
        answer.exchange,
      );
      if (this.#hasRegistered || answer.status === 503) throw refused;
      this.refused = refused;
      return null;
    } catch (error) {
      if (!(error instanceof UsedUp)) throw error;
      // What is lent already can be shared instead.
      this.#refusedUntil = session.usedUp!.until;
      return null;
    } finally {
      this.#registering -= 1;
      if (typeof key !== "string") {
        this.#registered -= 1;
        this.#refuseHopeless();
      }
    }
  }

  /** The refusal of the only registration that was tried, as the reason of a check. */
  #refusedTo(session: Session): Blocked {
    const { exchange } = this.refused!;
    if (exchange !== undefined && !session.exchanges.includes(exchange)) session.exchanges.push(exchange);
    return this.refused!;
  }

  #added(key: string, label: string, credits: number): AccountLease {
    const lease = {
      key,
      label,
      past: new Past(),
      credits,
      unusedFrom: 0,
      used: [],
      refusedUntil: new Map(),
    };
    this.#all.push(lease);
    return lease;
  }

  /** Whether its credits and owner are as requested, regardless of its windows. */
  #suits(lease: AccountLease, wish: Wish): boolean {
    if (lease.credits < wish.credits) return false;
    return !wish.owner || lease.key === this.#profile.credentials.account;
  }

  #fulfils(lease: AccountLease, wish: Wish, session: Session): boolean {
    if (!this.#suits(lease, wish)) return false;
    return !wish.fresh || wish.owner || isUnused(lease, session);
  }
}

/** Whether an exchange registered an account to lend, which is not an act of the check that borrows it. */
export const registersLoan = ({ operation, request }: Exchange): boolean =>
  operation === "registerAnonymous" && /"conformance \d+"/.test(request.body ?? "");

/** Whether its rate-limit windows are unused: it was never lent, or its windows must have ended since. */
const isUnused = (lease: AccountLease, session: Session): boolean => lease.unusedFrom <= session.now();
