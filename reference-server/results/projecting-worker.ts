import { parentPort } from "node:worker_threads";
import type { Job } from "./projecting.ts";
import { Budget, compile } from "./selection.ts";

/** Evaluates the expressions of one job after the other, and says each value as it is found; null for too much. */
parentPort!.on("message", ({ content, expressions, characters }: Job) => {
  const value: unknown = JSON.parse(content);
  const budget = new Budget(characters);
  for (const expression of expressions) {
    let found: string | null = null;
    try {
      found = JSON.stringify(budget.select(compile(expression), value));
    } catch {
      // Too much was selected.
    }
    parentPort!.postMessage(found);
  }
});
parentPort!.postMessage("ready");
