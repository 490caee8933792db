import { mutantsOf, onHeaders, onStatus } from "../../changes/mutant.ts";
import type { WireAnswer, WireRequest } from "../../changes/wire.ts";

const header = "x-service-api-version";

/** Omits the version from some answers. */
const unversioned = (chooses: (request: WireRequest, answer: WireAnswer) => boolean) =>
  onHeaders(chooses, { [header]: undefined });

export const mutants = mutantsOf({
  "VERS-06": {
    "leaves the version out of a 404 for an unknown path": unversioned(
      ({ operation }, { status }) => operation === null && status === 404,
    ),
    "has a gateway before it whose page for a 504 does not name the version": onStatus(
      "getUsageEvent",
      404,
      () => ({
        status: 504,
        headers: { "content-type": "text/html" },
        body: "<html><h1>504 Gateway Time-out</h1></html>",
      }),
    ),
  },
});
