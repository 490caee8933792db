import { mutantsOf, onHeaders } from "../../changes/mutant.ts";
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
  },
});
