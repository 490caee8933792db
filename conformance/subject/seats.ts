import { Blocked, Unverifiable } from "../judge/verdict.ts";
import { Account, Stranger } from "./account.ts";
import type { Profile } from "./profile.ts";
import type { Session } from "./session.ts";

/** One account of the server under test, which one check at a time sits on. */
interface Seat {
  key: string;
  label: string;
  /** Executions whose usage events nobody has waited for. */
  owed: string[];
  /** Credits that checks may still spend on it, as far as the suite knows. */
  credits: number;
  /** A rate-limit window of it may be in use until then, in epoch milliseconds. */
  unusedFrom: number;
  /** A rate-limit window of it may be used up until then: whoever got it would only wait. */
  usedUpUntil: number;
}

interface Wish {
  /** Nothing of its rate-limit windows is used; the owner's may be, since there is only one. They are used up after. */
  fresh: boolean;
  /** What may be spent on it. */
  credits: number;
  /** It is the profile's `account`, to which the second key belongs. */
  owner: boolean;
}

/** A trial account's credits (contract: Trial account). */
const trialCredits = 50;
/** What a given account is taken to own: its owner knows, the suite does not. */
const givenCredits = 1_000_000;
/** Registered accounts that are tried at once before a check waits for one to be free. */
const mostRegistered = 200;

/**
 * The accounts of a run: those of the profile, and trial accounts that the suite registers. Each is lent to one check
 * at a time, so that no check sees another's credits, events or rate limits.
 */
export class Seats {
  readonly #profile: Profile;
  readonly #idle: Seat[] = [];
  readonly #waiting: { wish: Wish; take: (seat: Seat) => void }[] = [];
  /** Whether trial accounts can be had from the server itself. */
  readonly mayRegister: boolean;
  /** Accounts that the profile gives. */
  readonly #given: number;
  #registered = 0;
  #size: number;

  constructor(profile: Profile) {
    this.#profile = profile;
    const { account, other_account: other, pool } = profile.credentials;
    const given = [account, other, ...pool].filter((key) => key !== undefined);
    for (const [index, key] of given.entries()) {
      this.#idle.push({
        key,
        label: `account ${index + 1}`,
        owed: [],
        credits: givenCredits,
        unusedFrom: 0,
        usedUpUntil: 0,
      });
    }
    this.#given = given.length;
    this.#size = given.length;
    this.mayRegister = profile.features.trial === undefined;
  }

  /** Whether two checks can sit on accounts of their own at the same time. */
  get several(): boolean {
    return this.mayRegister || this.#size > 1;
  }

  /**
   * Lends an account that fulfils the wish to a session.
   * @returns the account, and the function that gives it back
   * @throws Unverifiable when the profile gives none and none can be registered
   */
  async lend(session: Session, wish: Wish): Promise<{ account: Account; giveBack: () => void }> {
    const seat = await this.#seat(session, wish);
    session.secrets.learn(seat.key, "key");
    const giveBack = (): void => {
      seat.credits -= wish.credits;
      seat.unusedFrom = Date.now() + 1000 * this.#profile.limits.window;
      if (wish.fresh) seat.usedUpUntil = seat.unusedFrom;
      this.#giveBack(seat);
    };
    return { account: new Account(session, this.#profile, seat.key, seat.label, seat.owed), giveBack };
  }

  #giveBack(seat: Seat): void {
    const index = this.#waiting.findIndex((waiting) => this.#suits(seat, waiting.wish));
    if (index < 0) this.#idle.push(seat);
    else this.#waiting.splice(index, 1)[0]!.take(seat);
  }

  async #seat(session: Session, wish: Wish): Promise<Seat> {
    const fulfilling = this.#idle.filter((seat) => this.#fulfils(seat, wish));
    // Accounts that nobody has used are kept for those who need one.
    if (!wish.fresh) fulfilling.sort((one, other) => Number(isUnused(one)) - Number(isUnused(other)));
    const restedFirst = fulfilling.find((seat) => seat.usedUpUntil <= Date.now());
    const affordable = wish.credits <= trialCredits;
    if (restedFirst !== undefined) return this.#takeIdle(restedFirst);
    if (this.mayRegister && !wish.owner && affordable && this.#registered < mostRegistered) {
      return this.#register(session);
    }
    if (fulfilling[0] !== undefined) return this.#takeIdle(fulfilling[0]);
    // By what the profile gives: while trial accounts are being registered, the number of seats lags behind.
    if (this.#given === 0 && (wish.owner || !affordable)) {
      throw new Unverifiable(
        `no account with ${wish.credits} credits is given`,
        "credentials: {account: KEY}",
      );
    }
    if (this.#size === 0) throw new Unverifiable("there is no account", "credentials: {account: KEY}");
    const used = this.#idle.find((seat) => this.#suits(seat, wish));
    const seat =
      used !== undefined
        ? this.#takeIdle(used)
        : await new Promise<Seat>((take) => this.#waiting.push({ wish, take }));
    if (wish.fresh && !wish.owner) await this.#untilUnused(seat, session);
    return seat;
  }

  async #untilUnused(seat: Seat, session: Session): Promise<void> {
    const left = seat.unusedFrom - Date.now();
    if (left <= 0) return;
    try {
      await session.pause(left, `the windows of ${seat.label} to end`);
    } catch (error) {
      this.#giveBack(seat);
      throw error;
    }
  }

  #takeIdle(seat: Seat): Seat {
    this.#idle.splice(this.#idle.indexOf(seat), 1);
    return seat;
  }

  async #register(session: Session): Promise<Seat> {
    this.#registered += 1;
    const answer = await new Stranger(session, this.#profile).ask("registerAnonymous", {
      body: { agent_name: `conformance ${this.#registered}` },
    });
    const key = answer.at("data.api_key").value;
    if (answer.status !== 200 || typeof key !== "string") {
      this.#registered -= 1;
      throw new Blocked("a trial account cannot be registered", answer.exchange);
    }
    this.#size += 1;
    return {
      key,
      label: `trial ${this.#registered}`,
      owed: [],
      credits: trialCredits,
      unusedFrom: 0,
      usedUpUntil: 0,
    };
  }

  /** Its money and its owner are as wished, whatever was used of its windows. */
  #suits(seat: Seat, wish: Wish): boolean {
    if (seat.credits < wish.credits) return false;
    return !wish.owner || seat.key === this.#profile.credentials.account;
  }

  #fulfils(seat: Seat, wish: Wish): boolean {
    if (!this.#suits(seat, wish)) return false;
    return !wish.fresh || wish.owner || isUnused(seat);
  }
}

/** Nothing of its rate-limit windows is used: it was never lent, or its windows must have ended since. */
const isUnused = (seat: Seat): boolean => seat.unusedFrom <= Date.now();
