import { problemAt } from "../yaml/schema.ts";
import type { YamlFile, YamlPath } from "../yaml/file.ts";
import { ContractText } from "./clauses/contract-text.ts";
import { listOf, type AreaFile, type Written } from "./clauses/read.ts";

/** Every problem of the clauses that their schema cannot see, as `file:line: place: sentence`; empty when all is well. */
export function problemsOf(written: Written): string[] {
  const contract = new ContractText(written.contract);
  const accounted = new Set<number>();
  const quoteProblems = [...quotesOf(written)].flatMap(({ file, path, quote }) => {
    const found = contract.find(quote);
    if ("problem" in found) return [problemAt(file, path, found.problem)];
    for (const line of found.lines) accounted.add(line);
    return [];
  });
  return [
    ...written.areas.flatMap(areaProblems),
    ...repeated(written.areas),
    ...quoteProblems,
    ...contract.tellingLines
      .filter(({ number }) => !accounted.has(number))
      .map(
        ({ number, text }) => `spec/contract.md:${number}: nothing quotes this line: ${text.slice(0, 70)}`,
      ),
  ];
}

interface Quote {
  file: YamlFile;
  path: YamlPath;
  quote: string;
}

/** Every quote of the clauses and of what is no clause. */
function* quotesOf({ areas, notClauses }: Written): Generator<Quote> {
  for (const file of areas)
    for (const [index, clause] of file.value.clauses.entries())
      for (const quote of listOf(clause.quote)) yield { file, path: ["clauses", index, "quote"], quote };
  for (const [index, entry] of notClauses.value.entries())
    for (const quote of listOf(entry.quote)) yield { file: notClauses, path: [index, "quote"], quote };
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

/** Prefixes and ids that are given twice. */
function repeated(areas: readonly AreaFile[]): string[] {
  const places = new Map<string, string>();
  const again = (file: AreaFile, path: YamlPath, name: string): string[] => {
    const first = places.get(name);
    places.set(name, first ?? `${file.name}:${file.lineOf(path)}`);
    return first === undefined ? [] : [problemAt(file, path, `${name} is given at ${first} already`)];
  };
  return areas.flatMap((file) => [
    ...again(file, ["prefix"], file.value.prefix),
    ...file.value.clauses.flatMap(({ id }, index) => again(file, ["clauses", index, "id"], id)),
  ]);
}

/**
 * The clauses that can be seen and whose id is not among `cited`: by checks and rules for the server, by the rules over
 * recorded traffic for the client.
 */
export function uncitedOf(areas: readonly AreaFile[], cited: ReadonlySet<string>): string[] {
  return areas.flatMap((file) =>
    file.value.clauses.flatMap(({ id, seen, text }, index) =>
      cited.has(id) || (typeof seen === "object" && "not_observable" in seen)
        ? []
        : [problemAt(file, ["clauses", index], `nothing judges ${id}: ${text}`)],
    ),
  );
}
