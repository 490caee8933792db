import { claimReasons } from "../../../reference-server/accounts/claim-reasons.ts";
import {
  accepting,
  bindingAgain,
  bindingFormal,
  blindToEachOther,
  claimed,
  closingToClaimed,
  comparingEnds,
  forgetting,
  formalEmail,
  onStart,
  onVerify,
  rememberingStarts,
  sendCode,
  started,
  stoppingKeys,
  takingAnyMailedCode,
  takingCodesOfAddress,
  takingCodesOfClaim,
  tiring,
} from "./claim-changes.ts";
import { moving, mutant, mutantsOf, onStatus } from "../../changes/mutant.ts";

export const mutants = [
  ...mutantsOf({
    "TRIA-15": {
      "mails a code for an unknown claim code": onStart((start, { mailer }) => async (claimCode, email) => {
        const answer = await start(claimCode, email);
        if (answer.status === "refused" && answer.field === "claim_code") await sendCode(mailer, email);
        return answer;
      }),
    },
    "TRIA-16": {
      "answers an unknown claim code as a started claim": onStart((start) => async (claimCode, email) => {
        const answer = await start(claimCode, email);
        return answer.status === "refused" && answer.field === "claim_code" ? started : answer;
      }),
    },
    "TRIA-17": {
      "binds a trial to the address of a formal account": bindingFormal((email) => email === formalEmail),
      "binds a trial to the address of a formal account whose domain is written in capitals": bindingFormal(
        (email) => email !== formalEmail && email.toLowerCase() === formalEmail,
      ),
    },
    "TRIA-19": {
      "mails a code for a claim that it blocks": onStart((start, { mailer }) => async (claimCode, email) => {
        const answer = await start(claimCode, email);
        if (answer.status === "blocked") await sendCode(mailer, email);
        return answer;
      }),
    },
    "TRIA-20": {
      "stops the key of a trial whose claim it blocks": stoppingKeys(({ status }) => status === "blocked"),
      "lets a trial whose claim it blocked never be claimed": onStart((start) => {
        const blocked = new Set<string>();
        return async (claimCode, email) => {
          if (blocked.has(claimCode)) {
            return { status: "refused", field: "claim_code", reason: claimReasons.closed.en };
          }
          const answer = await start(claimCode, email);
          if (answer.status === "blocked") blocked.add(claimCode);
          return answer;
        };
      }),
    },
    "TRIA-22": {
      "verifies a claim that was not started": onVerify((verify) => async (claimCode, email, code) => {
        const answer = await verify(claimCode, email, code);
        return answer.status === "refused" && answer.reason === claimReasons.notStarted.en ? claimed : answer;
      }),
      "verifies a claim without its code": accepting("verifyClaim", /required[^}]*code|code[^}]*required/i),
      "starts a claim without an email": accepting("startClaim", /required[^}]*email|email[^}]*required/i),
    },
    "TRIA-24": {
      "stops the trial's key when the claim is verified": stoppingKeys(({ status }) => status === "claimed"),
    },
    "TRIA-25": {
      "takes a credit from a trial that is claimed": onVerify(
        (verify, { books }) =>
          async (claimCode, email, code) => {
            const answer = await verify(claimCode, email, code);
            if (answer.status === "claimed") await moving(books, answer.account.id, -1);
            return answer;
          },
      ),
      "forgets the usage events of a trial that is claimed": forgetting("listUsage"),
      "forgets the ledger of a trial that is claimed": forgetting("listLedger"),
    },
    "TRIA-26": {
      "binds a second trial to an address that is claimed": bindingFormal((email) => email !== formalEmail),
      "binds an account that is claimed to another address": bindingAgain,
      "binds both of two claims that are verified at once": blindToEachOther(),
      "breaks down over an address that is taken by then": onStatus("verifyClaim", 422, 500, (_, { body }) =>
        body.includes('"email"'),
      ),
    },
    "TRIA-27": {
      "takes any code for a claim that is started": onVerify((verify) => async (claimCode, email, code) => {
        const answer = await verify(claimCode, email, code);
        return answer.status === "refused" && /^The code is wrong/.test(answer.reason) ? claimed : answer;
      }),
      "overlooks the last digit of a code where it is one too high": onVerify(
        (verify) => async (claimCode, email, code) => {
          const answer = await verify(claimCode, email, code);
          const lower = `${code.slice(0, 5)}${(Number(code[5]) + 9) % 10}`;
          return answer.status === "refused" && answer.field === "code"
            ? verify(claimCode, email, lower)
            : answer;
        },
      ),
      "compares only the first and the last digit of a code": comparingEnds(),
      "compares only the first six digits of a code": {
        inward: async ({ operation }, body) =>
          operation === "verifyClaim" ? { body: (await body()).replace(/("code":"\d{6})\d+"/, '$1"') } : null,
      },
      "takes any code for a claim after three wrong ones": tiring(3),
    },
    "TRIA-28": {
      "takes any code that was mailed to the address of a claim": takingCodesOfAddress(),
      "takes a mailed code for any claim and any address": takingAnyMailedCode(),
      "takes a code for whichever address its claim was started for": takingCodesOfClaim(),
      "does not compare the address of a verify with that of the claim": rememberingStarts("email"),
      "looks for the claim of a verify only by its address": rememberingStarts("claim"),
    },
  }),
  ...(["discover", "call"] as const).map((operation) =>
    mutant("TRIA-24", `closes ${operation} to an account that is claimed`, closingToClaimed(operation)),
  ),
];
