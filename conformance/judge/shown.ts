/** Depth to which a value is shown. */
const levelsShown = 50;

/** A value as a failure shows it: JSON, truncated in length and depth. */
export function shown(value: unknown): string {
  return excerpt(JSON.stringify(cut(value, levelsShown)) ?? "nothing");
}

/** The value with an ellipsis in place of anything below the depth. */
function cut(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return "…";
  if (Array.isArray(value)) return value.map((member: unknown) => cut(member, levels - 1));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cut(member, levels - 1)]));
}

/** A text as a failure shows it. */
export function excerpt(text: string): string {
  if (text === "") return "an empty body";
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length} characters)` : text;
}
