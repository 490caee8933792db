import type { Change } from "../../changes/mutant.ts";

/** A server that has neither a usage audit nor a ledger yet. */
export const withoutAudit: Change = {
  profile: (profile) => ({
    ...profile,
    features: { ...profile.features, usage: "not implemented yet", ledger: "not implemented yet" },
  }),
};
