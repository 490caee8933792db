import type { Response } from "express";
import { responseHeaders } from "../../generated/contract.ts";
import type { Config, Quotas } from "../config.ts";
import type { Limiter } from "../parts.ts";
import { RateLimited } from "./errors.ts";

/** The account or client address that a request counts against; all keys of an account count together. */
export type Limited = { accountId: string } | { address: string };

/**
 * Counts one request and sets the four rate-limit headers on its answer, whatever the outcome. `Retry-After` is 0 while
 * requests remain.
 * @throws RateLimited if the window is used up
 */
export async function takeFromWindow(
  limiter: Limiter,
  { quotas, windowSeconds }: Config,
  quota: keyof Quotas,
  whom: Limited,
  response: Response,
): Promise<void> {
  const bucket = "accountId" in whom ? `account:${whom.accountId}` : `address:${whom.address}`;
  const allowance = await limiter.take(`${quota}:${bucket}`, quotas[quota]);
  response.setHeader(responseHeaders.rateLimitLimit, String(allowance.limit));
  response.setHeader(responseHeaders.rateLimitRemaining, String(allowance.remaining));
  response.setHeader(responseHeaders.rateLimitReset, String(allowance.reset));
  response.setHeader(responseHeaders.retryAfter, String(allowance.remaining > 0 ? 0 : allowance.retryAfter));
  if (!allowance.allowed) throw new RateLimited(allowance.limit, windowSeconds, allowance.retryAfter);
}
