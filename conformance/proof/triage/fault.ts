import { operations, responseHeaders, type OperationId } from "../../../generated/contract.ts";
import { onAnswers, onHeaders, withStatus, type Change } from "../../changes/mutant.ts";
import type { Finding } from "../../judge/finding.ts";
import type { Cause } from "../../report/causes.ts";
import { culpritOf, placeOf } from "../../report/about.ts";
import { drawn } from "../part.ts";
import { fieldMutants } from "../spec/fields.ts";

/** Something that an unfinished server lacks. */
export interface Fault {
  name: string;
  change: Change;
  /** Whether a reader of a cause and its leading finding would know that this is at fault. */
  isNamedBy: (cause: Cause, lead: Finding) => boolean;
}

/** A server without Discover is not recognised as one of this API. */
const absentOperations: readonly Fault[] = (Object.keys(operations) as OperationId[])
  .filter((operation) => operation !== "discover")
  .map((operation) => ({
    name: `${operation} is not implemented`,
    change: { inward: (request) => (request.operation === operation ? { path: "/not-there" } : null) },
    isNamedBy: ({ what }) =>
      what.startsWith(`${operations[operation].method} ${operations[operation].path} `) &&
      /is not implemented|to everything/.test(what),
  }));

const ways = ["left out", "of another type"];

/** A payload may be any JSON value: one of another type is another payload, and no field that is at fault. */
const anotherPayload = "field call 200 result.data of another type";

const brokenFields: readonly Fault[] = fieldMutants
  .filter(({ way, id }) => ways.includes(way) && id.split(" ")[2] === "200" && id !== anotherPayload)
  .map(({ id, operation, change }) => {
    const name = id
      .split(" ")[3]!
      .split(".")
      .filter((step) => step !== "*")
      .at(-1)!;
    const { method, path } = operations[operation];
    return {
      name: id,
      change,
      isNamedBy: ({ what, places }, lead) =>
        [placeOf(culpritOf(lead)), ...places].includes(`${method} ${path} → 200`) &&
        new RegExp(`\\b${name}\\b`).test(`${what} ${lead.title} ${lead.id}`),
    };
  });

const statusEverywhere = (from: number, to: number): Fault => ({
  name: `${from} is answered as ${to} everywhere`,
  change: onAnswers((_, { status }) => status === from, withStatus(to)),
  isNamedBy: (_, lead) =>
    culpritOf(lead)?.response?.status === to && new RegExp(`\\b${from}\\b`).test(lead.expected ?? ""),
});

const withoutHeader = (header: string): Fault => ({
  name: `${header} is left out everywhere`,
  change: onHeaders(() => true, { [header]: undefined }),
  isNamedBy: ({ what }, lead) =>
    `${what} ${lead.title} ${lead.received}`.toLowerCase().includes(header.toLowerCase()),
});

const everywhere: readonly Fault[] = [
  statusEverywhere(422, 400),
  statusEverywhere(401, 403),
  statusEverywhere(404, 400),
  withoutHeader(responseHeaders.apiVersion),
  withoutHeader(responseHeaders.rateLimitLimit),
];

/** Every fault, each at the index by which a job names it. */
export const faults: readonly Fault[] = [...absentOperations, ...brokenFields, ...everywhere];

/**
 * What an unfinished server lacks, at random: a third operations, sometimes something everywhere, else fields.
 * @returns indices of `faults`, the same for the same seed
 */
export function faultsOf(seed: string, count: number): number[] {
  const some = (list: readonly Fault[], sample: number): Fault[] =>
    drawn(list, ({ name }) => name, { sample, seed });
  const kinds = drawn([...Array.from({ length: 3 * count }).keys()], String, { sample: count, seed });
  const absent = kinds.filter((kind) => kind % 3 === 0).length;
  const general = kinds.some((kind) => kind % 3 === 1) ? 1 : 0;
  return [
    ...some(absentOperations, absent),
    ...some(everywhere, general),
    ...some(brokenFields, count - absent - general),
  ].map((fault) => faults.indexOf(fault));
}
