import { isDeepStrictEqual } from "node:util";
import { operationIds, operations, type OperationId, type Parameter } from "../../../generated/contract.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import { isFields } from "../../judge/seen.ts";
import { check, type Need, type Stage } from "../../run/check.ts";
import { usable, type Ask } from "../../server/account.ts";
import { oneDay, wholePage } from "../../server/lists.ts";
import { knownTool, modestRequest, widestQuery } from "../../server/requests.ts";
import { wordsOf } from "../../books/filters.ts";
import { Unverifiable } from "../../judge/verdict.ts";

const parametersOf = (operation: OperationId): Named[] =>
  (["query", "body"] as const).flatMap((place) =>
    Object.entries(operations[operation][place] as Record<string, Parameter>)
      .filter(([, { open }]) => !open)
      .map(([name, parameter]) => ({ operation, place, name, parameter })),
  );

/** The operations of an account that take parameters. */
const judged = operationIds.filter(
  (operation) => operations[operation].needsCredential && parametersOf(operation).length > 0,
);

/** What a successful request needs to know. */
const needs: Partial<Record<OperationId, readonly Need[]>> = {
  call: ["tool.charged"],
  queryCapability: ["capability.query"],
  getCapability: ["capability.detail"],
};

/** Agent lifecycle: errors are answered with 422, the only refusal that the contract lists there. */
const lifecycle = ["registerAnonymous", "startClaim", "verifyClaim"] as const;

const isOf = ({ parameter }: Named, type: string): boolean =>
  (parameter.types as readonly string[]).includes(type);

/** Values that must be refused: those that violate a parameter, and a missing one when it is required. */
const refusedValues = (parameter: Named): unknown[] => [
  ...brokenValues(parameter),
  ...(parameter.parameter.required ? [undefined] : []),
];

/** The operations with a parameter that has such values. */
const operationsWith = (values: (parameter: Named) => unknown[]): OperationId[] =>
  judged.filter((operation) => parametersOf(operation).some((parameter) => values(parameter).length > 0));

export const checks = [
  ...operationsWith(lawfulValues).map((operation) =>
    check(
      "ERRO-18",
      `every value that the contract names for a parameter of ${operation} is accepted`,
      { ...featured(operation) },
      async (stage) => {
        const { account, expect } = stage;
        const ask = modest(operation, stage);
        telling(await account.ask(operation, ask));
        for (const parameter of parametersOf(operation).filter((each) => isJudged(each, stage))) {
          for (const value of lawfulValues(parameter)) {
            const asked = parameter.name === "page_size" && Number(value) > wholePage ? dated(ask) : ask;
            const answer = await account.ask(operation, having(asked, parameter, value));
            expect(answer.status, `the status of ${label(parameter, value)}`).toBeStatus(200);
          }
        }
      },
    ),
  ),

  ...operationsWith(refusedValues).map((operation) =>
    check(
      "ERRO-07",
      `whatever breaks the type or the range of a parameter of ${operation} is refused`,
      { ...featured(operation) },
      async (stage) => {
        const { account, expect } = stage;
        const ask = modest(operation, stage);
        telling(await account.ask(operation, ask));
        for (const parameter of parametersOf(operation)) {
          for (const value of refusedValues(parameter)) {
            const answer = await account.ask(operation, having(ask, parameter, value));
            const isRefused = [400, 422].includes(answer.status) || isFailedCall(parameter, answer);
            expect(isRefused, `whether ${label(parameter, value)} is refused`).toBe(true);
          }
        }
      },
    ),
  ),

  ...lifecycle.map((operation) =>
    check(
      "ERRO-07",
      `a field of ${operation} that is missing or of another type is answered with 422`,
      { ...featured(operation) },
      async ({ stranger, expect, profile }) => {
        const ask = modestRequest(operation, profile);
        for (const parameter of parametersOf(operation)) {
          for (const value of refusedValues(parameter)) {
            const answer = await stranger.ask(operation, having(ask, parameter, value));
            expect(answer.status, `the status of ${label(parameter, value)}`).toBeStatus(422);
          }
        }
      },
    ),
  ),

  ...judged
    .filter((operation) => operation !== "call")
    .filter((operation) => parametersOf(operation).some(({ parameter }) => parameter.default !== undefined))
    .map((operation) =>
      check(
        "ERRO-19",
        `a parameter of ${operation} that is left out means its default`,
        { ...featured(operation) },
        async (stage) => {
          const { account, expect } = stage;
          // It leaves an event: without one, no parameter of the list shows.
          if (operation === "listUsage") await account.settled();
          let steady = 0;
          const unseen: string[] = [];
          for (const parameter of parametersOf(operation)) {
            if (parameter.parameter.default === undefined) continue;
            const without = having(plentiful(operation, stage), parameter, undefined);
            const read = async (ask: Ask) => lastingPart(telling(await account.ask(operation, ask)));
            const pair = async () => [
              await read(without),
              await read(having(without, parameter, parameter.parameter.default)),
            ];
            const first = await pair();
            if (!isDeepStrictEqual(first[0], await read(without))) continue;
            const same = isDeepStrictEqual(first[0], first[1]);
            // A difference has to last: an answer may state the time, or show a member only now and then.
            if (!same && !(await isRepeated(pair, first))) continue;
            steady += 1;
            expect(
              same,
              `whether ${label(parameter, parameter.parameter.default)} answers what it answers without`,
            ).toBe(true);
            const others = lawfulValues(parameter).filter((value) => value !== parameter.parameter.default);
            let shows = others.length === 0;
            for (const value of others)
              shows ||= !isDeepStrictEqual(first[0], await read(having(without, parameter, value)));
            if (!shows) unseen.push(parameter.name);
          }
          if (steady === 0) throw new Unverifiable(`${operation} never answers the same twice`);
          if (unseen.length > 0)
            throw new Unverifiable(`no other value of ${unseen.join(", ")} changes the answer here`);
        },
      ),
    ),
];

/*
 * Checks derived only from the parameters in the spec: a parameter added to the spec is judged here without further
 * code.
 */

type Place = "query" | "body";

/** A parameter of an operation and its place in the request. */
interface Named {
  operation: OperationId;
  place: Place;
  name: string;
  parameter: Parameter;
}

/** The request with one parameter set; undefined removes it. */
function having(ask: Ask, { place, name }: Named, value: unknown): Ask {
  if (place === "query") return { ...ask, query: { ...ask.query, [name]: value as string } };
  return { ...ask, body: { ...(ask.body as object), [name]: value } };
}

/** Values that must be accepted: the words that the contract lists, and the ends of ranges. */
function lawfulValues(parameter: Named): unknown[] {
  const { values, minimum, maximum, maxLength, format, items, default: usual } = parameter.parameter;
  const least = values?.includes(">= 0") ? 0 : minimum;
  const ends = [least, maximum, usual].filter((end) => end !== undefined);
  // Some servers know their credential types and refuse any other.
  const isFree = maxLength !== undefined && format === undefined && parameter.name !== "credential_type";
  const longest = isFree ? ["c".repeat(maxLength)] : [];
  const booleans = isOf(parameter, "boolean") ? [true, false] : [];
  return [
    ...wordsOf(parameter.parameter),
    ...ends,
    ...longest,
    ...booleans,
    ...(items?.enum ?? []).map((word) => [word]),
  ];
}

/** Values that violate the type or stated range of a parameter. */
function brokenValues(parameter: Named): unknown[] {
  const { maximum, maxLength, format, values } = parameter.parameter;
  const minimum = values?.includes(">= 0") ? 0 : parameter.parameter.minimum;
  const isNumber = isOf(parameter, "integer") || isOf(parameter, "number");
  // A negative minimum has a special meaning and is not a size.
  const isBound = minimum !== undefined && minimum >= 0;
  const beyond = [isBound ? minimum - 1 : undefined, maximum === undefined ? undefined : maximum + 1];
  const ofType = isNumber
    ? ["many", ...(isOf(parameter, "number") ? [] : [1.5])]
    : isOf(parameter, "boolean")
      ? ["maybe"]
      : parameter.place === "query"
        ? []
        : isOf(parameter, "string")
          ? [{ a: 1 }]
          : ["none"];
  const ofForm =
    format === "uuid" ? ["not-a-uuid"] : maxLength === undefined ? [] : ["c".repeat(maxLength + 1)];
  return [...beyond.filter((value) => value !== undefined), ...ofType, ...ofForm];
}

/** Whether a Call fails for its tool id, which the contract lists among the failures of Calls. */
const isFailedCall = ({ operation, name }: Named, answer: Answer): boolean =>
  operation === "call" && name === "tool_id" && answer.status === 200 && answer.at("success").value === false;

const label = ({ operation, name }: Named, value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return `${operation} with ${name} ${text.length > 60 ? `of ${text.length - 2} characters` : text}`;
};

/** A valid request that costs next to nothing, so only the changed parameter decides. */
function modest(operation: OperationId, { profile, tool, capability }: Stage): Ask {
  if (operation === "call") {
    const { id: tool_id, parameters } = tool("charged");
    return { body: { tool_id, parameters } };
  }
  if (operation === "queryCapability") {
    const { id: capability_id, parameters } = capability("query");
    return { body: { capability_id, parameters } };
  }
  if (operation === "probe" && knownTool(profile) === undefined) {
    throw new Unverifiable("no tool is known that could be probed");
  }
  const ask = modestRequest(operation, profile);
  return operations[operation].method === "GET" ? { ...ask, query: ask.query ?? {} } : ask;
}

const dated = (ask: Ask): Ask => ({ ...ask, query: { ...ask.query, ...oneDay } });

/** The same when it returns a list: a short list does not show its limit. */
const plentiful = (operation: OperationId, stage: Stage): Ask =>
  operation === "discover" ? { body: { query: widestQuery } } : modest(operation, stage);

/** The parts of an answer that the contract keeps constant over time. */
function lastingPart(answer: Answer): unknown {
  if (operations[answer.exchange.operation!].answer === "csv") return answer.text;
  const [data, results] = [answer.at("data").value, answer.at("results")];
  // A capability result's history keeps changing, but its members do not.
  const membersOf = (result: Located) => [
    result.at("tool_id").value,
    ...Object.keys(Object(result.value)).sort(),
  ];
  if (!isFields(data)) return results.present ? results.items.map(membersOf) : undefined;
  // A server may repeat the request in its answer.
  const isAnswer = (value: unknown): boolean => Array.isArray(value) || typeof value === "number";
  const lasting = Object.entries(data).filter(([name, value]) => name === "summary" || isAnswer(value));
  return Object.fromEntries(lasting);
}

/** A usable answer that is not empty: without a header, the export of an account without rows says nothing. */
function telling(answer: Answer): Answer {
  if (usable(answer).text.trim() === "") throw new Unverifiable("the account has no rows to export");
  return answer;
}

/** `lang` is not judged when the profile declares Chinese off. */
const isJudged = ({ name }: Named, { profile }: Stage): boolean =>
  name !== "lang" || profile.features.chinese === undefined;

/** Whether a reading gives the same several times more. */
async function isRepeated(read: () => Promise<unknown>, first: unknown): Promise<boolean> {
  for (let time = 0; time < 4; time += 1) {
    if (!isDeepStrictEqual(await read(), first)) return false;
  }
  return true;
}

function featured(operation: OperationId) {
  return { needs: needs[operation] ?? [], credits: 20, feature: operation };
}
