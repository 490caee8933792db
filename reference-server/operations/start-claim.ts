import { MailNotSent } from "../accounts/claim.ts";
import { HttpError, Invalid } from "../http/errors.ts";
import { success, type Operation } from "../http/operation.ts";

/**
 * Mails a six-digit code to the claimant of a trial, unless the risk check blocks it (contract: Anonymous trial and
 * claim).
 */
export const startClaim: Operation<"startClaim"> = async ({ body }, { claims, log }) => {
  const started = await claims.start(body.claim_code, body.email).catch((error: unknown) => {
    if (!(error instanceof MailNotSent)) throw error;
    log.error({ error: error.cause }, "a code could not be mailed");
    throw new HttpError(503, "The code could not be mailed. Try again in a minute.", { "Retry-After": "60" });
  });
  switch (started.status) {
    case "refused":
      throw new Invalid([{ loc: ["body", started.field], msg: started.reason, type: "claim_refused" }]);
    case "blocked":
      return {
        status: 200,
        body: success(
          { claim_status: "blocked" as const, reason: started.reason },
          "The claim cannot go on.",
        ),
      };
    case "code_sent":
      return {
        status: 200,
        body: success(
          {
            claim_status: "code_sent" as const,
            email_masked: started.emailMasked,
            code_expires_at: new Date(started.codeExpiresAt).toISOString(),
          },
          "A 6-digit code is on its way by e-mail.",
        ),
      };
  }
};
