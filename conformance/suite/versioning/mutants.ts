import { mutantsOf, onAnswers, onHeaders } from "../../changes/mutant.ts";
import type { WireAnswer, WireRequest } from "../../changes/wire.ts";

const header = "x-service-api-version";

/** Omits the version from some answers. */
const unversioned = (chooses: (request: WireRequest, answer: WireAnswer) => boolean) =>
  onHeaders(chooses, { [header]: undefined });

export const mutants = mutantsOf({
  "VERS-01": {
    "leaves the revision out of the version of the credits": onHeaders(
      ({ operation }) => operation === "getCredits",
      { [header]: "2026-09-12" },
    ),
  },
  "VERS-02": {
    "does not know the version yet when it refuses a key": unversioned((_, { status }) => status === 401),
  },
  "VERS-03": { "leaves the version out of a 422": unversioned((_, { status }) => status === 422) },
  "VERS-04": { "leaves the version out of a 429": unversioned((_, { status }) => status === 429) },
  "VERS-05": {
    "leaves the version out where the body is no JSON": unversioned((_, { body }) =>
      body.includes("json_invalid"),
    ),
  },
  "VERS-06": {
    "leaves the version out of what no operation answers": unversioned(
      ({ operation }, { status }) => operation === null && status === 404,
    ),
    "leaves the version out of a 405": unversioned((_, { status }) => status === 405),
    "leaves the version to the operations: OPTIONS is answered before them": onAnswers(
      ({ method }) => method === "OPTIONS",
      () => ({ status: 204, headers: { "access-control-allow-origin": "*" }, body: "" }),
    ),
    "leaves the version out where a body is not asked for": unversioned(({ method }) => method === "HEAD"),
    "leads a path with a slash at its end elsewhere, without the version": onAnswers(
      ({ path }) => path.endsWith("/"),
      () => ({ status: 307, headers: { location: "/api/v1/search" }, body: "" }),
    ),
    "leaves the version out where a path cannot be read": unversioned(({ path }) => path.includes("%E0")),
    "leaves the version out where a body is too large": unversioned((_, { status }) => status === 413),
    "leaves the version out where a body is coded in an unknown way": unversioned(
      (_, { status }) => status === 415,
    ),
    "breaks down over refused Calls, and leaves the version out": onAnswers(
      ({ operation }, { status }) => operation === "call" && status === 422,
      ({ headers: { [header]: _, ...headers }, body }) => ({ status: 500, headers, body }),
    ),
  },
  "VERS-07": { "leaves the version out of a 400": unversioned((_, { status }) => status === 400) },
  "VERS-08": { "leaves the version out of a 402": unversioned((_, { status }) => status === 402) },
  "VERS-09": {
    "leaves the version out where a tool is not found": unversioned(
      ({ operation }, { status }) => operation === "probe" && status === 404,
    ),
  },
  "VERS-10": {
    "leaves the version out of the ledger's CSV": unversioned(
      ({ operation }, { status }) => operation === "exportLedger" && status === 200,
    ),
  },
  "VERS-14": { "leaves the version out of a 403": unversioned((_, { status }) => status === 403) },
});
