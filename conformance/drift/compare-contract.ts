import { isDeepStrictEqual } from "node:util";
import type { ContractClause } from "./contract-clauses.ts";
import { shownValue, type Change } from "./change.ts";
import { kinds, type Kind } from "./kinds.ts";

/** A finding about a clause, whose lines are already known. */
export type ClauseFinding = Omit<Change, "ignored" | "also" | "traffic">;

/** Compares the numbered clauses of two contracts: their ids, levels, wording and constants. */
export function compareClauses(
  old: readonly ContractClause[],
  now: readonly ContractClause[],
): ClauseFinding[] {
  const found: ClauseFinding[] = [];
  const after = new Map(now.map((clause) => [clause.id, clause]));
  const before = new Map(old.map((clause) => [clause.id, clause]));
  const add = (
    kind: Kind,
    was: ContractClause | undefined,
    is: ContractClause | undefined,
    values: [unknown, unknown],
  ) => {
    const clause = (is ?? was)!;
    const [changeClass, why] = kinds[kind];
    found.push({
      kind,
      class: changeClass,
      side: "contract",
      operations: clause.operations,
      where: `clause ${clause.id}`,
      old: shownValue(values[0]),
      new: shownValue(values[1]),
      why,
      at: is?.place ?? null,
      was_at: was?.place ?? null,
    });
  };
  const said = (clause: ContractClause): string => `${clause.level}: ${clause.text}`;

  for (const [id, was] of before) {
    const is = after.get(id);
    if (is === undefined) {
      const kind =
        was.party === "client"
          ? "clause_removed_client"
          : was.level === "must"
            ? "clause_removed"
            : "clause_removed_should";
      add(kind, was, undefined, [said(was), undefined]);
      continue;
    }
    if (was.party !== is.party) add("clause_changed_party", was, is, [was.party, is.party]);
    if (was.level !== is.level) {
      const how = is.level === "must" ? "raised" : "lowered";
      const kind: Kind = is.party === "client" ? `clause_${how}_client` : `clause_${how}`;
      add(kind, was, is, [was.level, is.level]);
    }
    if (was.text !== is.text) {
      const constant = constantChange(was.text, is.text);
      add(constant?.kind ?? "clause_reworded", was, is, [was.text, is.text]);
    } else if (!isDeepStrictEqual(was.rest, is.rest)) add("clause_moved", was, is, [was.rest, is.rest]);
  }
  for (const [id, is] of after) {
    if (before.has(id)) continue;
    const kind =
      is.level === "should"
        ? "clause_added_should"
        : is.party === "client"
          ? "clause_added_client"
          : "clause_added";
    add(kind, undefined, is, [undefined, said(is)]);
  }
  return found;
}

/** The numbers that the contract sets, by the sentence that sets each. */
const constants: readonly { sentence: RegExp; lowered: Kind; raised: Kind }[] = [
  { sentence: /quota is (\d+) requests a minute/, lowered: "quota_lowered", raised: "quota_raised" },
  {
    sentence: /(?:trial (?:account )?(?:has|credits,)|credits of a trial:?) (\d+(?:\.\d+)?)/,
    lowered: "trial_constant_lowered",
    raised: "trial_constant_raised",
  },
  {
    sentence: /trial (?:key |account )?is valid for (\d+) days/,
    lowered: "trial_constant_lowered",
    raised: "trial_constant_raised",
  },
  {
    sentence: /code of (\d+) digits|(\d+)-digit code/,
    lowered: "claim_constant_changed",
    raised: "claim_constant_changed",
  },
];

/** The kind of a change of wording in which only a constant differs; undefined for any other change. */
function constantChange(old: string, now: string): { kind: Kind } | undefined {
  const withoutNumbers = (text: string): string => text.replace(/\d+(?:\.\d+)?/g, "#");
  if (withoutNumbers(old) !== withoutNumbers(now)) return undefined;
  for (const { sentence, lowered, raised } of constants) {
    const [was, is] = [numberIn(sentence, old), numberIn(sentence, now)];
    if (was === undefined || is === undefined || was === is) continue;
    return { kind: is < was ? lowered : raised };
  }
  return undefined;
}

function numberIn(sentence: RegExp, text: string): number | undefined {
  const found = sentence
    .exec(text)
    ?.slice(1)
    .find((group) => group !== undefined);
  return found === undefined ? undefined : Number(found);
}
