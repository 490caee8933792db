import { exportPoints } from "./exports.ts";
import { fieldPoints } from "./fields.ts";
import { httpPoints } from "./http.ts";
import type { Point } from "./point.ts";

export { excludes, lawfulChange, type Point } from "./point.ts";

/** Every lawful difference that follows from the spec, from HTTP and from JSON: none may turn a check red. */
export const points: readonly Point[] = [...fieldPoints, ...httpPoints, ...exportPoints];
