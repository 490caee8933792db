import type { Knex } from "knex";
import type { ToolStatsRow } from "../records.ts";

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
  const rows = await database<ToolStatsRow>("tool_stats").whereIn("tool_id", [...toolIds]);
  // On Postgres a tool has several rows.
  const sums = new Map<string, ToolStatsRow>();
  for (const row of rows) {
    const sum = sums.get(row.tool_id);
    if (sum === undefined) {
      sums.set(row.tool_id, { ...row });
      continue;
    }
    sum.executions += row.executions;
    sum.successes += row.successes;
    sum.total_duration_ms += row.total_duration_ms;
  }
  return new Map(
    [...sums.values()]
      .filter(({ executions }) => executions > 0)
      .map(({ tool_id, executions, successes, total_duration_ms }) => [
        tool_id,
        {
          avg_execution_time_ms: Math.round((total_duration_ms / executions) * 10) / 10,
          success_rate: successes / executions,
        },
      ]),
  );
}
