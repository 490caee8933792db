const maxMembers = 3;
const maxCharacters = 300;
const maxText = 2000;

/** A body as an example shows it: parsed if it is JSON, with long lists and texts truncated. */
export function shortened(body: string): unknown {
  try {
    const value = inside(JSON.parse(body) as unknown);
    const text = JSON.stringify(value);
    return text.length <= maxText ? value : inside(value, 1, 80);
  } catch {
    return cut(body, maxText);
  }
}

/** A JSON value with lists and texts within the limits; a truncated list ends in a text that says so. */
function inside(value: unknown, members = maxMembers, characters = maxCharacters): unknown {
  if (typeof value === "string") return cut(value, characters);
  if (Array.isArray(value)) {
    const shown = value.slice(0, members).map((member) => inside(member, members, characters));
    const rest = value.length - shown.length;
    return rest > 0 ? [...shown, `… ${rest} more`] : shown;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, inside(member, members, characters)]),
  );
}

const cut = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max)}…`);
