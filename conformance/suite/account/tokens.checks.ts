import { check } from "../../run/check.ts";
import { momentOf } from "../../judge/instant.ts";
import { usable, type Account } from "../../server/account.ts";
import type { Answer } from "../../judge/answer.ts";
import { claimsOf, tampered } from "../../server/forged.ts";
import { leaves } from "../../books/unnamed.ts";
import { Unverifiable } from "../../judge/verdict.ts";

export const checks = [
  check(
    "ACCT-24",
    "a valid and unexpired JWT is verified with 200",
    { needs: ["jwt"], feature: "jwt" },
    async ({ account, profile, expect }) => {
      const { answer } = await verifyValid(account, profile.credentials.jwt!);
      expect(answer).toHaveStatus(200);
      expect(answer.at("status")).toBe("success");
    },
  ),

  check(
    "ACCT-25",
    "an expired JWT is not verified as valid",
    { needs: ["jwt", "expired_jwt"], feature: "jwt" },
    async ({ account, profile, expect }) => {
      const { jwt, expired_jwt: expired } = profile.credentials;
      const { answer: valid, place } = await verifyValid(account, jwt!);
      const answer = await place(account, expired!);
      usable(valid);
      const again = await repeatedly(() => place(account, jwt!));
      expect(answer).toHaveStatus(200, 400, 401, 403, 422);
      const same = saysTheSame([answer, expired!], [valid, jwt!], again);
      expect(same, "whether the response to an expired JWT equals that to a valid one").toBe(false);
    },
  ),

  check(
    "ACCT-26",
    "neither a JWT with a changed signature nor a text that is not a JWT is verified as valid",
    { needs: ["jwt"], feature: "jwt" },
    async ({ account, profile, expect }) => {
      const jwt = profile.credentials.jwt!;
      const { answer: valid, place } = await verifyValid(account, jwt);
      usable(valid);
      const again = await repeatedly(() => place(account, jwt));
      for (const token of [tampered(jwt), "no-jwt-at-all"]) {
        const answer = await place(account, token);
        expect(answer).toHaveStatus(200, 400, 401, 403, 422);
        const same = saysTheSame([answer, token], [valid, jwt], again);
        expect(same, "whether its response equals that to a valid JWT").toBe(false);
      }
    },
  ),
];

/** Possible places for a token in the request; the contract does not show the right one. */
const places: readonly ((account: Account, token: string) => Promise<Answer>)[] = [
  (account, token) => account.withKey(token).ask("verifyToken"),
  (account, token) => account.withKey(token).ask("verifyToken", { body: { token } }),
  (account, token) => account.ask("verifyToken", { body: { token } }),
  (account, token) => account.ask("verifyToken", { query: { token } }),
];

/**
 * Sends a valid JWT in each place until one is answered with 200.
 * @throws Unverifiable when none is, and one is refused as malformed: the right place may be yet another
 */
async function verifyValid(account: Account, jwt: string) {
  const statuses: number[] = [];
  let first: Answer | undefined;
  for (const place of places) {
    const answer = await place(account, jwt);
    if (answer.status === 200) return { answer, place };
    first ??= answer;
    statuses.push(answer.status);
  }
  // "Request body and token location of verify-token: not shown": no number of places that are tried is all.
  if (statuses.some((status) => status === 400 || status === 422)) {
    throw new Unverifiable("where verify-token takes the token is not known");
  }
  return { answer: first!, place: places[0]! };
}

/**
 * What an answer says about a token: the values in its data by path, except times, the tokens and any of their claims;
 * and its message, if there is no flag.
 */
function verdictOn(answer: Answer, tokens: readonly string[]): Map<string, unknown> {
  const claims = tokens.flatMap((token) => Object.entries(claimsOf(token) ?? {}));
  const said = leaves(answer.at("data")).filter(
    ({ path, value }) =>
      value !== null &&
      value !== undefined &&
      !tokens.some((token) => token === value) &&
      !claims.some(([name, claim]) => claim === value && name === path.split(".").at(-1)) &&
      !(typeof value === "number" && value > 1e9) &&
      momentOf(value) === undefined,
  );
  const hasFlag = said.some(({ value }) => typeof value === "boolean");
  return new Map<string, unknown>([
    ...said.map(({ path, value }) => [`data.${path}`, value] as const),
    ["the status", answer.status],
    ["status", answer.at("status").value],
    ["message", hasFlag || answer.at("message").value],
  ]);
}

/** A token and the answer to it. */
type Judged = readonly [answer: Answer, token: string];

/** Number of repetitions with the same token, enough that agreement between them is not by chance. */
async function repeatedly(place: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  while (answers.length < 5) answers.push(usable(await place()));
  return answers;
}

/** Whether a token gets the answer of a valid one; values that vary for the same valid token are ignored. */
function saysTheSame(judged: Judged, valid: Judged, again: readonly Answer[]): boolean {
  const tokens = [judged[1], valid[1]];
  const [one, other] = [verdictOn(judged[0], tokens), verdictOn(valid[0], tokens)];
  const others = again.map((answer) => verdictOn(answer, tokens));
  const paths = [...new Set([one, other, ...others].flatMap((each) => [...each.keys()]))];
  return paths
    .filter((path) => others.every((each) => each.get(path) === other.get(path)))
    .every((path) => one.get(path) === other.get(path));
}
