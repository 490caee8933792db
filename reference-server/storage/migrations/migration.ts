import type { Dialect } from "../connection.ts";

/**
 * One step of the schema, as statements. A published step never changes and reads nothing of today's code; a change of
 * the schema is a new step.
 */
export interface Migration {
  name: string;
  statements(dialect: Dialect): readonly string[];
}
