import type { Clause } from "../../generated/clauses.ts";
import {
  capabilityRoles,
  operations,
  otherNeeds,
  toolRoles,
  type Need,
  type OperationId,
} from "../../generated/contract.ts";
import { kinds } from "../../conformance/certify/scenarios.ts";
import { fieldRules } from "../../conformance/judge/fields.ts";
import { block, code, list, prose } from "./markdown.ts";

/** Where to look, what the answers must contain, what the suite needs to see it, and how to judge it again. */
export function mendingOf({ id, operation, party, seen }: Clause): string[] {
  if (typeof seen === "object" && "not_observable" in seen)
    return [`No client can see whether it is kept: ${prose(seen.not_observable)}`];
  if (party === "client") return ofClient(id, operation);
  const named = [operation ?? []].flat().filter((name): name is OperationId => name !== "all");
  const promises = fieldRules.filter(({ clauses }) => clauses.some((clause) => clause === id));
  const needs = typeof seen === "object" ? seen.needs : [];
  return [
    ...titled("Look at:", named.map(placeOf)),
    ...titled(
      "Its responses hold:",
      promises.map(({ title }) => prose(title)),
    ),
    ...titled(
      "The suite sees it with the help of a [profile](../profile.md), or where it finds such a tool itself:",
      needs.map((need) => `${code(need)}: ${prose(describe(need))}`),
    ),
    "A finding says what was expected and what came, and repeats the request as a curl line. After the change:",
    block("sh", `npx capability-contract conformance --base-url URL --only ${id}`),
  ];
}

/** The same for a clause that binds clients: what a client does where it matters. */
function ofClient(id: string, operation: Clause["operation"]): string[] {
  const asked = [operation ?? []].flat().filter((name): name is OperationId => name !== "all");
  const met = kinds.filter(({ clauses }) => clauses.some((clause) => clause === id));
  return [
    ...titled(
      "It is about what a client does with:",
      asked.map((name) => code(`${operations[name].method} ${operations[name].path}`)),
    ),
    ...titled(
      "What a right client does, by scenario of a trial:",
      [...Map.groupBy(met, ({ page }) => page.right)].map(
        ([right, some]) => `${some.map(({ name }) => code(name)).join(", ")}: ${right}`,
      ),
    ),
    "A finding says what was expected and what your client sent. After the change:",
    block(
      "sh",
      [
        ...(met.length === 0 ? [] : [`npx capability-contract certify --only ${met[0]!.name} -- COMMAND`]),
        "npx capability-contract judge recording.har --client",
      ].join("\n"),
    ),
  ];
}

const titled = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [title, list(lines)];

function placeOf(id: OperationId): string {
  const { method, path } = operations[id];
  const file = id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `${code(`${method} ${path}`)}, which the reference server implements in ${code(`reference-server/operations/${file}.ts`)}`;
}

/** A need in words. */
const describe = (need: Need): string => {
  const words: Readonly<Record<string, string>> = {
    ...otherNeeds,
    ...Object.fromEntries(Object.entries(toolRoles).map(([role, says]) => [`tool.${role}`, says])),
    ...Object.fromEntries(
      Object.entries(capabilityRoles).map(([role, says]) => [`capability.${role}`, says]),
    ),
  };
  return words[need]!;
};
