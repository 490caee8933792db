import * as api from "./api.ts";
import type { Operation } from "./api.ts";
import { kept, member, type Json } from "../../base/data.ts";
import { Pairing } from "./pairing.ts";
import type { Schema, Schemas, Side } from "./schema.ts";

/** The operations of both documents, those of the old one alone, and those of the new one alone. */
export type PairedOperations = Pairing<Operation>;

/**
 * Finds the operations of both documents: by method and path as written, by the path's shape, by the path under another
 * prefix; and moved ones by a prefix of the path itself that came or went, by what they take and give, and by their
 * path's other methods. Labels play no part: an operationId is repeated, renumbered and left out.
 * @param today what was to be removed by this day is gone, whatever is like it
 */
export function pairedOperations(old: Schemas, now: Schemas, today: string): PairedOperations {
  const pairing = new Pairing(api.operationsOf(old.document), api.operationsOf(now.document));
  const { before, after, pairs } = pairing;
  const likeness = likenessIn([old, now], [before, after]);
  const take = (keysOf: (operation: Operation) => string[] | string | undefined): void =>
    pairing.by(
      keysOf,
      (was, free) => (free.length > 1 ? nearest(likeness, was, free)?.other : undefined) ?? free[0],
    );
  take((operation) => api.keysOf(operation).literal);
  take((operation) => api.keysOf(operation).full);
  take((operation) => api.keysOf(operation).plain);
  const stays = ({ raw }: Operation): boolean => api.announcedRemoval(raw, today) === undefined;
  const isOld = ({ document }: Operation): boolean => document === old.document;
  const [gone, come] = [prefixBetween(before, after), prefixBetween(after, before)];
  take((operation) => {
    const prefix = isOld(operation) ? come : gone;
    return stays(operation) ? `${operation.method} ${prefix}${operation.path}` : undefined;
  });
  const [left, free] = [[...before].filter(stays), [...after]];
  pairing.each((was) => (stays(was) ? becoming(likeness, was, left, free) : undefined));
  const paths = [...pairs].map(([was, is]) => [was.path, is.path] as const);
  const moved = new Map(paths.filter(([was, is]) => was !== is));
  take((operation) => {
    const path = isOld(operation) ? moved.get(operation.path) : operation.path;
    return stays(operation) && path !== undefined ? `${operation.method} ${path}` : undefined;
  });
  return pairing;
}

/** The operations of both documents, each with the title under which a report has it: that of the old path. */
export function reportedOperations({ pairs, before, after }: PairedOperations) {
  const both = [...pairs].flatMap(([was, is]) =>
    [was, is].map((operation) => [was.title, operation] as const),
  );
  return [...both, ...[...before, ...after].map((operation) => [operation.title, operation] as const)];
}

/** The beginning that most paths of the longer list have before a path of the shorter one; empty unless two have it. */
function prefixBetween(longer: Set<Operation>, shorter: Set<Operation>): string {
  const known = new Set([...shorter].map(({ title }) => title));
  const prefixes = [...longer].flatMap(({ method, path }) =>
    [...path.matchAll(/(?!^)\//g)]
      .filter(({ index }) => known.has(api.titleOf({ method, path: path.slice(index) })))
      .map(({ index }) => path.slice(0, index)),
  );
  const groups = [...Map.groupBy(prefixes, (prefix) => prefix).values()];
  const [most = []] = groups.toSorted((one, other) => other.length - one.length);
  return most.length > 1 ? most[0]! : "";
}

/** How alike two operations are, from 0 to 1. */
type Likeness = (one: Operation, other: Operation) => number;

/** The least likeness of an operation and what became of it. */
const leastLikeness = 0.5;

/** How much of what two operations say they share; what few operations of a document say counts more. */
function likenessIn(schemas: readonly Schemas[], operations: readonly ReadonlySet<Operation>[]): Likeness {
  const known = new Map<Operation, ReadonlySet<string>>();
  const of = (operation: Operation) => kept(known, operation, () => traitsOf(schemas, operation));
  const counted = operations.map((all) => [...all]);
  let counts: Map<string, number>[] | undefined;
  const weigh = (traits: ReadonlySet<string>): number => {
    counts ??= counted.map((all) => countsOf(all.flatMap((operation) => [...of(operation)])));
    const shareOf = (trait: string): number => 1 / Math.max(...counts!.map((count) => count.get(trait) ?? 0));
    return [...traits].reduce((sum, trait) => sum + shareOf(trait), 0);
  };
  return (one, other) => {
    const [was, is] = [of(one), of(other)];
    const shared = was.intersection(is);
    const isBelow = one.path.endsWith(other.path) || other.path.endsWith(one.path);
    if (one.method !== other.method || (!isBelow && [...shared].every(isOfPath)) || shared.size === 0)
      return 0;
    // Other words of the path are what a move is about.
    const apart = [...was.symmetricDifference(is)].filter((trait) => !isOfPath(trait));
    return weigh(shared) / weigh(shared.union(new Set(apart)));
  };
}

const countsOf = (traits: readonly string[]): Map<string, number> =>
  new Map([...Map.groupBy(traits, (trait) => trait)].map(([trait, list]) => [trait, list.length]));

const isOfPath = (trait: string): boolean => trait.startsWith("/");

/** What an operation says: the words of its path, what it is for, and what it takes and gives; no labels. */
function traitsOf(schemas: readonly Schemas[], operation: Operation): ReadonlySet<string> {
  const { document, raw, path } = operation;
  const all = schemas.find((each) => each.document === document)!;
  const of = (side: Side, message: Json | undefined): string[] =>
    [...api.mediaTypesOf(document, member(document.resolved(message), "content")).values()].flatMap(
      ({ media }) => traitsOfBody(side, all.of(member(media, "schema") ?? member(media, "itemSchema"))),
    );
  const words = path.split("/").filter((word) => word !== "" && !word.includes("{"));
  const answers = [...api.answersOf(raw["responses"])].filter(([status]) => api.isSuccess(status));
  const parameters = [...api.parametersOf(operation, true).keys()].filter((key) => key.startsWith("query "));
  return new Set([
    ...words.map((word) => `/${word}`),
    ...(typeof raw["summary"] === "string" ? [`summary ${raw["summary"]}`] : []),
    ...parameters,
    ...of("request", raw["requestBody"]),
    ...answers.flatMap(([, answer]) => of("answer", answer)),
  ]);
}

/** The name and the fields of a body, or of the items of a list. */
function traitsOfBody(side: Side, body: Schema): string[] {
  const schema = body.types.size === 1 && body.types.has("array") ? body.item(0) : body;
  const names = [...schema.fields(side).keys()];
  return [...(schema.name === undefined ? [] : [schema.name]), ...names].map((name) => `${side} ${name}`);
}

/** The operation that is most like one, with its likeness; undefined where two are as much. */
function nearest(likeness: Likeness, one: Operation, others: readonly Operation[]) {
  const candidates = others.map((other) => ({ other, share: likeness(one, other) }));
  const share = Math.max(...candidates.map((each) => each.share));
  const [best, second] = candidates.filter((each) => each.share === share);
  return second === undefined ? best : undefined;
}

/** What an operation became: one that is like it, where neither is as much like another. */
function becoming(
  likeness: Likeness,
  was: Operation,
  before: readonly Operation[],
  after: readonly Operation[],
): Operation | undefined {
  const { other: is, share = 0 } = nearest(likeness, was, after) ?? {};
  const isMutual = is !== undefined && nearest(likeness, is, before)?.other === was;
  return isMutual && share >= leastLikeness ? is : undefined;
}
