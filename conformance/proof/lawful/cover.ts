import { excludes, type Point } from "./point.ts";

/** Servers of several points each, by index, so that most pairs of points meet in one of them. */
export interface Cover {
  servers: number[][];
  /** The share of the pairs that do not exclude each other and are together in a server. */
  share: number;
}

/** How often the presence and type of a value that holds no other stay as the reference has them. */
const unchangedShare = 0.04;

/**
 * Draws servers until enough pairs are covered. Each server has at most one point of each place, chosen greedily: the one
 * with the most pairs that no earlier server has.
 * @param share where to stop, between 0 and 1
 */
export function coverOf(points: readonly Point[], seed: string, maxServers: number, share: number): Cover {
  const random = randomOf(seed);
  const size = points.length;
  const covered = new Uint8Array(size * size);
  const places = [...Map.groupBy(points.keys(), (index) => placeOf(points[index]!)).values()];
  const possible = possiblePairs(points);
  const holders = new Set(points.flatMap((one) => prefixesOf(positionOf(one)).slice(0, -1)));
  const servers: number[][] = [];
  let pairs = 0;
  while (servers.length < maxServers && pairs < share * possible) {
    const server: number[] = [];
    const taken = new Occupied();
    // Nothing within a value varies where the value does not stay: in some servers few change, in others most.
    const heldShare = random() ** 1.3;
    const stays = (point: Point): boolean =>
      point.aspect === "value" && random() < (holders.has(positionOf(point)) ? heldShare : unchangedShare);
    for (const place of shuffled(places, random)) {
      if (stays(points[place[0]!]!)) continue;
      const free = shuffled(place, random).filter((index) => taken.admits(points[index]!));
      let [best, gain] = [-1, -1];
      for (const index of free) {
        const row = index * size;
        let fresh = 0;
        for (const other of server) fresh += 1 - covered[row + other]!;
        if (fresh > gain) [best, gain] = [index, fresh];
      }
      if (best < 0) continue;
      server.push(best);
      taken.add(points[best]!);
    }
    for (const one of server) {
      for (const other of server) {
        if (one < other && covered[one * size + other] === 0) pairs += 1;
        if (one !== other) covered[one * size + other] = 1;
      }
    }
    servers.push(server.sort((one, other) => one - other));
  }
  return { servers, share: pairs / possible };
}

const positionOf = ({ operation, at }: Point): string => `${operation} ${at}`;
const placeOf = (point: Point): string => `${point.aspect} ${positionOf(point)}`;

/** The pairs of points that a server can have both of. */
function possiblePairs(points: readonly Point[]): number {
  const byOperation = [...Map.groupBy(points, ({ operation }) => operation).values()];
  const apart = (points.length ** 2 - byOperation.reduce((sum, some) => sum + some.length ** 2, 0)) / 2;
  const within = byOperation.map((some) =>
    some.reduce(
      (sum, one, index) => sum + some.slice(index + 1).filter((other) => !excludes(one, other)).length,
      0,
    ),
  );
  return within.reduce((sum, count) => sum + count, apart);
}

/** The places of a server's points. */
class Occupied {
  readonly #replaced = new Set<string>();
  readonly #within = new Set<string>();

  /** Whether no point replaces what this one is in, and this one replaces nothing that another is in. */
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
    [list[index], list[other]] = [list[other]!, list[index]!];
  }
  return list;
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function randomOf(seed: string): () => number {
  let state = [...seed].reduce((hash, one) => (Math.imul(hash, 31) + one.codePointAt(0)!) | 0, 7);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
