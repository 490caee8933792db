import { limitedOperations, responseHeaders } from "../../../generated/contract.ts";
import { observe, type Observer } from "../../judge/observer.ts";

const limit = responseHeaders.rateLimitLimit.toLowerCase();
const retryAfter = responseHeaders.retryAfter.toLowerCase();

export const observers: readonly Observer[] = [
  observe("R-142", limitedOperations, ({ status, headers }) =>
    status === 200 || status === 429 ? null : headers[limit] === undefined ? "some" : "all",
  ),
  observe("R-143", limitedOperations, ({ status, headers }) => {
    if (status !== 200) return null;
    const value = headers[retryAfter];
    return value === undefined ? "absent" : value === "0" ? "zero" : null;
  }),
];
