import { parentPort } from "node:worker_threads";
import type { Job } from "./projecting.ts";
import { Budget, compile } from "./selection.ts";

/**
 * Evaluates the expressions of each job in turn and reports each value when it is found; null for too large a
 * selection.
 */
parentPort!.on("message", ({ content, expressions, characters }: Job) => {
  const value: unknown = JSON.parse(content);
  const budget = new Budget(characters);
  for (const expression of expressions) {
    let found: string | null = null;
    try {
      found = JSON.stringify(budget.select(compile(expression), value));
    } catch {
      // The selection is too large.
    }
    parentPort!.postMessage(found);
  }
});
parentPort!.postMessage("ready");
