import { newExecutionId, type Sources } from "../ids.ts";
import { OutcomeUnknown, Unavailable } from "../storage/connection.ts";
import { CannotServe, HttpError, Invalid } from "./errors.ts";
import { failure, type OperationId } from "./operation.ts";

/** The failure marker used as `search_id` in Discover's failure body. */
export const failedSearchId = "srch_failed";

/**
 * The body of a refusal, in the shape of the operation that refused. It is the error object, but a 422 lists its
 * issues, Call's 422 is a Call body, and Discover's failures double as its own failure body. A Call body has an
 * execution id, since clients' models require one; the id of a refusal is never found in the audit.
 */
export function refusalBody(error: HttpError, operation: OperationId | null, sources: Sources): object {
  if (error instanceof Invalid) {
    if (operation !== "call") return { detail: error.issues };
    const executionId = newExecutionId(sources);
    return {
      execution_id: executionId,
      success: false,
      error_message: error.message,
      result: null,
      details: error.issues,
    };
  }
  const body = failure(error.status, error.message);
  if (operation === "discover" && error.status === 401) {
    return { ...body, search_id: failedSearchId, total: 0, results: [], error_message: error.message };
  }
  return body;
}

const unavailable =
  "The server cannot reach its database at present. Nothing was charged. Try again in a few seconds.";
const outcomeUnknown =
  "The server lost its database while it wrote: what you asked may have been done, or not. " +
  "See the usage audit before you ask again.";

/** Translates an error of the libraries below to the contract's terms; undefined for an unexpected one. */
export function asHttpError(error: unknown): HttpError | undefined {
  if (error instanceof HttpError) return error;
  if (error instanceof OutcomeUnknown) return new CannotServe(outcomeUnknown);
  if (error instanceof Unavailable) return new CannotServe(unavailable);
  return isLibraryError(error) && error.status >= 400 && error.status < 500
    ? new HttpError(error.status, error.message)
    : undefined;
}

interface LibraryError {
  status: number;
  message: string;
}

const isLibraryError = (error: unknown): error is LibraryError =>
  error instanceof Error && "status" in error && typeof error.status === "number";
