import MiniSearch from "minisearch";
import { operations } from "../../generated/contract.ts";
import type { Tool } from "./tool.ts";

/** The number of cached word matches; they stay valid since the catalogue does not change. */
const rememberedMatches = 2_000_000;
/** The number of cached rankings, by the words of the query. */
const rememberedRankings = 1_000;
/** The most words of a query that are used. */
const maxWords = 24;

const words = /[\p{Script=Han}]+|[\p{L}\p{N}]+/gu;
const han = /^\p{Script=Han}/u;

const fillers = new Set(
  "a an and any are as at be by can do does find for from get give how i in is it its me my need of on or please show tell that the their this to want was what when where which who will with you your".split(
    " ",
  ),
);

/** Reduces plurals to singular approximately, so that "rates" finds "rate" and "currencies" finds "currency". */
function singular(word: string): string {
  if (word.length < 4 || /(ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return word.endsWith("s") ? word.slice(0, -1) : word;
}

/** A run of Chinese characters as overlapping pairs; a single character as itself. */
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

/** The index terms of a text: for Chinese also the single characters. */
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

/** The tools that one word matches, by position, with their scores. */
interface Matches {
  tools: Uint32Array;
  scores: Float64Array;
}

/** Caches a function's results; drops the oldest until their total weight is within `capacity`. */
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

/** The best `limit` candidates in order, without sorting all of them; ties keep catalogue order. */
function best(candidates: Uint32Array, scores: Float64Array, limit: number): number[] {
  const before = (a: number, b: number): boolean =>
    scores[a]! > scores[b]! || (scores[a] === scores[b] && a < b);
  const kept: number[] = [];
  // Almost every candidate ranks below the last of those kept, so one comparison must suffice for it.
  let least = -Infinity;
  for (let index = 0; index < candidates.length; index++) {
    const candidate = candidates[index]!;
    if (scores[candidate]! < least || (kept.length === limit && before(kept.at(-1)!, candidate))) continue;
    let [low, high] = [0, kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (before(kept[middle]!, candidate)) low = middle + 1;
      else high = middle;
    }
    kept.splice(low, 0, candidate);
    if (kept.length > limit) kept.pop();
    if (kept.length === limit) least = scores[kept.at(-1)!]!;
  }
  return kept;
}

/** The words of a query that can match anything. */
function usable(query: string, vocabulary: ReadonlySet<string>): string[] {
  const asked = new Set(terms(query.slice(0, 1_000)));
  const telling = [...asked].filter((term) => !fillers.has(term));
  return telling.filter((term) => vocabulary.has(term) || /^[\p{L}]{3,30}$/u.test(term)).slice(0, maxWords);
}

/** The library's index over the tools by position; adds every term to the vocabulary. */
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
 * Builds an index over the tools. A query returns the tools that share a word with it, best first; a word that no tool
 * contains is matched as a prefix or as a typo. An exact id ranks first. Unavailable tools are never returned.
 *
 * The library ranks the tools for a single word. These rankings are cached, so a query only adds them up, and costs
 * little more over ten thousand tools than over twenty.
 */
export function createSearch(tools: readonly Tool[]): Search {
  const offered = tools.filter((tool) => tool.availability !== "unavailable");
  const byId = new Map(offered.map((tool) => [tool.tool_id, tool]));
  const vocabulary = new Set<string>();
  const index = indexOf(offered, vocabulary);

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

  // By position; all zero between two queries.
  const scores = new Float64Array(offered.length);
  const matched = new Uint8Array(offered.length);
  const touched = new Uint32Array(offered.length);
  const ranking = remembering<readonly Tool[]>(
    rememberedRankings,
    () => 1,
    (words) => {
      let count = 0;
      for (const word of words.split(" ")) {
        const { tools: positions, scores: added } = matches(word);
        for (let hit = 0; hit < positions.length; hit++) {
          const position = positions[hit]!;
          if (matched[position] === 0) touched[count++] = position;
          matched[position]! += 1;
          scores[position]! += added[hit]!;
        }
      }
      // A tool that shares several words with the query ranks above one that repeats a single word.
      for (let index = 0; index < count; index++) {
        const position = touched[index]!;
        scores[position]! *= matched[position]!;
      }
      const ranked = best(touched.subarray(0, count), scores, operations.discover.body.limit.maximum).map(
        (position) => offered[position]!,
      );
      scores.fill(0);
      matched.fill(0);
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
