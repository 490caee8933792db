import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { WrongUse } from "../../base/exit.ts";
import { areaTitles, clauses } from "../../generated/clauses.ts";
import { checks } from "../suite/checks.ts";
import { rules } from "../suite/rules.ts";
import { instrumentedAll } from "./code/sites.ts";
import { reasonOf, reasonsOf, type Reasons } from "./dispositions.ts";
import { mutants } from "./mutants.ts";
import {
  fatesOf,
  figureText,
  handSentence,
  lawfulSentence,
  sharesOf,
  storedFates,
  type Fates,
} from "./figures.ts";
import { readLawful } from "./lawful/results.ts";
import { specMutants } from "./spec/index.ts";
import { readResults, unproved, withoutKill, type Results } from "./store.ts";

const page = fileURLToPath(new URL("../../docs/proof.md", import.meta.url));
const readme = fileURLToPath(new URL("../../README.md", import.meta.url));
const [begin, end] = ["<!-- figure of the mutants -->", "<!-- end of the figure -->"];

/** Writes what is shown of the stored results: docs/proof.md, and the figures in the README. */
export async function writePages(): Promise<void> {
  const { format, resolveConfig } = await import("prettier");
  const config = { ...(await resolveConfig(page)), filepath: page };
  writeFileSync(page, await format(pageText(), config));
  const text = readFileSync(readme, "utf8");
  const place = placeIn(text);
  if (place === null) throw new WrongUse(`README.md has no place for the figure: ${begin} … ${end}`);
  writeFileSync(readme, `${text.slice(0, place.from)}\n\n${await currentText()}\n\n${text.slice(place.to)}`);
}

/** Why the README's figures differ from the stored results, and what has no result or no reason. */
export async function staleFigure(): Promise<string[]> {
  const { byHand } = await import("./hand.ts");
  const spec = readResults("spec");
  const idsOf = (all: readonly { id: string }[]): string[] => all.map(({ id }) => id);
  const reasons = reasonsOf("spec");
  return staleIn(
    readFileSync(readme, "utf8"),
    await currentText(),
    [...unproved(readResults("hand"), idsOf(byHand.subjects)), ...unproved(spec, idsOf(specMutants))],
    [...spec.survived, ...spec.unmet].filter((id) => reasonOf(id, reasons) === null),
  );
}

/**
 * @param unjudged what has no stored result
 * @param unexplained the mutants of the spec that live for no recorded reason
 */
export function staleIn(
  readme: string,
  text: string,
  unjudged: readonly string[],
  unexplained: readonly string[],
): string[] {
  const place = placeIn(readme);
  const shown = place === null ? "" : readme.slice(place.from, place.to).trim();
  const publish = (id: string): string => `npm run mutants -- --publish --only ${shellWord(id)}`;
  return [
    ...(shown === text
      ? []
      : [
          "README.md shows other figures than the stored results: run npm run mutants -- --publish --only what is new",
        ]),
    ...unjudged.map((id) => `no stored result: ${id}. Run ${publish(id)}`),
    ...unexplained.map(
      (id) =>
        `survives for no recorded reason: ${id}. Let a check see it, or give the reason in ` +
        `conformance/proof/spec/dispositions.yaml and run ${publish(id)} --excuse`,
    ),
  ];
}

/** The clause of a mutant by hand; any other name in quotes. */
const shellWord = (id: string): string =>
  /^[A-Z]+-\d+ /.test(id) ? id.split(" ")[0]! : `'${id.replaceAll("'", "'\\''")}'`;

function placeIn(text: string): { from: number; to: number } | null {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  return from < 0 || to < from ? null : { from: from + begin.length, to };
}

/** The figures of the stored results. */
async function currentText(): Promise<string> {
  const generated = { spec: storedFates("spec"), code: storedFates("code") };
  const text = figureText(readResults("hand"), generated, readLawful(), withoutKill().length);
  const { format } = await import("prettier");
  return (await format(text, { parser: "markdown" })).trim();
}

/** What the suite detects, what it misses, and why. */
function pageText(): string {
  const [spec, code] = [readResults("spec"), readResults("code")];
  const [ofSpec, ofCode] = [reasonsOf("spec"), reasonsOf("code")];
  const sites = [...instrumentedAll().values()].flatMap((source) => source.sites);
  const parts = [
    "<!-- Written by `npm run mutants -- --publish`. Do not edit. -->",
    "# What the suite sees, and what it does not",
    "A mutant is the reference server with one thing broken. Most mutants are generated, so that nobody chooses them: from the spec, and from the server's sources. It is killed by a check that fails on it and passes on the unaltered server. A mutant that no check notices has a recorded reason, by its id, or is a hole. Two shares are shown: killed of all; and killed of judged, which leaves out what survives for a reason, is never reached or has not run.",
    "## Mutants written by hand",
    handSentence(readResults("hand")),
    byArea(),
    "## Lawful variations",
    `${lawfulSentence(readLawful())} Run by \`npm run mutants -- --from lawful\`; \`--power\` measures whether mutants are still killed next to them.`,
    "## Mutants from the spec",
    `Every field, parameter, status, header, list and member of an error that the spec names, broken in each way: ${specMutants.length} mutants (\`npm run mutants -- --from spec\`).`,
    table(
      "Family",
      specMutants.map(({ id, family }) => [id, family] as const),
      spec,
      ofSpec,
    ),
    table(
      "Operation",
      specMutants.map(({ id, operation }) => [id, operation] as const),
      spec,
      ofSpec,
    ),
    survivors(spec, ofSpec),
    "## Mutants from the code",
    `Conditions negated, bounds moved, operators swapped, literals changed, statements left out: ${sites.length} sites in the sources of the reference server (\`npm run mutants -- --from code\`, with \`--sample N --seed S\` for some of them). Sites that lived before, for a reason below, are broken in groups of up to eight, each in another file; where a check of the group fails, each is broken by itself.`,
    table(
      "Room",
      sites.map(({ id, file }) => [id, file.split("/")[0]!] as const),
      code,
      ofCode,
    ),
    survivors(code, ofCode),
    "## What no check judges from outside",
    unseen(),
    "## What one check alone judges",
    lonely(),
  ];
  return `${parts.join("\n\n")}\n`;
}

const row = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;

const tableOf = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [row(head), row(head.map((_, index) => (index === 0 ? "---" : "---:"))), ...rows.map(row)].join("\n");

function byArea(): string {
  const prefixes = new Map(clauses.map(({ id, area }) => [id.split("-")[0]!, area]));
  const counts = new Map<string, number>();
  for (const { clause } of mutants) {
    const area = prefixes.get(clause.split("-")[0]!)!;
    counts.set(area, (counts.get(area) ?? 0) + 1);
  }
  return tableOf(
    ["Area", "Mutants"],
    [...counts].map(([area, count]) => [areaTitles[area as keyof typeof areaTitles], count]),
  );
}

/** The columns for the results of mutants; the last two are left out when they count nothing. */
const columns: readonly (readonly [head: string, cell: (fates: Fates) => number | string])[] = [
  ["Mutants", ({ mutants }) => mutants],
  ["Killed", ({ killed }) => killed],
  ["Holes", ({ holes }) => holes],
  ["Killed of all", (fates) => sharesOf(fates).ofAll],
  ["Killed of judged", (fates) => sharesOf(fates).ofJudged],
  ["Survived for a reason", ({ excused }) => excused],
  ["Never reached", ({ unreached }) => unreached],
  ["Not run yet", ({ unrun }) => unrun],
];

/** The results for the mutants of each group. */
function table(
  group: string,
  all: readonly (readonly [id: string, group: string])[],
  results: Results,
  reasons: Reasons,
): string {
  const fates = (members: readonly (readonly [id: string, group: string])[]): Fates => {
    const ids = new Set(members.map(([id]) => id));
    const [killed, survived, unmet] = [results.killed, results.survived, results.unmet].map((fate) =>
      fate.filter((id) => ids.has(id)),
    ) as [string[], string[], string[]];
    return fatesOf(ids.size, { killed, survived, unmet }, reasons);
  };
  const total = fates(all);
  const shown = columns.filter(([, cell], index) => index < columns.length - 2 || cell(total) !== 0);
  const cells = (name: string, of: Fates): (string | number)[] => [
    name,
    ...shown.map(([, cell]) => cell(of)),
  ];
  return tableOf(
    [group, ...shown.map(([head]) => head)],
    [
      ...[...Map.groupBy(all, ([, name]) => name)].map(([name, members]) => cells(name, fates(members))),
      cells("all", total),
    ],
  );
}

const words = {
  permitted: "The contract permits it",
  equivalent: "The same from outside",
  unreached: "No request reaches it",
  outside: "Outside the contract",
  hole: "A hole of the suite",
} as const;

/** Each reason why mutants are not killed, and the survivors without one. */
function survivors({ survived, unmet }: Results, reasons: Reasons): string {
  const groups = Map.groupBy([...survived, ...unmet], (id) => reasonOf(id, reasons));
  const known = reasons.dispositions.flatMap((disposition) => {
    const ids = groups.get(disposition) ?? [];
    if (ids.length === 0) return [];
    const quote = disposition.quote === undefined ? "" : ` ("${disposition.quote}")`;
    const examples = ids.slice(0, 3).map((id) => `\`${id}\``);
    const more = ids.length > 3 ? " and others" : "";
    return [
      `- ${words[disposition.is]}: ${disposition.because}${quote} ${ids.length}: ${examples.join(", ")}${more}.`,
    ];
  });
  const unknown = survived
    .filter((id) => reasonOf(id, reasons) === null)
    .map((id) => `- A hole, unexplained as yet: \`${id}\`.`);
  return ["Survivors, and why:", [...known, ...unknown].join("\n") || "None."].join("\n\n");
}

function unseen(): string {
  const lines = clauses.flatMap(({ id, text, seen }) =>
    typeof seen === "object" && "not_observable" in seen
      ? [`- ${id}: ${text} Not seen: ${seen.not_observable}.`]
      : [],
  );
  return lines.join("\n") || "None.";
}

function lonely(): string {
  const judges = [...checks, ...rules];
  const sole = clauses.flatMap(({ id, level }) => {
    const speaking = judges.filter((judge) => judge.clauses.includes(id));
    return level === "must" && speaking.length === 1 ? [id] : [];
  });
  return `${sole.length} of ${clauses.length} clauses: ${sole.join(", ")}.`;
}
