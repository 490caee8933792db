/** The numbers of a version such as `2026-01-31.2`, `v2`, `1.2.3-beta.1`, and its prerelease part. */
function partsOf(version: string): { numbers: number[]; early: string } | null {
  const match = /^v?(\d+(?:[.-]\d+)*)(?:[.-]?([a-z][\w.-]*))?(?:\+.*)?$/i.exec(version.trim());
  return match === null ? null : { numbers: match[1]!.split(/[.-]/).map(Number), early: match[2] ?? "" };
}

/** Negative if the first version is earlier; 0 if they are equal or cannot be ordered. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [partsOf(one), partsOf(other)];
  if (first === null || second === null) return 0;
  for (let index = 0; index < Math.max(first.numbers.length, second.numbers.length); index += 1) {
    const difference = (first.numbers[index] ?? 0) - (second.numbers[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (first.early === "" || second.early === "")
    return first.early === second.early ? 0 : first.early === "" ? 1 : -1;
  return first.early.localeCompare(second.early, "en", { numeric: true });
}
