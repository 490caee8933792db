import type { RequestHandler, Response } from "express";
import { kept } from "../../base/data.ts";
import { CannotServe } from "./errors.ts";

/**
 * The one account of the resources of requests: places while they arrive and are worked on, and bytes from the first of
 * a body to the last of its answer. Both are counted for each owner, an account or an address, and in total.
 */
export interface Admission {
  /** Gives a request its place, before any of it is read. Refuses with 503 while all are taken. */
  gate: RequestHandler;
  /** The resources that a request holds. */
  holding(response: Response): Holding;
}

/** The resources of one request. Every method that counts more throws CannotServe without room. */
export interface Holding {
  /** Counts the request against an owner, once it is known. */
  belongTo(owner: string): void;
  /** Counts more bytes, of a body that arrives or of work on foreign content. */
  add(bytes: number): void;
  /** Keeps the place until the promise settles: the client may leave earlier, but its work goes on. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Counts the bytes of an answer, instead of the earlier ones, until it is sent.
   * @param owed whether the answer is sent in any case, since its work has had effects
   */
  answer(bytes: number, owed: boolean): void;
}

/** Places and bytes. */
interface Amounts {
  places: number;
  bytes: number;
}

/** The part of each total that one owner may hold, so that there is room for others. */
const ownerShare = 0.25;
/** How long a body or an answer may keep the server waiting while its own owner needs the room, in ms. */
const patienceMs = 2_000;

/** The resources of one owner. */
interface Owner extends Amounts {
  name: string;
  holdings: number;
}

/** @param max places: concurrent requests, even if they wait for a slow provider or the database */
export function createAdmission(max: Amounts): Admission {
  const maxOfOwner = { places: Math.ceil(max.places * ownerShare), bytes: max.bytes * ownerShare };
  const total: Amounts = { places: 0, bytes: 0 };
  const owners = new Map<string, Owner>();
  const holdings = new Map<Response, Held>();

  class Held implements Holding, Amounts {
    places = 0;
    bytes = 0;
    /** Unknown until the credential is looked up. */
    owner: Owner | null = null;
    isWorking = false;
    /** When the server began to wait for the client, who sends a body or reads an answer. */
    since = performance.now();
    readonly #response: Response;

    constructor(response: Response) {
      this.#response = response;
      makeRoom(this, "places", 1);
      this.#count("places", 1);
      holdings.set(response, this);
      response.on("close", () => {
        if (!this.isWorking) this.#end();
      });
    }

    belongTo(name: string): void {
      const owner = kept(owners, name, () => ({ name, holdings: 0, places: 0, bytes: 0 }));
      owner.holdings += 1;
      this.owner = owner;
      const { places } = this;
      this.places = 0;
      total.places -= places;
      makeRoom(this, "places", places);
      this.#count("places", places);
    }

    add(bytes: number): void {
      makeRoom(this, "bytes", bytes);
      this.#count("bytes", bytes);
    }

    async during<T>(work: () => Promise<T>): Promise<T> {
      this.isWorking = true;
      try {
        return await work();
      } finally {
        this.isWorking = false;
        this.#count("places", -this.places);
        if (this.#response.closed) this.#end();
      }
    }

    answer(bytes: number, owed: boolean): void {
      if (!holdings.has(this.#response)) return;
      const more = bytes - this.bytes;
      try {
        if (more > 0) makeRoom(this, "bytes", more);
      } catch (refusal) {
        if (!owed) throw refusal;
      }
      this.#count("bytes", more);
      this.#count("places", -this.places);
      this.since = performance.now();
    }

    /** Ends the exchange, so that another finds room. */
    drop(): void {
      this.#end();
      this.#response.destroy();
    }

    #end(): void {
      if (!holdings.delete(this.#response)) return;
      this.#count("places", -this.places);
      this.#count("bytes", -this.bytes);
      const { owner } = this;
      if (owner === null) return;
      owner.holdings -= 1;
      if (owner.holdings === 0) owners.delete(owner.name);
    }

    #count(what: keyof Amounts, amount: number): void {
      this[what] += amount;
      total[what] += amount;
      if (this.owner !== null) this.owner[what] += amount;
    }
  }

  /**
   * Beyond an owner's share, ends its own exchanges that have waited too long; beyond the total, waiting exchanges of
   * the largest owner.
   * @throws CannotServe if that is not enough
   */
  function makeRoom(asking: Held, what: keyof Amounts, amount: number): void {
    const { owner } = asking;
    while (owner !== null && owner[what] + amount > maxOfOwner[what]) {
      const ended = dropLongest(asking, what, (held) => held.owner === owner && isLate(held));
      if (!ended) throw new CannotServe(beyondShare[what](owner[what]));
    }
    while (total[what] + amount > max[what]) {
      const largest = largestOwner(what, (owner?.[what] ?? 0) + amount);
      const ended =
        (largest !== null && dropLongest(asking, what, (held) => held.owner === largest)) ||
        dropLongest(asking, what, isLate);
      if (!ended) throw new CannotServe(beyondTotal[what](max[what]));
    }
  }

  /** Ends the longest-waiting exchange that meets a condition. Returns false if there is none. */
  function dropLongest(asking: Held, what: keyof Amounts, condition: (held: Held) => boolean): boolean {
    let longest: Held | undefined;
    for (const held of holdings.values()) {
      if (held === asking || held.isWorking || held[what] === 0 || !condition(held)) continue;
      if (longest === undefined || held.since < longest.since) longest = held;
    }
    longest?.drop();
    return longest !== undefined;
  }

  /** The owner that holds most; null if none holds more than the given amount. */
  function largestOwner(what: keyof Amounts, amount: number): Owner | null {
    let largest: Owner | null = null;
    for (const owner of owners.values()) {
      if (owner[what] > (largest?.[what] ?? amount)) largest = owner;
    }
    return largest;
  }

  return {
    gate(_request, response, next) {
      try {
        new Held(response);
        next();
      } catch (refusal) {
        next(refusal);
      }
    },
    holding: (response) => holdings.get(response) ?? holdsNothing,
  };
}

const isLate = ({ since }: { since: number }): boolean => performance.now() - since > patienceMs;

const beyondShare = {
  places: (places: number) => `This account has ${places} requests under way. Nothing was done. Try again.`,
  bytes: () => "This account has too many large requests and answers under way. Try again.",
} as const;
const beyondTotal = {
  places: (places: number) =>
    `The server is busy: ${places} requests are under way. Nothing was done. Try again.`,
  bytes: () => "The server is busy with large requests and answers. Try again.",
} as const;

/** The holding of a request that was refused at the gate, or cut off. */
const holdsNothing: Holding = {
  belongTo: () => undefined,
  add: () => undefined,
  during: (work) => work(),
  answer: () => undefined,
};
