import type { Knex } from "knex";
import { kept } from "../../base/data.ts";
import type { ToolStatsRow } from "../records.ts";
import { gathered, padded } from "./gathered.ts";
import { marks, readRows } from "./reader.ts";

/** A tool's quality signals (contract: Capability result, `stats`). */
export interface ToolStats {
  avg_execution_time_ms: number;
  /** 0 to 1. */
  success_rate: number;
}

/** The signals of those given tools that have been executed, by tool id. */
export async function readToolStats(
  database: Knex,
  toolIds: readonly string[],
): Promise<ReadonlyMap<string, ToolStats>> {
  if (toolIds.length === 0) return new Map();
  return kept(readers, database, () => gathered((ids) => readSums(database, ids)))(toolIds);
}

/** The gathered reads of each database. */
const readers = new WeakMap<Knex, ReturnType<typeof gathered<ToolStats>>>();

async function readSums(database: Knex, toolIds: readonly string[]): Promise<Map<string, ToolStats>> {
  const bindings = padded(toolIds);
  // On Postgres a tool has several rows.
  const rows = await readRows<ToolStatsRow>(
    database,
    `SELECT tool_id, sum(executions) AS executions, sum(successes) AS successes,
        sum(total_duration_ms) AS total_duration_ms
      FROM tool_stats WHERE tool_id IN (${marks(bindings.length)}) GROUP BY tool_id`,
    bindings,
  );
  return new Map(
    rows
      .map(
        (row) => [row.tool_id, Number(row.executions), Number(row.successes), row.total_duration_ms] as const,
      )
      .filter(([, executions]) => executions > 0)
      .map(([toolId, executions, successes, totalMs]) => [
        toolId,
        {
          avg_execution_time_ms: Math.round((totalMs / executions) * 10) / 10,
          success_rate: successes / executions,
        },
      ]),
  );
}
