import { claimReasons } from "../../../reference-server/accounts/claim-reasons.ts";
import {
  accepting,
  bindingAgain,
  bindingFormal,
  blindToEachOther,
  claimed,
  closingToClaimed,
  codeIn,
  comparingEnds,
  forgetting,
  formalEmail,
  onMails,
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
import { moving, mutant, mutantsOf, onBody, onStatus } from "../../changes/mutant.ts";

export const mutants = [
  ...mutantsOf({
    "TRIA-12": {
      "answers a started claim with 202": onStatus("startClaim", 200, 202),
      "calls a started claim a failure": onBody("startClaim", (body) => ({ ...body, status: "failure" })),
    },
    "TRIA-13": {
      "answers as if it had sent a mail": onMails(() => null),
      "never mails a code, where a profile names the mailbox alone": {
        ...onMails(() => null),
        profile: ({ mail_lag: _lag, emails: { free: _free, ...emails }, ...profile }) => ({
          ...profile,
          emails,
        }),
      },
      "mails the code to another address": onMails((mail) => ({ ...mail, to: formalEmail })),
    },
    "TRIA-14": {
      "mails a code of 5 digits": onMails((mail) => ({
        ...mail,
        subject: "Your claim code",
        text: `Your code is ${codeIn(mail.text).slice(1)}.`,
      })),
    },
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
      "starts a claim with an unknown claim code, in words of its own": onStart(
        (start) => async (claimCode, email) => {
          const answer = await start(claimCode, email);
          const isUnknown = answer.status === "refused" && answer.field === "claim_code";
          return isUnknown ? { ...started, emailMasked: "somebody" } : answer;
        },
      ),
    },
    "TRIA-17": {
      "binds a trial to the address of a formal account": bindingFormal((email) => email === formalEmail),
    },
    "TRIA-18": {
      "answers a blocked claim as a started one": onStart((start) => async (claimCode, email) => {
        const answer = await start(claimCode, email);
        return answer.status === "blocked" ? started : answer;
      }),
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
    "TRIA-21": {
      "refuses what is no string with 400": onStatus("startClaim", 422, 400),
      "takes any text as an address": accepting("startClaim", /e-?mail/i),
      "takes a number as a code": accepting("verifyClaim", /"code"[^}]*string|string[^}]*"code"/i),
    },
    "TRIA-22": {
      "verifies a claim that was not started": onVerify((verify) => async (claimCode, email, code) => {
        const answer = await verify(claimCode, email, code);
        return answer.status === "refused" && answer.reason === claimReasons.notStarted.en ? claimed : answer;
      }),
      "verifies a claim without its code": accepting("verifyClaim", /required[^}]*code|code[^}]*required/i),
      "starts a claim without an email": accepting("startClaim", /required[^}]*email|email[^}]*required/i),
    },
    "TRIA-23": {
      "calls a verified claim a failure": onBody("verifyClaim", (body) => ({ ...body, status: "failure" })),
      "answers a verified claim with 201": onStatus("verifyClaim", 200, 201),
      "does not find a claim by an address with capital letters": onVerify(
        (verify) => async (claimCode, email, code) => verify(claimCode, email.replace(/[A-Z]/g, "-"), code),
      ),
    },
    "TRIA-07": {
      "stops the trial's key when its claim is started": stoppingKeys(
        ({ step, status }) => step === "start" && status === "code_sent",
      ),
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
      "compares the first and the last digit of a code alone": comparingEnds(),
      "compares the first six digits of a code alone": {
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
      "looks for the claim of a verify by its address alone": rememberingStarts("claim"),
    },
  }),
  ...(["discover", "call"] as const).map((operation) =>
    mutant("TRIA-24", `closes ${operation} to an account that is claimed`, closingToClaimed(operation)),
  ),
];
