import { jsonOf, type Exchange } from "../../judge/exchange.ts";
import type { Fact } from "../../judge/fact.ts";
import type { Steps } from "./steps.ts";

/**
 * The steps whose responses a reader compares with the last one: those that show what it should show, or, where no response
 * does, the balances before and after, and what each other read showed last.
 */
export function evidenceOf({ expected, place }: Fact, steps: Steps): Exchange[] {
  const before = steps.slice(0, -1);
  const right = "credits" in expected ? expected.credits : "value" in expected ? expected.value : undefined;
  const source = before.findLast((step) => isTelling(right) && holds(jsonOf(step), right));
  if (source !== undefined) return [source];
  if (place !== null && typeof right !== "number") return [];
  const last = new Map(before.map((step) => [`${step.account} ${step.operation}`, step]));
  return before.filter(
    (step) => holdsBalance(step) || (step.request.method === "GET" && [...last.values()].includes(step)),
  );
}

/** Whether a value is not everywhere: a number that is not 0, an id. */
const isTelling = (value: unknown): boolean =>
  typeof value === "number" ? value !== 0 : typeof value === "string" && /\d/.test(value);

/** Whether a body has a value. */
function holds(body: unknown, value: unknown): boolean {
  if (typeof body === "object" && body !== null)
    return Object.values(body).some((member) => holds(member, value));
  return typeof body === "number" && typeof value === "number"
    ? Math.abs(body - value) < 1e-9
    : body === value;
}

/** Whether a response says what an account has left. */
const holdsBalance = ({ operation, response }: Exchange): boolean =>
  operation === "getCredits" || /"remaining_credits":\s*-?\d/.test(response?.body ?? "");
