import { onAnswers, onPath, variationsOf } from "../../changes/mutant.ts";

/** What the contract leaves open about credentials and their refusal. */
export const variations = variationsOf({
  "Token verification response: fields not shown": {
    "echoes the token that it was asked to verify": onPath("verifyToken", "data", (data, { headers }) => ({
      ...(data as object),
      token: headers.authorization?.replace(/^Bearer /, ""),
    })),
  },
  "Errors: 401 is 'Invalid API key'; headers beside those listed are open": {
    "names its bearer scheme in WWW-Authenticate, with a realm and an error": onAnswers(
      (_, answer) => answer.status === 401,
      (answer) => ({
        ...answer,
        headers: { ...answer.headers, "www-authenticate": 'Bearer realm="api", error="invalid_token"' },
      }),
    ),
  },
  "Error object: status and message, optionally status_code and data": {
    "refuses a credential with only the status and message of the error object": onAnswers(
      (request, answer) => answer.status === 401 && request.operation !== "discover",
      (answer) => ({ ...answer, body: JSON.stringify({ status: "failure", message: "Unauthorized" }) }),
    ),
  },
});
