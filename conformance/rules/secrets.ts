import { holds, rule, type Rule } from "./rule.ts";

/** How a masked key stands in a recorded exchange; see target/secrets.ts. */
const maskedKey = /«key \d+»/;

const holdsKey = (body: string, headers: Record<string, string>): string | undefined =>
  [body, ...Object.values(headers)]
    .map((text) => maskedKey.exec(text)?.[0])
    .find((found) => found !== undefined);

/** Keys are shown once, at their creation. */
export const secrets: Rule[] = [
  rule("AUTH-11", "no answer but a key's creation holds a key", (seen) => {
    if (seen.operation === "registerAnonymous") return null;
    const key = holdsKey(seen.exchange.response!.body, seen.headers);
    return holds(key === undefined, "no API key in the answer", key && `${key} of this run, in clear`);
  }),
];
