import MiniSearch from "minisearch";
import type { Tool } from "./tool.ts";

/** The most results that one Discover can ask for (contract: Limits, Discover `limit`). */
const mostResults = 100;
/** Queries whose ranking is remembered; the catalogue does not change, so neither does a ranking. */
const rememberedQueries = 2_000;
/** Tools that one query looks at, when its words are shared by very many: the rarest words count first. */
const mostPostings = 1_500;
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

/**
 * An index over the tools, built once. A query is answered with the tools that share a word with it, best first;
 * words that no tool knows are taken as the beginning of one or as a typing mistake. An exact id stands first,
 * whatever the ranking. Unavailable tools are never found.
 */
export function createSearch(tools: readonly Tool[]): Search {
  const found = tools.filter((tool) => tool.availability !== "unavailable");
  const byId = new Map(found.map((tool) => [tool.tool_id, tool]));
  const index = new MiniSearch<{ key: number } & Record<keyof typeof fields, string>>({
    idField: "key",
    fields: Object.keys(fields),
    tokenize: indexTerms,
    processTerm: (term) => term,
    searchOptions: { tokenize: (query) => query.split(" "), boost, combineWith: "OR" },
  });
  const spread = new Map<string, number>();
  for (const [key, tool] of found.entries()) {
    const entry = {
      key,
      id: fields.id(tool),
      name: fields.name(tool),
      description: fields.description(tool),
      provider: fields.provider(tool),
      parameters: fields.parameters(tool),
      capability: fields.capability(tool),
    };
    index.add(entry);
    const { key: _key, ...texts } = entry;
    for (const term of new Set(Object.values(texts).flatMap(indexTerms))) {
      spread.set(term, (spread.get(term) ?? 0) + 1);
    }
  }

  /** The words worth asking for, rarest first, until they would touch too many tools. */
  function chosen(query: string): string[] {
    const unique = [...new Set(terms(query.slice(0, 1_000)))];
    const telling = unique.filter((term) => !fillers.has(term));
    const usable = telling.filter((term) => spread.has(term) || /^[\p{L}]{3,30}$/u.test(term));
    const ordered = usable.sort((a, b) => (spread.get(a) ?? 0) - (spread.get(b) ?? 0)).slice(0, mostWords);
    let touched = 0;
    return ordered.filter((term, position) => {
      touched += spread.get(term) ?? 0;
      return (
        touched <= mostPostings ||
        position === 0 ||
        ordered.slice(0, position).every((one) => !spread.has(one))
      );
    });
  }

  const remembered = new Map<string, readonly Tool[]>();
  function ranking(query: string): readonly Tool[] {
    const asked = chosen(query).join(" ");
    if (asked === "") return [];
    const known = remembered.get(asked);
    if (known !== undefined) {
      remembered.delete(asked);
      remembered.set(asked, known);
      return known;
    }
    const hits = index.search(asked, {
      prefix: (term) => !spread.has(term) && term.length >= 3,
      fuzzy: (term) => (!spread.has(term) && term.length >= 5 && !han.test(term) ? 1 : false),
    });
    const ranked = hits.slice(0, mostResults).flatMap((hit) => found[Number(hit.id)] ?? []);
    const oldest = remembered.keys().next();
    if (remembered.size >= rememberedQueries && !oldest.done) remembered.delete(oldest.value);
    remembered.set(asked, ranked);
    return ranked;
  }

  return (query, limit) => {
    const exact = byId.get(query.trim());
    const ranked = ranking(query);
    if (exact === undefined) return ranked.slice(0, limit);
    return [exact, ...ranked.filter((tool) => tool !== exact)].slice(0, limit);
  };
}
