import { readdirSync } from "node:fs";
import { extname } from "node:path";
import { areaTitles, clauseIds, clauses } from "../../generated/clauses.ts";
import { needNames } from "../../generated/contract.ts";

/** The rooms of the suite, one for each area of spec/clauses, in the order of the contract. */
const areas = Object.keys(areaTitles);

const extension = extname(import.meta.url);

/**
 * Everything of one kind in the rooms: the export `name` of every file `KIND.ts` or `SUBJECT.KIND.ts` of every area.
 * @param kind the last part of the files' names, such as `checks`
 * @param name the array that each of them exports; by default the kind
 * @throws TypeError for a file of that kind without the export, or with a member that cites a clause of no version or
 * has an unknown need
 */
export async function found<Member>(kind: string, name = kind): Promise<readonly Member[]> {
  const ending = new RegExp(`^([a-z-]+\\.)?${kind}\\${extension}$`);
  const files = areas.flatMap((area) =>
    namesIn(area)
      .filter((file) => ending.test(file))
      .map((file) => `./${area}/${file}`),
  );
  const lists = await Promise.all(
    files.map(async (file) => {
      const module = (await import(file)) as Record<string, readonly Member[] | undefined>;
      const list = module[name];
      const place = `conformance/suite/${file.slice(2)}`;
      if (list === undefined) throw new TypeError(`${place} exports no ${name}`);
      for (const member of list) requireKnown(member, place);
      return list.flatMap(inForce);
    }),
  );
  return lists.flat();
}

const [everyClause, everyNeed] = [new Set<string>(clauseIds), new Set<string>(needNames)];

interface Named {
  id?: string;
  name?: string;
  clause?: string;
  clauses?: readonly string[];
  needs?: readonly string[];
}

/** @throws TypeError for a clause of no version, or an unknown need: unless refused, such a member judges nothing */
export function requireKnown(member: unknown, place: string): void {
  const {
    id,
    name,
    clause,
    clauses: cited = clause === undefined ? [] : [clause],
    needs = [],
  } = member as Named;
  const unheard = cited.find((clause) => !everyClause.has(clause) && !clause.startsWith("R-"));
  if (unheard !== undefined)
    throw new TypeError(`${place}: "${id ?? name}" cites ${unheard}, a clause of no version`);
  const need = needs.find((need) => !everyNeed.has(need));
  if (need !== undefined)
    throw new TypeError(`${place}: "${id ?? name}" needs ${need}; known needs: ${needNames.join(", ")}`);
}

const known = new Set<string>(clauses.map(({ id }) => id));

/** A member without the clauses that the judged version of the contract lacks; none if no clause is left. */
function inForce<Member>(member: Member): Member[] {
  if (typeof member !== "object" || member === null) return [member];
  if ("clause" in member && typeof member.clause === "string")
    return known.has(member.clause) ? [member] : [];
  if (!("clauses" in member) || !Array.isArray(member.clauses)) return [member];
  const clausesOf = (member.clauses as string[]).filter((id) => known.has(id));
  if (clausesOf.length === member.clauses.length) return [member];
  return clausesOf.length === 0 ? [] : [{ ...member, clauses: clausesOf }];
}

/** The files of an area's room, its main file first; none for an area without a room, which `npm run check` rejects. */
function namesIn(area: string): string[] {
  try {
    return readdirSync(new URL(`${area}/`, import.meta.url)).sort(
      (one, other) => dots(one) - dots(other) || (one < other ? -1 : 1),
    );
  } catch {
    return [];
  }
}

const dots = (file: string): number => file.split(".").length;
