import type { ClauseId } from "../../generated/clauses.ts";
import { micro } from "../../reference-server/billing/money.ts";
import type { Config } from "../../reference-server/config.ts";
import type { Contract } from "../../reference-server/http/contract.ts";
import {
  success,
  type Answer,
  type Context,
  type Operation,
  type OperationId,
  type Operations,
  type Request,
} from "../../reference-server/http/operation.ts";
import type { Books, Parts } from "../../reference-server/parts.ts";
import type { Profile } from "../server/profile.ts";
import type { Inward, Wire, WireAnswer, WireRequest } from "./wire.ts";

/**
 * One change of the reference server: of its configuration, parts, operations, validator or traffic, or of what its
 * profile says.
 */
export interface Change {
  profile?: (profile: Profile) => Profile;
  config?: Partial<Config>;
  parts?: (parts: Parts) => Parts;
  operations?: (operations: Operations) => Operations;
  contract?: Contract;
  /** Changes incoming requests. */
  inward?: Inward;
  /** Changes outgoing answers. */
  wire?: Wire;
  /** A further change of one process of several, which share the parts and answer by turns. */
  apart?: { of: number; change: Change };
}

/** The reference server with exactly one clause broken. */
export interface Mutant {
  clause: ClauseId;
  /** The server's fault, as a sentence without a subject. */
  name: string;
  change: Change;
  /** What the reference lawfully does otherwise, where only beside it the fault shows. */
  beside?: Change;
}

/** The reference server with unusual behaviour that the contract permits. */
export interface Variation {
  name: string;
  /** The passage of the contract that permits it or does not forbid it. */
  permittedBy: string;
  change: Change;
}

export const mutant = (clause: ClauseId, name: string, change: Change): Mutant => ({ clause, name, change });

/** Mutants by the clause that they break: each fault, as a sentence without a subject, with the change that makes it. */
export const mutantsOf = (faults: Partial<Record<ClauseId, Record<string, Change>>>): Mutant[] =>
  Object.entries(faults).flatMap(([clause, changes]) =>
    Object.entries(changes).map(([name, change]) => mutant(clause as ClauseId, name, change)),
  );

export const variation = (name: string, permittedBy: string, change: Change): Variation => ({
  name,
  permittedBy,
  change,
});

/** Variations by the words that permit them: each behaviour, as a sentence without a subject, with its change. */
export const variationsOf = (lawful: Record<string, Record<string, Change>>): Variation[] =>
  Object.entries(lawful).flatMap(([permittedBy, changes]) =>
    Object.entries(changes).map(([name, change]) => variation(name, permittedBy, change)),
  );

/** A JSON object, as a change on the wire sees it. */
export type Body = Record<string, unknown>;

/** Changes every answer that the predicate selects. */
export const onAnswers = (
  chooses: (request: WireRequest, answer: WireAnswer) => boolean,
  change: (answer: WireAnswer, request: WireRequest) => WireAnswer,
): Change => ({ wire: (request, answer) => (chooses(request, answer) ? change(answer, request) : answer) });

/** The answer with another status. */
export const withStatus =
  (status: number) =>
  (answer: WireAnswer): WireAnswer => ({ ...answer, status });

/** The answer with another status and JSON body. */
export const withBody = (status: number, body: unknown): ((answer: WireAnswer) => WireAnswer) => {
  const text = JSON.stringify(body);
  return (answer) => ({ ...answer, status, body: text });
};

/** The answer with 200 and this data in the envelope of a success. */
export const withSuccess = (data: object): ((answer: WireAnswer) => WireAnswer) =>
  withBody(200, success(data));

/** Gives an operation's answers of one status, or those of them that the predicate selects, another one. */
export const onStatus = (
  operation: OperationId,
  from: number,
  to: number | ((answer: WireAnswer, request: WireRequest) => WireAnswer),
  chooses: (request: WireRequest, answer: WireAnswer) => boolean = () => true,
): Change =>
  onAnswers(
    (request, answer) =>
      request.operation === operation && answer.status === from && chooses(request, answer),
    typeof to === "number" ? withStatus(to) : to,
  );

/** The JSON object that the client sent; empty if it sent none. */
export function sentOf(request: WireRequest): Body {
  try {
    return (JSON.parse(request.sent()) ?? {}) as Body;
  } catch {
    return {};
  }
}

/** Changes the JSON body of an operation's answers with one status; 200 by default. */
export const onBody = (
  operation: OperationId | readonly OperationId[],
  change: (body: Body, request: WireRequest) => unknown,
  status = 200,
): Change =>
  onAnswers(
    (request, answer) =>
      request.operation !== null &&
      [operation].flat().includes(request.operation) &&
      answer.status === status,
    (answer, request) => {
      const body: unknown = JSON.parse(answer.body);
      return { ...answer, body: JSON.stringify(change(body as Body, request)) };
    },
  );

/** Replaces fields of an operation's 200 body; a function receives the old value, undefined removes the field. */
export const onFields = (
  operation: OperationId | readonly OperationId[],
  fields: Record<string, unknown>,
  status = 200,
): Change => onBody(operation, (body) => withFields(body, fields), status);

/** The same for every member of a list in the body, at a dotted path such as `results` or `data.items`. */
export const onEach = (
  operation: OperationId | readonly OperationId[],
  list: string,
  fields: Record<string, unknown>,
): Change =>
  onBody(operation, (body) =>
    at(body, list, (members) =>
      Array.isArray(members) ? members.map((member) => withFields(member as Body, fields)) : members,
    ),
  );

/** Replaces the value at a dotted path of the body. */
export const onPath = (
  operation: OperationId | readonly OperationId[],
  path: string,
  change: (value: unknown, request: WireRequest) => unknown,
  status = 200,
): Change => onBody(operation, (body, request) => at(body, path, (value) => change(value, request)), status);

/** Changes the headers of an operation's answers; undefined removes a header. */
export const onHeaders = (
  chooses: (request: WireRequest, answer: WireAnswer) => boolean,
  headers: Record<string, string | undefined>,
): Change =>
  onAnswers(chooses, (answer) => {
    const wanted = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
    const changed = Object.entries({ ...answer.headers, ...Object.fromEntries(wanted) });
    const kept = changed.filter((entry): entry is [string, string] => entry[1] !== undefined);
    return { ...answer, headers: Object.fromEntries(kept) };
  });

/** Wraps one operation of the server, after request validation. */
export const onOperation = <Id extends OperationId>(
  id: Id,
  wrap: (operation: Operation<Id>) => Operation<Id>,
): Change => ({
  operations: (operations) => ({ ...operations, [id]: wrap(operations[id] as Operation<Id>) }),
});

/** The operation receives another request: the given parts replace the client's. */
export const receiving = <Id extends OperationId>(
  id: Id,
  change: (request: Request<Id>, context: Context) => Partial<Request<Id>>,
): Change =>
  onOperation(id, (run) => (request, context) => run({ ...request, ...change(request, context) }, context));

/** The operation reads another body: the given fields replace the client's. */
export const reading = <Id extends OperationId>(
  id: Id,
  change: (
    body: Request<Id>["body"],
    request: Request<Id>,
    context: Context,
  ) => { [Field in keyof Request<Id>["body"]]?: unknown },
): Change =>
  receiving(id, (request, context) => ({
    ...request,
    body: { ...(request.body as object), ...change(request.body, request, context) } as Request<Id>["body"],
  }));

/** The operation gives another answer than its own; the function may break the contract's types. */
export const answering = <Id extends OperationId>(
  id: Id,
  change: (answer: Answer<Id>, request: Request<Id>, context: Context) => object | Promise<object>,
): Change =>
  onOperation(
    id,
    (run) => async (request, context) =>
      (await change(await run(request, context), request, context)) as Answer<Id>,
  );

/** Gives an account some credits, or takes them if the number is negative, outside any request. */
export const moving = (books: Books, accountId: string, amount: number): Promise<unknown> =>
  books.move({
    accountId,
    entryType: amount < 0 ? "consume_payment_refund" : "grant_payment_recharge",
    amount: micro(amount),
    description: "moved",
  });

/** Replaces or wraps one part of the server. */
export const onPart = <Name extends keyof Parts>(
  name: Name,
  wrap: (part: Parts[Name], parts: Parts) => Parts[Name],
): Change => ({ parts: (parts) => ({ ...parts, [name]: wrap(parts[name], parts) }) });

/** Several changes at once; each sees the results of those before it. */
export const together = (...changes: Change[]): Change => {
  const chain = <Name extends "profile" | "parts" | "operations">(name: Name): Change => {
    const links = changes.flatMap((change) => change[name] ?? []) as ((value: unknown) => unknown)[];
    const whole = (value: unknown): unknown => links.reduce((changed, link) => link(changed), value);
    return links.length === 0 ? {} : { [name]: whole };
  };
  const configs = changes.flatMap(({ config }) => config ?? []);
  const inwards = changes.flatMap(({ inward }) => inward ?? []);
  const wires = changes.flatMap(({ wire }) => wire ?? []);
  return {
    ...chain("profile"),
    ...chain("parts"),
    ...chain("operations"),
    ...(configs.length === 0 ? {} : { config: Object.assign({}, ...configs) as Partial<Config> }),
    ...(inwards.length === 0 ? {} : { inward: firstOf(inwards) }),
    wire: async (request, answer) => {
      let changed = answer;
      for (const wire of wires) changed = await wire(request, changed);
      return changed;
    },
  };
};

/** The first change that replaces the request. */
const firstOf =
  (inwards: readonly Inward[]): Inward =>
  async (request, body) => {
    for (const inward of inwards) {
      const replacement = await inward(request, body);
      if (replacement !== null) return replacement;
    }
    return null;
  };

/** A field set to undefined is omitted: JSON has no such value. */
function withFields(body: Body, fields: Record<string, unknown>): Body {
  const replaced = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === "function" ? (value as (old: unknown) => unknown)(body[name]) : value,
  ]);
  return { ...body, ...(Object.fromEntries(replaced) as Body) };
}

/** The value with the part at the path replaced; unchanged when the path ends early. */
function at(value: unknown, path: string, change: (value: unknown) => unknown): unknown {
  const [step, ...rest] = path.split(".");
  if (step === "*" && Array.isArray(value)) {
    return value.map((member: unknown) =>
      rest.length === 0 ? change(member) : at(member, rest.join("."), change),
    );
  }
  if (typeof value !== "object" || value === null || !(step! in value)) return value;
  const old = (value as Body)[step!];
  return { ...value, [step!]: rest.length === 0 ? change(old) : at(old, rest.join("."), change) };
}
