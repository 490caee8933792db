import { onAnswers, onPath, variationsOf, withBody } from "../../changes/mutant.ts";
import { onVerify } from "./claim-changes.ts";
import { endingTrials } from "./trial-changes.ts";

const hourMs = 3_600_000;

const registrations = (change: (data: Record<string, unknown>) => unknown) =>
  onPath("registerAnonymous", "data", (data) => change(data as Record<string, unknown>));

/** Answers a failed claim step with 200 and a failed envelope; malformed requests are still refused with 422. */
const refusals = (operations: readonly string[]) =>
  onAnswers(
    (request, answer) =>
      operations.includes(request.operation ?? "") && answer.body.includes('"claim_refused"'),
    withBody(200, {
      status: "failure",
      message: "The claim does not go on.",
      status_code: -1,
      data: null,
    }),
  );

/** What the contract leaves open about trials and claims. */
export const variations = variationsOf({
  'States: "emailed code is correct"; what a wrong code does to a claim is not shown': {
    "ends a claim after its first wrong code": onVerify((verify) => {
      const ended = new Set<string>();
      return async (claimCode, email, code) => {
        const answer = ended.has(claimCode)
          ? ({ status: "refused", reason: "The claim has ended.", field: "code" } as const)
          : await verify(claimCode, email, code);
        if (answer.status === "refused") ended.add(claimCode);
        return answer;
      };
    }),
  },
  'Register response: "contains a one-time API key, a claim_code, and the trial credits"; the type is not given':
    {
      "states the trial credits as a string with a unit": registrations(({ trial_credits, ...data }) => ({
        ...data,
        credits: `${String(trial_credits)}.00 credits`,
      })),
    },
  "Anonymous register response: field names other than api_key and claim_code are not shown": {
    "states the end of a trial as a date, nested in an object with its credits": registrations(
      ({ trial_credits, expires_at, ...data }) => ({
        ...data,
        trial: { credits: trial_credits, valid_until: String(expires_at).slice(0, 10) },
      }),
    ),
  },
  "Trial account: 7 days; to the minute or to the hour is not stated": {
    "ends a trial on the previous full hour": endingTrials((endsAt) => Math.floor(endsAt / hourMs) * hourMs),
    "ends a trial on the next full hour": endingTrials((endsAt) => Math.ceil(endsAt / hourMs) * hourMs),
  },
  "Agent lifecycle: statuses 200, 422, 429; what an unknown claim code is answered with is not shown": {
    "refuses an unknown claim code with a 200 failure envelope": refusals(["startClaim"]),
  },
  "Agent lifecycle: statuses 200, 422, 429; what a refused claim is answered with is not shown": {
    "refuses claim steps with a 200 failure envelope": refusals(["startClaim", "verifyClaim"]),
  },
});
