import type { CataloguePair } from "../../tools/docs/kinds-page.ts";
import { compareDocuments } from "./compare.ts";
import { Document } from "./document.ts";
import { answering, documentWith, sending } from "./documents.fixture.ts";
import type { JsonObject } from "../../base/data.ts";
import type { Kind } from "./change.ts";

/** The kinds reported from old to new, or in reverse, without duplicates, for a day in November 2026. */
export function kindsReported(pair: CataloguePair, direction: "is" | "back"): Kind[] {
  const parts = direction === "is" ? [pair.old, pair.new] : [pair.new, pair.old];
  const documents = parts.map((part) => new Document("pair", documentOf(pair.in, part)));
  const settings = { today: "2026-11-20", withText: true };
  const kinds = compareDocuments(documents[0]!, documents[1]!, settings).list.map(({ kind }) => kind);
  const expectsWords = [...pair.is, ...pair.back].some(isWords);
  return [...new Set(kinds)].filter((kind) => expectsWords || !isWords(kind));
}

const isWords = (kind: Kind): boolean => kind === "text_changed" || kind === "written_differently";

/** A complete document around the part that a pair changes. */
function documentOf(where: CataloguePair["in"], part: JsonObject | undefined): JsonObject {
  if (where === "document") return documentWith({}, part);
  const operation: JsonObject =
    where === "operation"
      ? { responses: {}, ...part }
      : where === "request"
        ? sending(part ?? {})
        : where === "answer"
          ? answering(part ?? {})
          : where === "header"
            ? { responses: { "200": { headers: part === undefined ? {} : { "X-A": part } } } }
            : { parameters: [{ name: "a", in: "query", ...part }], responses: {} };
  return documentWith({ "/a": { post: operation } });
}
