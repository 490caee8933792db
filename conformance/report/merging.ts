import type { Exchange } from "../judge/exchange.ts";
import type { Finding } from "../judge/finding.ts";
import { everywhere, isGeneral, wordsOf } from "./reasons.ts";
import {
  culpritOf,
  fieldOf,
  isRule,
  lackingOf,
  lastName,
  mentions,
  namesOf,
  pathOf,
  placeOf,
  receivedTheSame,
} from "./about.ts";

/** Joins what is wrong in the same way at many operations; for one refusal instead of another, two are enough. */
export function mergeEverywhere(groups: Map<string, Finding[]>): void {
  const bySentence = Map.groupBy(
    [...groups.keys()].filter((key) => key.startsWith("clause ")),
    (key) => wordsOf(groups.get(key)![0]!),
  );
  for (const [words, keys] of bySentence)
    if (words !== undefined && new Set(keys.map(lastWord)).size >= everywhere) join(groups, keys[0]!, keys);
  const alike = Map.groupBy(
    [...groups.keys()].filter((key) => /^(status|clause) /.test(key)),
    (key) => key.slice(0, key.lastIndexOf(" ")),
  );
  for (const [key, keys] of alike) {
    if (keys.length < (/^status [4-5].*, not [4-5]/.test(key) ? 2 : everywhere)) continue;
    join(groups, key, keys);
    const [, wanted, received] = /^status (.*), not (\d+)$/.exec(key) ?? [];
    if (received === undefined) continue;
    // A rule about an answer with a refusing status, which should not be there.
    const isOfReceived = (finding: Finding): boolean =>
      isRule(finding) && culpritOf(finding)?.response?.status === Number(received);
    const entails = (other: string): boolean =>
      new RegExp(`^status .*\\b(${wanted!.replaceAll(" or ", "|")})\\b.*, not ${received} `).test(other) ||
      (other.startsWith("clause ") && Number(received) >= 400 && groups.get(other)!.every(isOfReceived));
    join(groups, key, [key, ...[...groups.keys()].filter((other) => other !== key && entails(other))]);
  }
}

const receivedOf = ({ fact }: Finding): unknown => fact?.received;

/** Joins the fields that one object lacks, and what several clauses and checks say of one value. */
export function mergeFields(groups: Map<string, Finding[]>): void {
  const shown = (key: string): Finding =>
    groups.get(key)!.find((finding) => fieldOf(finding) !== null) ?? groups.get(key)![0]!;
  const valueOf = (finding: Finding): string =>
    `${placeOf(culpritOf(finding))}: ${pathOf(finding)}`.replace(/\.\d+\b/g, "");
  const keys = [...groups.keys()].filter((key) => key.startsWith("clause ") && pathOf(shown(key)));
  const byRule = new Map(
    keys
      .map(shown)
      .flatMap((finding) =>
        fieldOf(finding) ? [[valueOf(finding), lackingOf(finding) ?? valueOf(finding)]] : [],
      ),
  );
  const lacking = new Set(byRule.values());
  const subjectOf = (key: string): string => {
    const value = valueOf(shown(key));
    return (
      byRule.get(value) ?? (lacking.has(value) ? value : `${value} ${JSON.stringify(receivedOf(shown(key)))}`)
    );
  };
  for (const alike of Map.groupBy(keys, subjectOf).values())
    if (alike.length > 1) join(groups, alike[0]!, alike);
  // A check of another operation that has read the value, or one of the same answer that met it.
  for (const [key, group] of groups) {
    const [finding] = group as [Finding];
    const { exchanges } = finding;
    if (!key.startsWith("clause ") || fieldOf(finding) !== null || pathOf(finding) !== undefined) continue;
    const of = keys.find((one) => {
      // Undefined where it has been joined to another.
      const read = groups.get(one)?.[0];
      if (one === key || read === undefined) return false;
      const name = lastName(pathOf(read) ?? "");
      const isRead = ({ operation }: Exchange): boolean => operation === culpritOf(read)?.operation;
      const isHere = placeOf(culpritOf(read)) === placeOf(culpritOf(finding));
      if (isRule(finding)) return isHere && !isGeneral(finding) && namesOf(finding)[0] === name;
      if (isHere && receivedTheSame(read, finding)) return true;
      return name?.includes("_") && mentions(namesOf(finding), name) && exchanges.some(isRead);
    });
    if (of !== undefined) join(groups, of, [of, key]);
  }
}

const join = (groups: Map<string, Finding[]>, key: string, keys: readonly string[]): void => {
  const joined = keys.flatMap((key) => groups.get(key)!);
  for (const key of keys) groups.delete(key);
  groups.set(key, joined);
};

const lastWord = (key: string): string => key.slice(key.lastIndexOf(" ") + 1);
