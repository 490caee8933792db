import vm from "node:vm";
import type { Expression, Outcomes } from "./projection.ts";
import { evaluateApart } from "./projecting.ts";
import { Budget } from "./selection.ts";

/** A projection selects at most the size of the content, or this many characters of JSON if that is less. */
const leastBudget = 1_048_576;
/** How long a projection may block the event loop; a longer one is evaluated in a thread. */
const quickMs = 10;

/**
 * Applies the expressions to the content. The result has one key for each, with the single value (null if there is
 * none), or a list of values for an expression that can select several. `unfinished` names the expressions that
 * exceeded a limit; their value is null, since the Call has already been made.
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

/** Evaluates the expressions in turn until the time is up. */
function evaluateQuickly(content: unknown, expressions: readonly Expression[], budget: Budget): Outcomes {
  const outcomes: Outcomes = new Map();
  try {
    within(quickMs, () => {
      for (const expression of expressions) {
        let outcome: { value: unknown } | null = null;
        try {
          outcome = { value: budget.select(expression.query, content) };
        } catch {
          // The selection is too large.
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

/** Runs one of this server's functions with a time limit, which also interrupts regular expressions. It is not a sandbox. */
function within(milliseconds: number, run: () => void): void {
  sandbox ??= vm.createContext({});
  sandbox.run = run;
  try {
    script.runInContext(sandbox, { timeout: milliseconds });
  } finally {
    sandbox.run = undefined;
  }
}
