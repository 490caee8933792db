import type { OperationId } from "../../../generated/contract.ts";
import { together, type Change } from "../../changes/mutant.ts";
import type { WireAnswer, WireRequest } from "../../changes/wire.ts";
import { isJson, rewritten, type Edit } from "./body.ts";

/** What a point changes; two points that change the same aspect of one place exclude each other. */
export type Aspect = "value" | "members" | "order" | "text" | "white space" | "header" | "rows" | "behaviour";

/** One lawful difference from the reference server. */
export interface Point {
  id: string;
  /** How a place differs, whatever the place. */
  way: string;
  /** The words of the contract, or of a standard that it builds on, that leave this free. */
  permittedBy: string;
  aspect: Aspect;
  /** Null for every operation. */
  operation: OperationId | null;
  /** Where: the status and path of a value, the name of a header. */
  at: string;
  /** Changes a value of a JSON body. */
  edit?: Edit;
  /** The same change where another operation shows the same. */
  also?: { operation: OperationId; edit: Edit };
  /** Changes the text of the body. */
  body?: (body: string, answer: WireAnswer) => string;
  /** Changes the headers, by names in lower case. */
  headers?: (headers: WireAnswer["headers"], answer: WireAnswer) => WireAnswer["headers"];
  /** Changes what the server does. */
  behaviour?: Change;
}

/** The reference server with some points together. */
export function lawfulChange(points: readonly Point[]): Change {
  const behaviours = points.flatMap(({ behaviour }) => behaviour ?? []);
  const wire = { wire: wireOf(points) };
  return behaviours.length === 0 ? wire : together(...behaviours, wire);
}

/** Whether a server can have only one of two points: they change the same, or one replaces a value around the other. */
export function excludes(one: Point, other: Point): boolean {
  if (one.operation !== other.operation && one.operation !== null && other.operation !== null) return false;
  return (one.aspect === other.aspect && one.at === other.at) || holds(one, other) || holds(other, one);
}

/** Whether one replaces a value that contains the other's place. */
const holds = (one: Point, other: Point): boolean =>
  one.aspect === "value" && (other.at === one.at || other.at.startsWith(`${one.at}.`)) && one !== other;

/** Changes bodies by their values, then their text, then the headers. */
function wireOf(points: readonly Point[]): (request: WireRequest, answer: WireAnswer) => WireAnswer {
  const all = points.flatMap((point) =>
    point.also === undefined ? [point] : [point, { ...point, ...point.also }],
  );
  const byOperation = Map.groupBy(all, ({ operation }) => operation);
  const everywhere = byOperation.get(null) ?? [];
  return (request, answer) => {
    const ofOperation = request.operation === null ? [] : (byOperation.get(request.operation) ?? []);
    const chosen = [...ofOperation, ...everywhere];
    if (chosen.length === 0) return answer;
    const edits = chosen.flatMap(({ edit }) => (edit?.status === answer.status ? edit : []));
    let body = edits.length > 0 && isJson(answer) ? rewritten(answer.body, edits, request) : answer.body;
    for (const point of chosen) body = point.body?.(body, answer) ?? body;
    const headers = chosen.reduce(
      (changed, point) => point.headers?.(changed, answer) ?? changed,
      answer.headers,
    );
    return body === answer.body && headers === answer.headers ? answer : { ...answer, headers, body };
  };
}
