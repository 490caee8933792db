/** A site to judge, and the checks that reach it. */
export interface Reached {
  id: string;
  number: number;
  file: string;
  checks: readonly string[];
}

/** Sites that are broken together in one server. */
const maxTogether = 8;

/**
 * Puts sites in groups of one per file, so that no mutant of a group is in the code that another one changes. Sites
 * that many checks reach share groups, since a group runs the checks of all its sites.
 */
export function grouped(sites: readonly Reached[]): Reached[][] {
  const groups: Reached[][] = [];
  for (const site of [...sites].sort((one, other) => other.checks.length - one.checks.length)) {
    const free = groups.find(
      (group) => group.length < maxTogether && group.every(({ file }) => file !== site.file),
    );
    if (free) free.push(site);
    else groups.push([site]);
  }
  return groups;
}
