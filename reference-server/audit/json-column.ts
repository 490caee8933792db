/** A JSON object of any fields. */
export type JsonObject = Record<string, unknown>;

/** The JSON object that a column holds; null where it holds none. The writer stores objects only. */
export const parsedObject = <Value extends object>(text: string | null | undefined): Value | null =>
  text ? (JSON.parse(text) as Value) : null;
