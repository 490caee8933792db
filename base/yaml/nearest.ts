/** The edit distance between two short texts. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/** The known name closest to a mistyped one; undefined if none is close. */
function nearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > 64) return undefined;
  let best: string | undefined;
  let least = Math.min(3, Math.max(1, Math.floor(name.length / 2))) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const edits = distance(name.toLowerCase(), candidate.toLowerCase());
    if (edits >= least) continue;
    best = candidate;
    least = edits;
  }
  return best;
}

/** ` Did you mean "x"?` with its leading space, or an empty string. */
export function suggestion(name: string, known: Iterable<string>): string {
  const meant = nearest(name, known);
  return meant === undefined ? "" : ` Did you mean "${meant}"?`;
}
