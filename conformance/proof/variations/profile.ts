import { defaultProfile } from "../../server/profile.ts";
import { variationsOf, type Variation } from "../../changes/mutant.ts";

/** A window short enough for one account to wait for it. */
const shortWindow = 5;

/** Lawful differences in what is known about a server: none may make a correct server look wrong. */
export const profileVariations: readonly Variation[] = variationsOf({
  "a profile has defaults for everything else": {
    "declares only its address in the profile": {
      profile: ({ base_url: baseUrl }) => defaultProfile(baseUrl),
    },
  },
  "features can be declared off, with a reason": {
    "provides only one account and no trials": {
      config: { windowSeconds: shortWindow },
      profile: ({ base_url: baseUrl, credentials, tools, limits }) => ({
        ...defaultProfile(baseUrl),
        credentials: { account: credentials.account!, pool: [] },
        tools,
        limits,
        features: { trial: "accounts are opened by contract", claim: "there are no trials" },
      }),
    },
  },
  "a missing fixture is unverified": {
    "has no mailbox, no tokens and no object storage that the suite can reach": {
      profile: ({ mailbox: _mailbox, object_storage: _storage, credentials, ...profile }) => {
        const { jwt: _jwt, expired_jwt: _expired, delegation: _delegation, ...keys } = credentials;
        return { ...profile, object_storage: {}, credentials: keys };
      },
    },
  },
});
