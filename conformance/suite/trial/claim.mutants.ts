import { trialCredits } from "../../../generated/contract.ts";
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
      "answers an unknown claim code as if it were valid": onStart((start) => async (claimCode, email) => {
        const answer = await start(claimCode, email);
        return answer.status === "refused" && answer.field === "claim_code" ? started : answer;
      }),
    },
    "TRIA-17": {
      "binds a trial to the address of a formal account": bindingFormal((email) => email === formalEmail),
      "binds a trial to the address of a formal account if it is written in capitals": bindingFormal(
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
      "disables the key of a trial whose claim it blocks": stoppingKeys(({ status }) => status === "blocked"),
      "never lets a trial be claimed after blocking its claim": onStart((start) => {
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
      "disables a trial's key when its claim is verified": stoppingKeys(({ status }) => status === "claimed"),
    },
    "TRIA-25": {
      "deducts a credit from a trial when it is claimed": onVerify(
        (verify, { books }) =>
          async (claimCode, email, code) => {
            const answer = await verify(claimCode, email, code);
            if (answer.status === "claimed") await moving(books, answer.account.id, -1);
            return answer;
          },
      ),
      "grants the credits of a trial each time its claim is verified": onVerify((verify, { books }) => {
        const claims = new Map<string, string>();
        return async (claimCode, email, code) => {
          const answer = await verify(claimCode, email, code);
          if (answer.status === "claimed") claims.set(claimCode, answer.account.id);
          const account = claims.get(claimCode);
          if (account !== undefined) await moving(books, account, trialCredits);
          return answer;
        };
      }),
      "forgets the usage events of a claimed trial": forgetting("listUsage"),
      "forgets the ledger of a claimed trial": forgetting("listLedger"),
    },
    "TRIA-26": {
      "binds a second trial to a claimed address": bindingFormal((email) => email !== formalEmail),
      "binds a claimed account to another address": bindingAgain,
      "binds two claims of one address that are verified at the same time": blindToEachOther(),
      "answers 500 if the address has since been taken": onStatus("verifyClaim", 422, 500, (_, { body }) =>
        body.includes('"email"'),
      ),
    },
    "TRIA-27": {
      "accepts any code for a started claim": onVerify((verify) => async (claimCode, email, code) => {
        const answer = await verify(claimCode, email, code);
        return answer.status === "refused" && /^The code is wrong/.test(answer.reason) ? claimed : answer;
      }),
      "accepts a code whose last digit is one too high": onVerify(
        (verify) => async (claimCode, email, code) => {
          const answer = await verify(claimCode, email, code);
          const lower = `${code.slice(0, 5)}${(Number(code[5]) + 9) % 10}`;
          return answer.status === "refused" && answer.field === "code"
            ? verify(claimCode, email, lower)
            : answer;
        },
      ),
      "compares only the first and last digits of a code": comparingEnds(),
      "compares only the first six digits of a code": {
        inward: async ({ operation }, body) =>
          operation === "verifyClaim" ? { body: (await body()).replace(/("code":"\d{6})\d+"/, '$1"') } : null,
      },
      "accepts the third wrong code for a claim": tiring(3),
    },
    "TRIA-28": {
      "accepts any code that was mailed to the address of a claim": takingCodesOfAddress(),
      "accepts a mailed code for any claim and any address": takingAnyMailedCode(),
      "accepts a code for any address that its claim was started with": takingCodesOfClaim(),
      "ignores the email in claim-verify": rememberingStarts("email"),
      "finds the claim in claim-verify only by its email": rememberingStarts("claim"),
    },
  }),
  ...(["discover", "call"] as const).map((operation) =>
    mutant("TRIA-24", `refuses ${operation} requests from a claimed account`, closingToClaimed(operation)),
  ),
];
