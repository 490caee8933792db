import type { Exchange } from "../../judge/exchange.ts";
import type { Finding, Script } from "../../judge/finding.ts";
import { Blocked, isRed, Unverifiable } from "../../judge/verdict.ts";
import { AccountLeases } from "../../server/account-leases.ts";
import type { Check } from "../check.ts";
import { performPatiently, type RunContext } from "../perform.ts";
import { evidenceOf } from "./evidence.ts";
import { givenKeys } from "./keys.ts";
import { replayed, type Replayed } from "./replay.ts";
import { scriptFrom } from "./shell.ts";
import { signsOf, type Failure, type Sign } from "./signs.ts";
import { isPaid, isRepeatable, keyOf, sparable, stepsTo, withSources, type Steps } from "./steps.ts";

/** A script of no more requests is short enough. */
const shortEnough = 8;

/** Shortening ends after so many trials in a row that left nothing out. */
const maxFruitless = 24;

/**
 * The fewest requests that show what a check, or a rule in its traffic, found. The check is performed once more with accounts
 * that nobody has used; its requests are then sent again without those that the failure does not need. So are reads with keys
 * of the profile. Where the failure does not repeat, or would cost credits of an account, these are the requests that the
 * check sent.
 * @param check the check that found it, or sent what breaks the rule
 * @param sent the finding of that check
 * @returns null if nothing failed, or no response shows it
 */
export async function scriptOf(
  finding: Finding,
  check: Check,
  sent: Finding,
  context: RunContext,
): Promise<Script | null> {
  const seen = failureOf(finding, sent, context);
  if (seen === null) return null;
  const alone = context.leases.mayRegister ? await performedAlone(check, context) : null;
  const again = alone && failureOf(finding.rule === undefined ? alone : finding, alone, context);
  for (const failure of [again, seen]) {
    const steps = failure && (await shortened(failure, context));
    if (failure && steps) return scriptFrom(steps, failure.finding, context, true);
  }
  const all = stepsTo(seen.culprit, seen.exchanges);
  const shown = new Set([...evidenceOf(seen.finding.fact, all), seen.culprit]);
  return scriptFrom(withSources(shown, all, context.client.baseUrl), seen.finding, context, false);
}

/** A failure with the exchange of a check that shows it; null if there is none. */
function failureOf(finding: Finding, { exchanges }: Finding, { broken }: RunContext): Failure | null {
  const { verdict, fact, culprit, rule } = finding;
  if (!isRed(verdict) || !fact) return null;
  const exchange =
    rule !== undefined
      ? exchanges.find((sent) => broken.get(sent)?.includes(finding.id))
      : exchanges[culprit ?? -1];
  return exchange === undefined ? null : { finding: { ...finding, fact }, culprit: exchange, exchanges };
}

/** The finding of a check whose accounts are new. */
function performedAlone(check: Check, context: RunContext): Promise<Finding> {
  const {
    account: _,
    other_account: _other,
    second_key_of_account: _second,
    ...others
  } = context.profile.credentials;
  const profile = { ...context.profile, credentials: { ...others, pool: [] } };
  return performPatiently(check, { ...context, leases: new AccountLeases(profile) });
}

/** The fewest steps that show a failure again; null if even all of them do not. */
async function shortened(failure: Failure, context: RunContext): Promise<Steps | null> {
  const { finding, culprit, exchanges } = failure;
  const whole = stepsTo(culprit, exchanges);
  const keys = givenKeys(context.profile, context.secrets);
  const all = whole.filter((step) => isRepeatable(step, whole, keys));
  if (!all.includes(culprit)) return null;
  const isOfTrials = whole.every((step) => !keys.has(keyOf(step) ?? ""));
  const evidence = evidenceOf(finding.fact, all);
  const begins = {
    all,
    evidence: withSources(
      new Set([...evidence, ...all.filter(isPaid), culprit]),
      all,
      context.client.baseUrl,
    ),
  };
  const sent = { all: await sentAgain(all, context), evidence: null as Replayed | null };
  let shortest: Steps | null = null;
  for (const sign of signsOf(failure, context, isOfTrials)) {
    const whole = (sent[sign.begins] ??= await sentAgain(begins[sign.begins], context));
    if (whole === null || !sign.isIn(whole)) continue;
    const steps = await shortenedBy(sign, begins[sign.begins], evidence, failure, context);
    if (shortest === null || steps.length < shortest.length) shortest = steps;
    if (shortest.length <= shortEnough) break;
  }
  return shortest;
}

/** What requests show when they are sent again; null where one of them is not answered. */
async function sentAgain(steps: Steps, context: RunContext): Promise<Replayed | null> {
  try {
    return await replayed(steps, context);
  } catch (error) {
    if (error instanceof Blocked || error instanceof Unverifiable) return null;
    throw error;
  }
}

/** The fewest of some steps in which a sign of a failure is. */
async function shortenedBy(
  { isIn, spares }: Sign,
  all: Steps,
  evidence: readonly Exchange[],
  { finding: { fact } }: Failure,
  context: RunContext,
): Promise<Steps> {
  const { baseUrl } = context.client;
  let steps = all;
  let fruitless = 0;
  /** Leaves out some of the steps if the sign is in the others, else in each half of them. */
  const leaveOut = async (some: readonly Exchange[]): Promise<void> => {
    const kept = new Set(steps.filter((step) => !some.includes(step)));
    const fewer = withSources(kept, steps, baseUrl);
    if (fewer.length === steps.length || fruitless >= maxFruitless) return;
    fruitless += 1;
    const shown = await sentAgain(fewer, context);
    if (shown !== null && isIn(shown)) {
      steps = fewer;
      fruitless = 0;
      return;
    }
    if (some.length === 1) return;
    const middle = Math.ceil(some.length / 2);
    await leaveOut(some.slice(0, middle));
    await leaveOut(some.slice(middle));
  };
  // A step that gave an id stays until the one that repeats it is left out.
  for (let before = Infinity; steps.length < before;) {
    before = steps.length;
    const spared = sparable(steps, spares, fact.place, baseUrl);
    await leaveOut(spared.filter((step) => spares === "anything" || !evidence.includes(step)));
  }
  return steps;
}
