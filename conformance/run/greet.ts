import { Stranger } from "../server/account.ts";
import type { Ask } from "../server/ask.ts";
import type { Answer } from "../judge/answer.ts";
import { whyOff, type Profile } from "../server/profile.ts";
import { pause, Session } from "../server/session.ts";
import { inLine } from "../../base/plain.ts";
import { Unreachable, WrongUse } from "../../base/exit.ts";
import { Blocked, Unverifiable } from "../judge/verdict.ts";
import { responseHeaders, type OperationId } from "../../generated/contract.ts";
import { adviceOn, adviceOnRedirect, adviceOnStranger } from "./advice.ts";
import { judgedVersion } from "./judged-version.ts";

const versionHeader = responseHeaders.apiVersion.toLowerCase();

/**
 * Contacts the server before judging it, so that a wrong address yields one sentence and not a page of failures.
 * @param waitSeconds how long to wait for a server that is still starting
 * @returns a note for the report about the version of the contract; null when it is the server's
 * @throws Unreachable when no server of this kind answers; WrongUse when it refuses the profile's key; OtherVersion
 *   when the server must be judged by another version
 */
export async function greet(profile: Profile, session: Session, waitSeconds = 0): Promise<string | null> {
  const stranger = new Stranger(session, profile);
  const { account: key } = profile.credentials;
  const asker = key === undefined ? stranger : stranger.withKey(key);
  const [operation, words] = greetingOf(profile);
  const greeting = { ...words, impatient: true };
  let hello: Answer;
  try {
    await untilStarted(profile, session, waitSeconds);
    hello = await asker.ask(operation, greeting);
    // If only Discover is refused, its quota is used up and will return.
    const other = greetingsOf(profile).at(-1)!;
    const busy =
      hello.status === 429 && (await asker.ask(other[0], { ...other[1], impatient: true })).status !== 429;
    if (busy) {
      hello = await asker.ask(operation, { ...greeting, impatient: false }).catch((error: unknown) => {
        if (error instanceof Unverifiable) return hello;
        throw error;
      });
    }
  } catch (error) {
    if (!(error instanceof Blocked)) throw error;
    const cause = error.exchange?.error ?? error.message;
    const answers = /^the (answer|body) /.test(cause);
    throw new Unreachable(
      answers
        ? `${profile.base_url} gives no answer that can be judged: ${inLine(cause)}`
        : `${profile.base_url} cannot be reached (${inLine(cause)}); ${adviceOn(cause, profile.base_url)}`,
      { cause: error },
    );
  }
  if (hello.status === 429) {
    const seconds = hello.headers["retry-after"];
    throw new Unreachable(
      `${profile.base_url} refuses every request with 429${seconds === undefined ? "" : ` (Retry-After: ${inLine(seconds)})`}; start again when it takes requests`,
    );
  }
  const { location } = hello.headers;
  if (hello.status >= 300 && hello.status < 400 && location !== undefined) {
    throw new Unreachable(
      `${profile.base_url} answered ${hello.status} to ${inLine(location)}: ${adviceOnRedirect(profile.base_url, location)}`,
    );
  }
  if (key !== undefined && hello.status === 401) {
    throw new WrongUse(
      `the server refuses the key of credentials.account (401: ${inLine(String(hello.at("message").value))}); give one that is valid`,
    );
  }
  if (!isOfThisKind(hello) || (hello.status === 404 && (await isMissing(stranger, profile)))) {
    throw new Unreachable(
      `${profile.base_url} answers, but not as this API ${adviceOnStranger(hello, profile.base_url)}`,
    );
  }
  return judgedVersion(profile.contract, hello.headers[versionHeader]);
}

/** Requests that change nothing, to operations that a server of this kind has. */
const greetings: readonly (readonly [OperationId, Ask])[] = [
  ["discover", { body: { query: "hello", limit: 1 } }],
  ["listLedger", {}],
  ["getCredits", {}],
  ["listUsage", {}],
];

const greetingsOf = (profile: Profile) =>
  greetings.filter(([operation]) => whyOff(profile, operation) === undefined);

/** @throws WrongUse where the profile leaves nothing to ask */
function greetingOf(profile: Profile) {
  const [first] = greetingsOf(profile);
  if (first !== undefined) return first;
  throw new WrongUse(
    `the profile says that the server has none of ${greetings.map(([operation]) => operation).join(", ")}: nothing is left to be judged`,
  );
}

/** Whether another operation is missing too. */
async function isMissing(stranger: Stranger, profile: Profile): Promise<boolean> {
  const [operation, words] = greetingsOf(profile).at(-1)!;
  return (await stranger.ask(operation, words)).status === 404;
}

/** Asks every half second while no server listens, or a gateway says that none does. These answers are not judged. */
async function untilStarted(profile: Profile, { client, secrets }: Session, seconds: number): Promise<void> {
  const unheard = client.unheard();
  const stranger = new Stranger(new Session(unheard, secrets), profile);
  const until = performance.now() + 1000 * seconds;
  while (performance.now() < until) {
    try {
      const [operation, words] = greetingOf(profile);
      const { status } = await stranger.ask(operation, { ...words, impatient: true });
      if (![502, 503].includes(status)) break;
    } catch (error) {
      if (!(error instanceof Blocked)) throw error;
      if (!/ECONNREFUSED|ECONNRESET|ENOTFOUND/.test(error.message)) break;
    }
    await pause(500);
  }
  unheard.close();
}

/** Deliberately lenient: a server with one fault is judged, not turned away. */
const isOfThisKind = (answer: Answer): boolean =>
  answer.headers[versionHeader] !== undefined ||
  answer.at("search_id").present ||
  ["success", "failure"].includes(String(answer.at("status").value));
