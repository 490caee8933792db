/** A JSON object with arbitrary fields. */
export type JsonObject = Record<string, unknown>;

/** The JSON object in a column; null if there is none. The writer stores only objects. */
export const parsedObject = <Value extends object>(text: string | null | undefined): Value | null =>
  text ? (JSON.parse(text) as Value) : null;
