import { onAnswers, onPath, variation, type Variation } from "../../proof/mutant.ts";

/** What the contract leaves open about credentials and their refusal. */
export const variations: readonly Variation[] = [
  variation(
    "echoes the token that it was sent to verify",
    "Token verification response: fields not shown",
    onPath("verifyToken", "data", (data, { headers }) => ({
      ...(data as object),
      token: headers.authorization?.replace(/^Bearer /, ""),
    })),
  ),
  variation(
    "names its bearer scheme in WWW-Authenticate, with a realm and an error",
    "Errors: 401 is 'Invalid API key'; headers beside those listed are open",
    onAnswers(
      (_, answer) => answer.status === 401,
      (answer) => ({
        ...answer,
        headers: { ...answer.headers, "www-authenticate": 'Bearer realm="api", error="invalid_token"' },
      }),
    ),
  ),
  variation(
    "refuses a credential without saying more than the error object's two members",
    "Error object: status and message, optionally status_code and data",
    onAnswers(
      (request, answer) => answer.status === 401 && request.operation !== "discover",
      (answer) => ({ ...answer, body: JSON.stringify({ status: "failure", message: "Unauthorized" }) }),
    ),
  ),
];
