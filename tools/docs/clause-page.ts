import { areaTitles, type Clause } from "../../generated/clauses.ts";
import { readings, type Reading } from "../../generated/readings.ts";
import { judgesOf, proofOf } from "./clause-judges.ts";
import { mendingOf } from "./clause-mending.ts";
import type { Example, Examples, ShownExchange } from "./examples.ts";
import { block, code, list, part, prose } from "./markdown.ts";
import { slugOf } from "./navigation.ts";

/** The page of a clause, as Markdown. */
export const clausePage = (clause: Clause, examples: Examples["clauses"]): string =>
  `${[
    `# ${clause.id}`,
    `**${clause.level}:** ${prose(clause.text)}`,
    factsOf(clause),
    ...part("## The contract's words", [
      ...clause.quote.map((quote) => `> ${prose(quote)}`),
      placeOf(clause),
    ]),
    ...part("## What it leaves open", questionsNear(clause)),
    ...part("## An example", exampleOf(clause, examples[clause.id])),
    ...part("## What to fix", mendingOf(clause)),
    ...part("## Its checks", judgesOf(clause.id)),
    ...part("## What proves it", proofOf(clause.id)),
  ].join("\n\n")}\n`;

const basisWords = ({ basis, level }: Clause): string =>
  ({
    stated: "the contract says it",
    implied:
      level === "must"
        ? "no lawful server could do otherwise"
        : "its words suggest it, and do not require it",
    reading: "one answer to an open question",
  })[basis];

function factsOf(clause: Clause): string {
  const { area, basis, because, why_should: whyShould, level, party, since, operation, resource } = clause;
  return list([
    `Area: [${prose(areaTitles[area])}](./${area}.md)`,
    ...(operation === undefined ? [] : [`Operation: ${[operation].flat().map(code).join(", ")}`]),
    ...(resource === undefined ? [] : [`Schema: ${code(resource)}`]),
    `Level: ${level} of the ${party ?? "server"}; the suite ${level === "must" ? "fails" : "warns"} where it is broken${whyShould === undefined ? "" : `. ${prose(whyShould)}`}`,
    `Basis: ${basis}, ${basisWords(clause)}${because === undefined ? "" : `. ${prose(because)}`}`,
    ...(since === undefined ? [] : [`Since contract ${since}`]),
  ]);
}

const placeOf = ({ source, line }: Clause): string =>
  `In [the contract](../contract.md) under ${prose(source)}; line ${line} of \`spec/contract.md\`.`;

/** The words of quotes without their ellipses. */
const passagesOf = (quotes: readonly string[]): string[] =>
  quotes.flatMap((quote) => quote.split(/\s*…\s*/)).filter((passage) => passage.length > 20);

/** The open questions of the contract about the same words. */
function questionsNear({ quote, reading }: Clause): string[] {
  const passages = passagesOf(quote);
  const isNear = (theirs: string): boolean =>
    passages.some((ours) => ours.includes(theirs) || theirs.includes(ours));
  const near = (readings as readonly Reading[]).filter(
    ({ id, quote: other }) => id === reading || passagesOf(other).some(isNear),
  );
  if (near.length === 0) return [];
  const lines = near.map(
    ({ id, question, answers, reference }) =>
      `[${id}](../readings.md#${slugOf(`${id}: ${question}`)}) ${prose(question)} The reference server: ${prose(answers[reference]!)}`,
  );
  return ["Every permitted answer passes, unless a profile promises one.", list(lines)];
}

function exampleOf({ area }: Clause, example: Example | undefined): string[] {
  if (example === undefined) return [];
  const { mutant, by, expected, received, after, broken, kept } = example;
  const isRelevant = (name: string): boolean =>
    area === "limits" || (!isOfLimits(name) && kept?.headers[name] !== broken.headers[name]);
  const shown = (exchange: ShownExchange): string => wire(exchange, isRelevant);
  return [
    ...(after === null ? [] : ["First:", shown(after)]),
    ...(kept === null ? [] : ["**It is kept.** The reference server:", shown(kept)]),
    `**It is broken.** A server that ${prose(mutant)}:`,
    shown(broken),
    list([
      ...(expected === null
        ? []
        : [`expected: ${prose(expected)}`, `received: ${prose(received ?? "nothing")}`]),
      `found by ${code(by)}`,
    ]),
  ];
}

const json = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** Headers of rate limits; their values differ with every request. */
const isOfLimits = (name: string): boolean => name === "retry-after" || name.startsWith("x-ratelimit-");

/** An exchange as text, with the headers of the answer that the example is about. */
function wire(
  { request, sent, status, headers, answer }: ShownExchange,
  isRelevant: (name: string) => boolean,
): string {
  const relevant = Object.entries(headers).filter(([name]) => isRelevant(name));
  const head = [
    status === null ? "no response" : `HTTP ${status}`,
    ...relevant.map(([name, value]) => `${name}: ${value}`),
  ].join("\n");
  const parts = [request, sent === null ? "" : json(sent), head, answer === null ? "" : json(answer)];
  return block("", parts.filter((part) => part !== "").join("\n\n"));
}
