import type { ClauseId } from "../../generated/clauses.ts";
import { fieldRules } from "../../conformance/judge/fields.ts";
import { readKillers } from "../../conformance/proof/store.ts";
import { mutants } from "../../conformance/proof/mutants.ts";
import { checks } from "../../conformance/suite/checks.ts";
import { clientRules, crossingRules } from "../../conformance/suite/crossing.ts";
import { rules } from "../../conformance/suite/rules.ts";
import { wrongClients } from "../../conformance/traffic/clients/wrong-clients.ts";
import { block, code, list, prose } from "./markdown.ts";
import { sourceOf } from "./source.ts";

/** A check or rule that judges a clause, with its function. */
interface Judge {
  kind: "check" | "rule";
  id: string;
  clauses: readonly string[];
  title: string;
  by: object;
}

const derived = new Set(fieldRules.map(({ id }) => id));

const judges: readonly Judge[] = [
  ...checks.map(({ id, clauses, title, run }): Judge => ({ kind: "check", id, clauses, title, by: run })),
  ...rules
    .filter(({ id }) => !derived.has(id))
    .map(({ id, clauses, title, judge }): Judge => ({ kind: "rule", id, clauses, title, by: judge })),
  ...[...crossingRules, ...clientRules].map(({ id, clauses, title, begin }): Judge => ({
    kind: "rule",
    id,
    clauses,
    title,
    by: begin,
  })),
];

/** The checks and rules that judge a clause, each source once. */
export function judgesOf(id: ClauseId): string[] {
  const speaking = judges.filter(({ clauses }) => clauses.includes(id));
  const written = Map.groupBy(speaking, ({ by }) => sourceOf(by));
  const fields = fieldRules.filter(({ clauses }) => clauses.some((clause) => clause === id));
  return [
    ...[...written].flatMap(([{ file, line, text }, some]) => [
      list(some.map(({ kind, id: name, title }) => `${kind} ${code(name)}: ${prose(title)}`)),
      `From \`${file}\`, line ${line}:`,
      block("ts", text),
    ]),
    ...(fields.length === 0
      ? []
      : [
          "Rules that follow from the spec, in `conformance/judge/fields.ts`:",
          list(fields.map((rule) => code(rule.id))),
        ]),
  ];
}

/** The mutants of a clause, written for it or generated, or the client that breaks it. */
export function proofOf(id: ClauseId): string[] {
  const killers = readKillers();
  const speaking = [...checks, ...rules].filter(({ clauses }) => clauses.includes(id));
  const generated = new Set(speaking.map((judge) => killers[judge.id] ?? ""));
  const names = [
    ...mutants.filter(({ clause }) => clause === id).map(({ name }) => `a server that ${prose(name)}`),
    ...[...generated].filter((name) => name !== "" && !/^[A-Z]+-\d+ /.test(name)).map(code),
  ];
  const client = wrongClients[id];
  return [
    ...(names.length === 0 ? [] : ["The suite finds each of these, wrong in this one thing:", list(names)]),
    ...(client === undefined ? [] : clientOf(sourceOf(client))),
  ];
}

const clientOf = ({ file, line, text }: ReturnType<typeof sourceOf>): string[] => [
  `The suite finds this client, the right one with one change; from \`${file}\`, line ${line}:`,
  block("ts", text),
];
