import vm from "node:vm";
import type { Expression } from "./projection.ts";
import { evaluateApart } from "./projecting.ts";
import { Budget } from "./selection.ts";

/** A projection selects at most as much as the content holds, or this many characters of JSON where that is less. */
const leastBudget = 1_048_576;
/** How long the event loop may wait for a projection; what takes longer is evaluated in a thread. */
const quickMs = 10;

/** What became of the expressions: the value of each that was evaluated, null for one that broke a bound. */
export type Outcomes = Map<Expression, { value: unknown } | null>;

/**
 * Applies the expressions to the content: one key for each, with the single value (null where there is none), or
 * the list of values of an expression that can select several.
 * `unfinished` names the expressions that broke a bound; their value is null, since the Call was already made.
 */
export async function project(
  content: unknown,
  expressions: readonly Expression[],
): Promise<{ data: Record<string, unknown>; unfinished: string[] }> {
  const text = JSON.stringify(content);
  const budget = new Budget(Math.max(leastBudget, text.length));
  const outcomes = evaluateQuickly(content, expressions, budget);
  const slow = expressions.filter((expression) => !outcomes.has(expression));
  if (slow.length > 0) await evaluateApart(text, slow, budget.left, outcomes);
  return {
    data: Object.fromEntries(
      expressions.map((expression) => [expression.key, outcomes.get(expression)?.value ?? null]),
    ),
    unfinished: expressions.filter((expression) => !outcomes.get(expression)).map(({ text }) => text),
  };
}

/** Evaluates one expression after the other until the time is over. */
function evaluateQuickly(content: unknown, expressions: readonly Expression[], budget: Budget): Outcomes {
  const outcomes: Outcomes = new Map();
  try {
    within(quickMs, () => {
      for (const expression of expressions) {
        let outcome: { value: unknown } | null = null;
        try {
          outcome = { value: budget.select(expression.query, content) };
        } catch {
          // Too much was selected.
        }
        outcomes.set(expression, outcome);
      }
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
  }
  return outcomes;
}

let sandbox: vm.Context | undefined;
const script = new vm.Script("run()");

/** Runs a function of ours with a limit of time, which also interrupts a regular expression. It isolates nothing. */
function within(milliseconds: number, run: () => void): void {
  sandbox ??= vm.createContext({});
  sandbox.run = run;
  try {
    script.runInContext(sandbox, { timeout: milliseconds });
  } finally {
    sandbox.run = undefined;
  }
}
