import { isObject } from "../base/data.ts";
import type { Answer, Request, Sent } from "./engine/request.ts";

/** What a request may end in, as it was meant: a status, or a success that says in its body that the work failed. */
export type Wanted = number | "failure";

/**
 * Whether an answer is what its request was sent for: a status of success whose body does not say that the work failed,
 * unless the request wants something else.
 */
export function isExpected({ request, answer }: Sent<Request & { wants?: readonly Wanted[] }>): boolean {
  if (answer instanceof Error) return false;
  const { wants } = request;
  const isSuccess = answer.status >= 200 && answer.status < 300;
  if (!isSuccess || wants?.includes("failure")) return isSuccess || (wants?.includes(answer.status) ?? false);
  return !saysFailure(answer);
}

/** Where a body may say that the work failed; most do not, and parsing all of them would cost as much as judging. */
const mayFail = /"success"\s*:\s*false|"status"\s*:\s*"failure"|"error(?:_message)?"\s*:\s*"/;

/** Whether a body says that the work failed, as a Call of a tool that gave nothing, or a Discover without credits. */
function saysFailure({ body }: Answer): boolean {
  if (!mayFail.test(body)) return false;
  const said = parsed(body);
  if (!isObject(said)) return false;
  const { success, status, error, error_message: message } = said as Record<string, unknown>;
  if (success === false || status === "failure") return true;
  return success !== true && [error, message].some((text) => typeof text === "string" && text !== "");
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
