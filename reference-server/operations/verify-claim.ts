import { Invalid } from "../http/errors.ts";
import { success, type Operation } from "../http/operation.ts";

/** Makes a trial a formal account with the mailed code; its key stays valid (contract: Anonymous trial and claim). */
export const verifyClaim: Operation<"verifyClaim"> = async ({ body }, { claims }) => {
  const verified = await claims.verify(body.claim_code, body.email, body.code);
  if (verified.status === "refused") {
    throw new Invalid([{ loc: ["body", verified.field], msg: verified.reason, type: "claim_refused" }]);
  }
  const { account } = verified;
  return {
    status: 200,
    body: success(
      { account_id: account.id, account_type: "local" as const, email: account.email ?? body.email },
      "The trial is now a formal account. Its API key stays active.",
    ),
  };
};
