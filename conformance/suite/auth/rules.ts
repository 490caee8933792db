import { holds, rule, type Rule } from "../../judge/rule.ts";

/** The mask of an issued key in a recorded exchange; see server/secrets.ts. A made-up one may be quoted. */
const maskedKey = /«key \d+»/;

/** A masked key in a text. Its first character, which few texts have, is found faster than the pattern. */
const keyIn = (text: string): string | undefined =>
  text.includes("«") ? maskedKey.exec(text)?.[0] : undefined;

function holdsKey(body: string, headers: Record<string, string>): string | undefined {
  let place = keyIn(body);
  for (const name in headers) place ??= keyIn(headers[name]!);
  return place;
}

/** Keys are shown once, at their creation. */
export const rules: Rule[] = [
  rule("AUTH-11", "no answer contains a key, except the one that creates it", (seen) => {
    // The fields of verify-token are open: it may repeat the token from the request.
    if (seen.operation === "registerAnonymous" || seen.operation === "verifyToken") return null;
    const key = holdsKey(seen.exchange.response!.body, seen.headers);
    return holds(key === undefined, "no API key in the answer", key && `${key} of this run, in clear`);
  }),
];
