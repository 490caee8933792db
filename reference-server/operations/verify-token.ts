import { bearerToken } from "../http/credentials.ts";
import { Unauthorized } from "../http/errors.ts";
import { success, type Operation } from "../http/operation.ts";

/**
 * Whether the JWT in `Authorization` is valid and unexpired (contract: Account endpoints). An expired token that this server issued is
 * reported as expired; an API key is a credential, but not a valid JWT; anything unrecognized gets 401.
 */
export const verifyToken: Operation<"verifyToken"> = async ({ headers }, { accounts, tokens }) => {
  const token = bearerToken(headers.authorization);
  const { valid, expired, payload } = await tokens.verify(token);
  if (payload === null) {
    const caller = await accounts.authenticate(token);
    if ("refused" in caller) throw new Unauthorized(caller.refused);
  }
  return {
    status: 200,
    body: success(
      { is_valid: valid, is_expired: expired, payload },
      valid ? "The token is valid." : expired ? "The token has expired." : "This is not a JWT.",
    ),
  };
};
