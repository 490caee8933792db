import { problemAt } from "../base/yaml/schema.ts";
import type { YamlFile, YamlPath } from "../base/yaml/file.ts";
import { ContractText } from "./clauses/contract-text.ts";
import { listOf, type AreaFile, type Clause, type Written } from "./clauses/read.ts";
import type { ReadingsFile } from "./clauses/readings.ts";

/**
 * The problems of clauses and readings that their schemas cannot detect, as `file:line: place: sentence`; empty if
 * there are none.
 */
export function problemsOf(written: Written): string[] {
  const contract = new ContractText(written.contract);
  const accounted = new Set<number>();
  for (const { quote } of quotesOf(written)) {
    const found = contract.find(quote);
    if ("lines" in found) for (const line of found.lines) accounted.add(line);
  }
  return [
    ...written.areas.flatMap(areaProblems),
    ...written.readings.flatMap(readingProblems),
    ...repeated(written),
    ...quoteProblems(written),
    ...contract.tellingLines
      .filter(({ number }) => !accounted.has(number))
      .map(
        ({ number, text }) => `spec/contract.md:${number}: nothing quotes this line: ${text.slice(0, 70)}`,
      ),
  ];
}

/** The quotes that are not in the contract, or in several places of it. */
export function quoteProblems(written: Written): string[] {
  const contract = new ContractText(written.contract);
  return [...quotesOf(written)].flatMap(({ file, path, quote }) => {
    const found = contract.find(quote);
    return "problem" in found ? [problemAt(file, path, found.problem)] : [];
  });
}

interface Quote {
  file: YamlFile;
  path: YamlPath;
  quote: string;
}

/** Every quote in the clauses, the non-clauses and the readings. */
function* quotesOf({ areas, notClauses, readings }: Written): Generator<Quote> {
  for (const file of areas)
    for (const [index, clause] of file.value.clauses.entries())
      // The words of an ended clause are no longer in the contract.
      for (const quote of clause.until !== undefined ? [] : listOf(clause.quote))
        yield { file, path: ["clauses", index, "quote"], quote };
  for (const [index, entry] of notClauses.value.entries())
    for (const quote of listOf(entry.quote)) yield { file: notClauses, path: [index, "quote"], quote };
  for (const file of readings)
    for (const [index, reading] of file.value.readings.entries())
      for (const quote of listOf(reading.quote)) yield { file, path: ["readings", index, "quote"], quote };
}

function areaProblems(file: AreaFile): string[] {
  const { area, prefix, clauses } = file.value;
  const named = file.name.split("/").at(-1) === `${area}.yaml`;
  return [
    ...(named ? [] : [problemAt(file, ["area"], `must be the file's name without .yaml`)]),
    ...clauses.flatMap(({ id }, index) =>
      id.startsWith(`${prefix}-`)
        ? []
        : [problemAt(file, ["clauses", index, "id"], `${id} must begin with the area's prefix ${prefix}-`)],
    ),
  ];
}

const readingProblems = (file: ReadingsFile): string[] =>
  file.value.readings.flatMap(({ answers, reference }, index) =>
    reference in answers
      ? []
      : [
          problemAt(
            file,
            ["readings", index, "reference"],
            `${reference} is not among the answers; they are ${Object.keys(answers).join(", ")}`,
          ),
        ],
  );

/** Prefixes and ids that are used twice. */
function repeated({ areas, readings }: Written): string[] {
  const places = new Map<string, string>();
  const again = (file: YamlFile, path: YamlPath, name: string): string[] => {
    const first = places.get(name);
    places.set(name, first ?? `${file.name}:${file.lineOf(path)}`);
    return first === undefined ? [] : [problemAt(file, path, `${name} is given at ${first} already`)];
  };
  const inAreas = areas.flatMap((file) => [
    ...again(file, ["prefix"], file.value.prefix),
    ...file.value.clauses.flatMap(({ id }, index) => again(file, ["clauses", index, "id"], id)),
  ]);
  const inReadings = readings.flatMap((file) =>
    file.value.readings.flatMap(({ id }, index) => again(file, ["readings", index, "id"], id)),
  );
  return [...inAreas, ...inReadings];
}

/**
 * The observable clauses whose id is not among `cited`: for the server by checks and rules, for the client by the rules
 * over recorded traffic.
 */
export function uncitedOf(areas: readonly AreaFile[], cited: ReadonlySet<string>): string[] {
  return areas.flatMap((file) =>
    file.value.clauses.flatMap(({ id, seen, text, until }, index) =>
      until !== undefined || cited.has(id) || (typeof seen === "object" && "not_observable" in seen)
        ? []
        : [problemAt(file, ["clauses", index], `nothing judges ${id}: ${text}`)],
    ),
  );
}

/** A clause as a release pinned it. */
export type ReleasedClause = Pick<Clause, "id" | "level" | "party" | "text">;

/**
 * The problems of clauses against a release: a released clause stays, or ends with `until` and is missing from later
 * releases; a reworded one says why the obligation is the same (`editorial`); a new one has `since`.
 */
export function releaseProblems(
  areas: readonly AreaFile[],
  version: string,
  released: readonly ReleasedClause[],
): string[] {
  const byId = new Map(released.map((clause) => [clause.id, clause]));
  const written = areas.flatMap((file) =>
    file.value.clauses.map((clause, index) => ({ file, clause, index })),
  );
  const ids = new Set(written.map(({ clause }) => clause.id));
  const gone = released.filter(({ id }) => !ids.has(id));
  return [
    ...gone.map(({ id }) => `spec/clauses: ${id} of release ${version} is gone; end it with until instead`),
    ...written.flatMap(({ file, clause, index }) => {
      const was = byId.get(clause.id);
      const problem = (key: string, sentence: string): string =>
        problemAt(file, ["clauses", index, key], sentence);
      if (was === undefined)
        return clause.since === undefined && clause.until === undefined
          ? [problem("id", `${clause.id} is not in release ${version}: say since which version it holds`)]
          : [];
      if (was.level !== clause.level || was.party !== clause.party)
        return [problem("level", `${clause.id} obliged otherwise in release ${version}; give a new id`)];
      return was.text === clause.text || clause.editorial !== undefined
        ? []
        : [
            problem(
              "text",
              `${clause.id} is worded otherwise in release ${version}: give the new wording an id of its own, or say under editorial why it asks for the same`,
            ),
          ];
    }),
  ];
}
