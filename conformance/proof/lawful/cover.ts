import { excludes, type Point } from "./point.ts";

/** Servers of several points each, by index, so that most pairs of points meet in one of them. */
export interface Cover {
  servers: number[][];
  /** The share of the pairs that are together in a server, of those that do not exclude each other. */
  share: number;
}

/** For each way that a value can differ, a server that uses it wherever it can, by index; then those of messages. */
export function uniformServers(points: readonly Point[]): number[][] {
  const byWay = Map.groupBy(points.keys(), (index) => points[index]!.way);
  const [ofValues, ofMessages] = [true, false].map((isValue) =>
    [...byWay.values()].filter(([first]) => (points[first!]!.edit !== undefined) === isValue),
  ) as [number[][], number[][]];
  const values = ofValues.map((all) => {
    const taken = new Occupied();
    return all.filter((index) => {
      const isFree = taken.admits(points[index]!);
      if (isFree) taken.add(points[index]!);
      return isFree;
    });
  });
  return [...values, ...packed(ofMessages, points)];
}

/** Lists of points, joined where they change different places. */
function packed(lists: readonly number[][], points: readonly Point[]): number[][] {
  const servers: { places: Set<string>; members: number[] }[] = [];
  for (const list of lists) {
    const places = list.map((index) => placeOf(points[index]!));
    let server = servers.find((server) => !places.some((place) => server.places.has(place)));
    if (server === undefined) servers.push((server = { places: new Set(), members: [] }));
    for (const place of places) server.places.add(place);
    server.members.push(...list);
  }
  return servers.map(({ members }) => members.sort((one, other) => one - other));
}

/** How often the presence and type of a value without parts stay as in the reference. */
const unchangedShare = 0.02;

/**
 * Servers until enough pairs are covered: first those that differ in one way everywhere, then drawn ones. A drawn server
 * has at most one point of each place, chosen greedily: the one with the most new pairs.
 * @param share where to stop, between 0 and 1
 */
export function coverOf(points: readonly Point[], seed: string, maxServers: number, share: number): Cover {
  const random = randomOf(seed);
  const pairs = new Pairs(points.length);
  const possible = possiblePairs(points);
  const places = [...Map.groupBy(points.keys(), (index) => placeOf(points[index]!)).values()];
  const holders = new Set(points.flatMap((point) => prefixesOf(positionOf(point)).slice(0, -1)));
  const drawn = (): number[] => {
    const server: number[] = [];
    const taken = new Occupied();
    // A replaced value cannot vary within: in some servers few values are replaced, in others most.
    const heldShare = random();
    const stays = (point: Point): boolean =>
      point.aspect === "value" && random() < (holders.has(positionOf(point)) ? heldShare : unchangedShare);
    for (const place of shuffled(places, random)) {
      if (stays(points[place[0]!]!)) continue;
      const free = shuffled(place, random).filter((index) => taken.admits(points[index]!));
      if (free.length === 0) continue;
      const gains = free.map((index) => pairs.fresh(index, server));
      const best = free[gains.indexOf(Math.max(...gains))]!;
      server.push(best);
      taken.add(points[best]!);
    }
    return server.sort((one, other) => one - other);
  };
  const servers: number[][] = [];
  const add = (server: number[]): void => {
    servers.push(server);
    pairs.add(server);
  };
  for (const server of uniformServers(points).slice(0, maxServers)) add(server);
  while (servers.length < maxServers && pairs.count < share * possible) add(drawn());
  return { servers, share: pairs.count / possible };
}

/** The share of the pairs of points that are together in a server, of those that do not exclude each other. */
export function coveredBy(points: readonly Point[], servers: readonly number[][]): number {
  const pairs = new Pairs(points.length);
  for (const server of servers) pairs.add(server);
  return pairs.count / possiblePairs(points);
}

/** The pairs of points that were together in a server. */
class Pairs {
  readonly #size: number;
  readonly #met: Uint8Array;
  count = 0;

  constructor(size: number) {
    this.#size = size;
    this.#met = new Uint8Array(size * size);
  }

  /** How many pairs of a point with those of a server are new. */
  fresh(point: number, server: readonly number[]): number {
    const row = point * this.#size;
    let fresh = 0;
    for (const other of server) fresh += 1 - this.#met[row + other]!;
    return fresh;
  }

  add(server: readonly number[]): void {
    for (const point of server) {
      this.count += this.fresh(
        point,
        server.filter((other) => other < point),
      );
      for (const other of server) if (point !== other) this.#met[point * this.#size + other] = 1;
    }
  }
}

const positionOf = ({ operation, at }: Point): string => `${operation} ${at}`;
const placeOf = (point: Point): string => `${point.aspect} ${positionOf(point)}`;

/** The number of pairs of points that one server can have. */
function possiblePairs(points: readonly Point[]): number {
  const byOperation = [...Map.groupBy(points, ({ operation }) => operation).values()];
  const apart = (points.length ** 2 - byOperation.reduce((sum, some) => sum + some.length ** 2, 0)) / 2;
  const within = byOperation.map((some) =>
    some.reduce(
      (sum, point, index) => sum + some.slice(index + 1).filter((other) => !excludes(point, other)).length,
      0,
    ),
  );
  return within.reduce((sum, count) => sum + count, apart);
}

/** The places of a server's points. */
class Occupied {
  readonly #replaced = new Set<string>();
  readonly #within = new Set<string>();

  /** Whether no point replaces a value around this one, and this one replaces no value around another. */
  admits(point: Point): boolean {
    const position = positionOf(point);
    return (
      !prefixesOf(position).some((prefix) => this.#replaced.has(prefix)) &&
      !(point.aspect === "value" && this.#within.has(position))
    );
  }

  add(point: Point): void {
    const position = positionOf(point);
    if (point.aspect === "value") this.#replaced.add(position);
    for (const prefix of prefixesOf(position)) this.#within.add(prefix);
  }
}

/** A place and every value around it. */
const prefixesOf = (place: string): string[] => {
  const steps = place.split(".");
  return steps.map((_, index) => steps.slice(0, index + 1).join("."));
};

function shuffled<One>(items: readonly One[], random: () => number): One[] {
  const list = [...items];
  for (let index = list.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    const one = list[index]!;
    list[index] = list[other]!;
    list[other] = one;
  }
  return list;
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function randomOf(seed: string): () => number {
  let state = [...seed].reduce((hash, character) => (Math.imul(hash, 31) + character.codePointAt(0)!) | 0, 7);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
