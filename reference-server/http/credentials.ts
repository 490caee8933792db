import type { Accounts, Caller } from "../parts.ts";
import { Unauthorized } from "./errors.ts";
import type { OperationId } from "./operation.ts";

/** The operations that a delegation token permits (contract: Authentication 5). */
const delegable: ReadonlySet<OperationId> = new Set<OperationId>(["queryCapability", "getCapability"]);

/**
 * Extracts the token of an `Authorization: Bearer <token>` header.
 * @throws Unauthorized if the header is missing or has another form
 */
export function bearerToken(authorization: string | undefined): string {
  if (authorization === undefined) {
    throw new Unauthorized("A credential is needed: send `Authorization: Bearer <API_KEY>`.");
  }
  const token = /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(authorization)?.[1];
  if (token === undefined) {
    throw new Unauthorized("The Authorization header is malformed: it must be `Bearer <API_KEY>`.");
  }
  return token;
}

/**
 * Authenticates the caller of an operation.
 * @throws Unauthorized if the credential is missing, malformed, expired, unknown, or not permitted for the operation
 */
export async function authenticate(
  accounts: Accounts,
  authorization: string | undefined,
  operation: OperationId,
): Promise<Caller> {
  const caller = await accounts.authenticate(bearerToken(authorization));
  if ("refused" in caller) throw new Unauthorized(caller.refused);
  if (caller.credential.delegation !== null && !delegable.has(operation)) {
    throw new Unauthorized("A delegation token opens capability query and capability detail only.");
  }
  return caller;
}
