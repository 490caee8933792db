import type { Cause } from "./causes.ts";

/** A line of a profile that declares one operation as off. */
const feature = /^features: \{(.*)\}$/;

/** The causes that are operations which a profile can declare as off. */
export const missingOperations = (causes: readonly Cause[]): Cause[] =>
  causes.filter(({ declare }) => declare !== undefined && feature.test(declare));

/**
 * The part of a profile that declares operations as off, in lines.
 * @param words what is said of each, as a comment
 */
export function declaredOff(missing: readonly Cause[], words?: (cause: Cause) => string): string[] {
  const entries = missing.map(({ declare }) => feature.exec(declare!)![1]!);
  const width = Math.max(...entries.map(({ length }) => length));
  const comment = (cause: Cause): string => (words === undefined ? "" : `  # ${words(cause)}`);
  const lines = missing.map(
    (cause, index) => `  ${entries[index]!.padEnd(words ? width : 0)}${comment(cause)}`,
  );
  return ["features:", ...lines];
}
