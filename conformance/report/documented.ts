import { stepsOf, valueAt } from "../../base/data.ts";
import { documentFile } from "../../base/pinned.ts";
import { readFileSync } from "node:fs";
import type { OperationId } from "../../generated/contract.ts";

/** Something that the spec documents and a run can observe. */
export interface Point {
  kind: "status" | "header" | "value";
  /** `discover 200`, `discover 429 Retry-After` or `charge_outcome charged`. */
  name: string;
}

/** The schemas whose values are counted individually, with the fields that carry them. */
export const countedValues = {
  ChargeOutcome: "charge_outcome",
  ReasonCode: "reason_code",
  EventType: "event_type",
  EntryType: "entry_type",
} as const;

type Node = Record<string, unknown>;
interface Operation {
  operationId: OperationId;
  responses: Record<string, Node>;
}

/**
 * Every point of an OpenAPI document: each operation with each status and header of its answers, and the values of the
 * fields above. Parts marked `x-open` bind no server and are not counted.
 */
export function pointsOf(document: Node): Point[] {
  const resolved = (node: Node): Node => {
    const { $ref: reference } = node;
    return typeof reference === "string" ? (valueAt(document, stepsOf(reference)) as Node) : node;
  };
  const points: Point[] = [];
  for (const path of Object.values(document["paths"] as Record<string, Record<string, Operation>>)) {
    for (const { operationId, responses } of Object.values(path)) {
      for (const [status, written] of Object.entries(responses)) {
        const response = resolved(written);
        if (written["x-open"] === true || response["x-open"] === true) continue;
        points.push({ kind: "status", name: `${operationId} ${status}` });
        for (const [header, node] of Object.entries((response["headers"] ?? {}) as Record<string, Node>)) {
          if (node["x-open"] === true || resolved(node)["x-open"] === true) continue;
          points.push({ kind: "header", name: `${operationId} ${status} ${header}` });
        }
      }
    }
  }
  const { schemas } = document["components"] as { schemas: Record<string, { enum: string[] }> };
  for (const [schema, field] of Object.entries(countedValues)) {
    for (const value of schemas[schema]!.enum) points.push({ kind: "value", name: `${field} ${value}` });
  }
  return points;
}

/** The points of the contract's own spec, in document order. */
export const documented: readonly Point[] = pointsOf(
  JSON.parse(readFileSync(documentFile(), "utf8")) as Node,
);
