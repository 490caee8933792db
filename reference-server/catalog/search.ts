import MiniSearch from "minisearch";
import { operations } from "../../generated/contract.ts";
import type { Tool } from "./tool.ts";

/** Matches of single words that are remembered; the catalogue does not change, so neither do they. */
const rememberedMatches = 2_000_000;
/** Rankings that are remembered, by the words that they are for. */
const rememberedRankings = 1_000;
/** Words of a query that are looked at. */
const mostWords = 24;

const words = /[\p{Script=Han}]+|[\p{L}\p{N}]+/gu;
const han = /^\p{Script=Han}/u;

const fillers = new Set(
  "a an and any are as at be by can do does find for from get give how i in is it its me my need of on or please show tell that the their this to want was what when where which who will with you your".split(
    " ",
  ),
);

/** Plural to singular, coarsely, so that "rates" finds "rate" and "currencies" finds "currency". */
function singular(word: string): string {
  if (word.length < 4 || /(ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.endsWith("s") ? word.slice(0, -1) : word;
}

/** The characters of a run of Chinese in overlapping pairs; a lone character as itself. */
function pairs(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

/** The search terms of a text: words in lower case without accents, Chinese as character bigrams. */
export function terms(text: string): string[] {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return [...plain.matchAll(words)].flatMap(([run]) => (han.test(run) ? pairs(run) : [singular(run)]));
}

/** The terms under which a text is found: for Chinese also the single characters. */
function indexTerms(text: string): string[] {
  const single = [...text].filter((character) => han.test(character));
  return [...terms(text), ...single];
}

const both = ({ en, zh }: { en: string; zh: string }): string => (en === zh ? en : `${en} ${zh}`);

const fields = {
  id: (tool: Tool) => tool.tool_id,
  name: (tool: Tool) => both(tool.name),
  description: (tool: Tool) => both(tool.description),
  provider: (tool: Tool) => tool.provider_name,
  parameters: (tool: Tool) =>
    tool.params
      .map((param) => `${param.name} ${param.description} ${tool.param_descriptions_zh?.[param.name] ?? ""}`)
      .join(" "),
  capability: (tool: Tool) => tool.routing.capability,
};
const boost = { name: 4, capability: 3, id: 2, provider: 1.5, description: 1.5, parameters: 0.5 };

/** Ranks tools for a query; see `createSearch`. */
export type Search = (query: string, limit: number) => readonly Tool[];

/** The tools that one word matches, by position, and how well each does. */
interface Matches {
  tools: Uint32Array;
  scores: Float64Array;
}

/**
 * The function with its last answers remembered, the oldest forgotten first, until their weights are within `capacity`.
 */
function remembering<Answer>(
  capacity: number,
  weigh: (answer: Answer) => number,
  compute: (key: string) => Answer,
): (key: string) => Answer {
  const remembered = new Map<string, Answer>();
  let weight = 0;
  return (key) => {
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const fresh = compute(key);
    weight += weigh(fresh);
    for (const [oldest, answer] of remembered) {
      if (weight <= capacity) break;
      remembered.delete(oldest);
      weight -= weigh(answer);
    }
    remembered.set(key, fresh);
    return fresh;
  };
}

/** The best `limit` of the candidates, best first, without sorting them all; equals keep the catalogue's order. */
function best(candidates: readonly number[], scores: Float64Array, limit: number): number[] {
  const score = (position: number): number => scores[position] ?? 0;
  const before = (a: number, b: number): boolean => score(a) > score(b) || (score(a) === score(b) && a < b);
  const kept: number[] = [];
  for (const candidate of candidates) {
    const last = kept[kept.length - 1];
    if (last !== undefined && kept.length === limit && before(last, candidate)) continue;
    let [low, high] = [0, kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (before(kept[middle] ?? 0, candidate)) low = middle + 1;
      else high = middle;
    }
    kept.splice(low, 0, candidate);
    if (kept.length > limit) kept.pop();
  }
  return kept;
}

/** The words of a query that can find something. */
function usable(query: string, vocabulary: ReadonlySet<string>): string[] {
  const asked = new Set(terms(query.slice(0, 1_000)));
  const telling = [...asked].filter((term) => !fillers.has(term));
  return telling.filter((term) => vocabulary.has(term) || /^[\p{L}]{3,30}$/u.test(term)).slice(0, mostWords);
}

/** The library's index over the tools, by their positions; the vocabulary learns every term. */
function indexOf(tools: readonly Tool[], vocabulary: Set<string>): MiniSearch {
  const index = new MiniSearch<{ key: number; tool: Tool }>({
    idField: "key",
    fields: Object.keys(fields),
    extractField: (entry, field) =>
      field === "key" ? String(entry.key) : (fields[field as keyof typeof fields]?.(entry.tool) ?? ""),
    tokenize: indexTerms,
    processTerm: (term) => {
      vocabulary.add(term);
      return term;
    },
    searchOptions: { tokenize: (word) => [word], processTerm: (word) => word, boost },
  });
  index.addAll(tools.map((tool, key) => ({ key, tool })));
  return index;
}

/**
 * An index over the tools, built once. A query is answered with the tools that share a word with it, best first;
 * words that no tool knows are taken as the beginning of one or as a typing mistake. An exact id stands first,
 * whatever the ranking. Unavailable tools are never found.
 *
 * The library ranks the tools of one word; since those are remembered, a query only adds up what its words found,
 * and costs little more over ten thousand tools than over twenty.
 */
export function createSearch(tools: readonly Tool[]): Search {
  const found = tools.filter((tool) => tool.availability !== "unavailable");
  const byId = new Map(found.map((tool) => [tool.tool_id, tool]));
  const vocabulary = new Set<string>();
  const index = indexOf(found, vocabulary);

  const matches = remembering<Matches>(
    rememberedMatches,
    ({ tools: { length } }) => length + 1,
    (word) => {
      const guess = !vocabulary.has(word);
      const hits = index.search(word, {
        prefix: guess && word.length >= 3,
        fuzzy: guess && word.length >= 5 && !han.test(word) ? 1 : false,
      });
      return {
        tools: Uint32Array.from(hits, ({ id }) => Number(id)),
        scores: Float64Array.from(hits, ({ score }) => score),
      };
    },
  );

  const scores = new Float64Array(found.length);
  const matched = new Uint8Array(found.length);
  const ranking = remembering<readonly Tool[]>(
    rememberedRankings,
    () => 1,
    (words) => {
      const touched: number[] = [];
      for (const word of words.split(" ")) {
        const { tools: positions, scores: added } = matches(word);
        for (let hit = 0; hit < positions.length; hit++) {
          const position = positions[hit] ?? 0;
          if (matched[position] === 0) touched.push(position);
          matched[position] = (matched[position] ?? 0) + 1;
          scores[position] = (scores[position] ?? 0) + (added[hit] ?? 0);
        }
      }
      // A tool that shares several words with the query stands before one that shares a single word often.
      for (const position of touched) scores[position] = (scores[position] ?? 0) * (matched[position] ?? 1);
      const ranked = best(touched, scores, operations.discover.body.limit.maximum).flatMap(
        (position) => found[position] ?? [],
      );
      for (const position of touched) scores[position] = matched[position] = 0;
      return ranked;
    },
  );

  return (query, limit) => {
    const exact = byId.get(query.trim());
    const words = usable(query, vocabulary);
    const ranked = words.length === 0 ? [] : ranking(words.join(" "));
    if (exact === undefined) return ranked.slice(0, limit);
    return [exact, ...ranked.filter((tool) => tool !== exact)].slice(0, limit);
  };
}
