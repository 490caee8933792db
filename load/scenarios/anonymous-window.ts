import { condition } from "../../conformance/judge/fact.ts";
import { networkInterfaces } from "node:os";
import type { Question } from "../../base/judged.ts";
import type { Profile } from "../../conformance/server/profile.ts";
import { because, inProfile, question } from "../questions.ts";
import { plan, type Planned, type Sender } from "../planned.ts";
import type { LoadRun } from "../run.ts";

const nobody: Sender = { account: "nobody", key: null, keyName: "no key" };
const concurrentRequests = 16;
const requestsBeyondQuota = 4;
/** A second loopback address, which a machine has if it has the first. */
const otherAddress = "127.0.0.2";

/**
 * Uses up the quota of one client address on the operations without a credential, if the profile declares it; the
 * contract states no number. Then sends from a second address, if this machine has one that reaches the server.
 * @returns notes for people, and whether the quota was judged
 */
export async function anonymousWindow({
  profile,
  judgement,
  take,
  sending,
  say,
}: LoadRun): Promise<{ notes: string[]; question: Question }> {
  const what = "the quota of operations without a credential";
  const quota = profile.limits.anonymous;
  if (quota === undefined || profile.features.claim !== undefined) {
    const off = profile.features.claim;
    return {
      notes: ["operations without a credential: not seen (profile: limits: {anonymous: N})"],
      question: question(
        what,
        off === undefined ? inProfile("limits: {anonymous: N}") : because(`claims are off (${off})`),
      ),
    };
  }
  say(`operations without a credential: a burst of ${quota + requestsBeyondQuota}`);
  // The claim code is unknown, so the request changes nothing.
  const request: Planned = {
    ...plan("startClaim", nobody, {
      step: "anonymous",
      body: { claim_code: "no-such-claim-code", email: "nobody@example.com" },
    }),
    wants: ["failure", 400, 404, 409, 410, 422, 429],
  };
  const answers = { admitted: 0, refused: 0 };
  const resets = new Set<string | undefined>();
  await sending.closedLoop({
    requests: [request],
    concurrentRequests,
    amount: quota + requestsBeyondQuota,
    onReply: (reply) => {
      take(reply);
      const refused = reply.exchange.response?.status === 429;
      answers[refused ? "refused" : "admitted"] += 1;
      resets.add(reply.exchange.response?.headers["x-ratelimit-reset"]);
    },
  });
  if (answers.refused === 0 && resets.size === 1) {
    judgement.find({
      name: "anonymous-unlimited",
      clauses: ["LIMI-12"],
      title: "one client address may send more than its quota to the operations without a credential",
      fact: condition(`at most ${quota} admitted in one window`, `${answers.admitted} admitted`, {
        kind: "count",
      }),
    });
  }
  const note = `operations without a credential: ${answers.admitted} admitted, ${answers.refused} refused`;
  const elsewhere = hasOtherAddress(profile) ? await sending.send(request, otherAddress) : null;
  const shows = answers.refused > 0 || resets.size === 1;
  const judged = question(what, shows ? null : because("the window ended before the quota was used up"));
  if (elsewhere === null || elsewhere.exchange.response === null) return { notes: [note], question: judged };
  take(elsewhere);
  if (answers.refused > 0 && elsewhere.exchange.response.status === 429) {
    judgement.find({
      name: "counts-addresses-together",
      clauses: ["LIMI-12"],
      title: "what one client address uses up, another cannot use",
      fact: condition(`a request from ${otherAddress} is admitted`, "429", { kind: "count" }),
      exchanges: [elsewhere.exchange],
    });
  }
  const status = `from a second address: ${elsewhere.exchange.response.status}`;
  return { notes: [note, status], question: judged };
}

/** Whether this machine has the second address and reaches the server from it. */
const hasOtherAddress = ({ base_url }: Profile): boolean =>
  new URL(base_url).hostname === "127.0.0.1" &&
  Object.values(networkInterfaces())
    .flat()
    .some((address) => address?.cidr === "127.0.0.1/8");
