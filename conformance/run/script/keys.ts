import type { Profile } from "../../server/profile.ts";
import type { Secrets } from "../../server/secrets.ts";

/** A key that the profile gives. */
export interface GivenKey {
  /** Where the profile has it, such as `credentials.account`. */
  place: string;
  /** The variable of a script that has it, such as `ACCOUNT`. */
  variable: string;
  key: string;
}

/** The keys that a profile gives, by their labels in records. */
export function givenKeys({ credentials }: Profile, secrets: Secrets): Map<string, GivenKey> {
  const { pool, delegation, ...named } = credentials;
  const all = [
    ...Object.entries(named),
    ...pool.map((key, index) => [`pool.${index}`, key] as const),
    ["delegation.token", delegation?.token] as const,
  ];
  const givenKey = (name: string, key: string): GivenKey => ({
    place: `credentials.${name}`,
    variable: name.replaceAll(".", "_").toUpperCase(),
    key,
  });
  return new Map(
    all.flatMap(([name, key]) =>
      key === undefined ? [] : [[secrets.learn(key, "key"), givenKey(name, key)] as const],
    ),
  );
}
