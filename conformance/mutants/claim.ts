import { claimReasons } from "../../reference-server/accounts/claim-reasons.ts";
import type { Account, Claims, Mailer, Parts } from "../../reference-server/parts.ts";
import { mutant, onAnswers, onBody, onOperation, onPart, type Change, type Mutant } from "./mutant.ts";
import type { WireAnswer } from "./wire.ts";

type Start = Claims["start"];
type Verify = Claims["verify"];
type Mail = Parameters<Mailer["send"]>[0];

const started = {
  status: "code_sent" as const,
  emailMasked: "j***@example.com",
  codeExpiresAt: Date.UTC(2030, 0, 1),
};

const claimed = {
  status: "claimed" as const,
  account: {
    id: "account",
    type: "formal",
    name: null,
    email: null,
    createdAt: 0,
    trialExpiresAt: null,
  } satisfies Account,
};

const formalEmail = "owner@example.com";
const codeIn = (text: string): string => /\d{6}/.exec(text)?.[0] ?? "";

/** Wraps how claims start and are verified; whatever is left out stays. */
const onClaims = (change: (claims: Claims, parts: Parts) => Partial<Claims>): Change =>
  onPart("claims", (claims, parts) => ({ ...claims, ...change(claims, parts) }));

const onStart = (change: (start: Start, parts: Parts) => Start): Change =>
  onClaims((claims, parts) => ({ start: change(claims.start, parts) }));

const onVerify = (change: (verify: Verify, parts: Parts) => Verify): Change =>
  onClaims((claims, parts) => ({ verify: change(claims.verify, parts) }));

/** Changes every mail before it is sent; null sends none. The claims hold the mailer itself, so it is changed in place. */
const onMails = (change: (mail: Mail) => Mail | null): Change =>
  onPart("mailer", (mailer) => {
    const send = mailer.send.bind(mailer);
    return Object.assign(mailer, {
      async send(mail: Mail): Promise<void> {
        const changed = change(mail);
        if (changed !== null) await send(changed);
      },
    });
  });

const sendCode = (mailer: Mailer, to: string, code = "123456"): Promise<void> =>
  mailer.send({ to, subject: "Your claim code", text: `Your code is ${code}.` });

/** Binds an address that belongs to a formal account, where the predicate chooses it: by a code of its own. */
const bindingFormal = (chooses: (email: string) => boolean): Change =>
  onClaims((claims, { mailer }) => {
    const code = "246813";
    return {
      async start(claimCode, email) {
        const answer = await claims.start(claimCode, email);
        if (
          answer.status !== "refused" ||
          answer.reason !== claimReasons.emailRefused.en ||
          !chooses(email)
        ) {
          return answer;
        }
        await sendCode(mailer, email, code);
        return started;
      },
      async verify(claimCode, email, given) {
        return given === code ? claimed : claims.verify(claimCode, email, given);
      },
    };
  });

/** Of verifies of one address that run at the same time, none sees what another has bound. */
function blindToEachOther(): Change {
  const running = new Map<string, number>();
  return onVerify((verify) => async (claimCode, email, code) => {
    running.set(email, (running.get(email) ?? 0) + 1);
    const answer = await verify(claimCode, email, code);
    const beside = running.get(email)! > 1;
    return beside && answer.status === "refused" && answer.field === "email" ? claimed : answer;
  });
}

/** Takes any code that was mailed, for whatever claim and address. */
function takingAnyMailedCode(): Change {
  const mailed = new Set<string>();
  const mails = onMails((mail) => {
    mailed.add(codeIn(mail.text));
    return mail;
  });
  const claims = onVerify((verify) => async (claimCode, email, code) => {
    const answer = await verify(claimCode, email, code);
    return answer.status === "refused" && mailed.has(code) ? claimed : answer;
  });
  return { parts: (parts) => claims.parts!(mails.parts!(parts)) };
}

/** Verifies a claim with the address, or an address with the claim, that was given at its start. */
function rememberingStarts(forgets: "claim" | "email"): Change {
  const starts: { claimCode: string; email: string }[] = [];
  return onClaims((claims) => ({
    start(claimCode, email) {
      starts.unshift({ claimCode, email });
      return claims.start(claimCode, email);
    },
    verify(claimCode, email, code) {
      const same = starts.find((one) =>
        forgets === "email" ? one.claimCode === claimCode : one.email === email,
      );
      return claims.verify(same?.claimCode ?? claimCode, same?.email ?? email, code);
    },
  }));
}

/** Refuses the key of trials for which something happened to their claim. */
const stoppingKeys = (when: (step: { step: "start" | "verify"; status: string }) => boolean): Change => ({
  parts: (parts) => {
    const accountOf = new Map<string, string>();
    const stopped = new Set<string>();
    const stop = (claimCode: string, step: "start" | "verify", status: string): void => {
      const account = accountOf.get(claimCode);
      if (account !== undefined && when({ step, status })) stopped.add(account);
    };
    const { accounts, claims } = parts;
    return {
      ...parts,
      accounts: {
        ...accounts,
        async registerTrial(name) {
          const trial = await accounts.registerTrial(name);
          accountOf.set(trial.claimCode, trial.account.id);
          return trial;
        },
        async authenticate(token) {
          const caller = await accounts.authenticate(token);
          if ("refused" in caller || !stopped.has(caller.account.id)) return caller;
          return { refused: "The API key is not known here." };
        },
      },
      claims: {
        async start(claimCode, email) {
          const answer = await claims.start(claimCode, email);
          stop(claimCode, "start", answer.status);
          return answer;
        },
        async verify(claimCode, email, code) {
          const answer = await claims.verify(claimCode, email, code);
          stop(claimCode, "verify", answer.status);
          return answer;
        },
      },
    };
  },
});

/** Answers a refused step of a claim as one that went well, where the refusal says what the pattern looks for. */
const accepting = (operation: "startClaim" | "verifyClaim", refusal: RegExp): Change =>
  onAnswers(
    (request, answer) =>
      request.operation === operation && answer.status === 422 && refusal.test(answer.body),
    (answer): WireAnswer => ({
      ...answer,
      status: 200,
      body: JSON.stringify({ status: "success", message: "ok", status_code: 0, data: {} }),
    }),
  );

/** Leaves out of an account's lists what it did before its claim. */
const forgetting = (operation: "listUsage" | "listLedger"): Change =>
  onOperation(operation, (list: (request: never, context: never) => Promise<unknown>) => {
    return (async (request: { caller: { account: Account } }, context: never) => {
      const answer = (await list(request as never, context)) as { body: { data: { items: unknown[] } } };
      const { account } = request.caller;
      if (account.type === "formal" && account.email?.startsWith("claim-")) answer.body.data.items = [];
      return answer;
    }) as never;
  });

export const claim: Mutant[] = [
  mutant(
    "TRIA-12",
    "answers a started claim with 202",
    onAnswers(
      (request, answer) => request.operation === "startClaim" && answer.status === 200,
      (answer) => ({ ...answer, status: 202 }),
    ),
  ),
  mutant(
    "TRIA-12",
    "calls a started claim a failure",
    onBody("startClaim", (body) => ({ ...body, status: "failure" })),
  ),
  mutant(
    "TRIA-13",
    "answers as if it had sent a mail",
    onMails(() => null),
  ),
  mutant(
    "TRIA-13",
    "mails the code to another address",
    onMails((mail) => ({ ...mail, to: formalEmail })),
  ),
  mutant(
    "TRIA-14",
    "mails a code of 5 digits",
    onMails((mail) => ({
      ...mail,
      subject: "Your claim code",
      text: `Your code is ${codeIn(mail.text).slice(1)}.`,
    })),
  ),
  mutant(
    "TRIA-15",
    "mails a code for an unknown claim code",
    onStart((start, { mailer }) => async (claimCode, email) => {
      const answer = await start(claimCode, email);
      if (answer.status === "refused" && answer.field === "claim_code") await sendCode(mailer, email);
      return answer;
    }),
  ),
  mutant(
    "TRIA-16",
    "answers an unknown claim code as a started claim",
    onStart((start) => async (claimCode, email) => {
      const answer = await start(claimCode, email);
      return answer.status === "refused" && answer.field === "claim_code" ? started : answer;
    }),
  ),
  mutant(
    "TRIA-17",
    "binds a trial to the address of a formal account",
    bindingFormal((email) => email === formalEmail),
  ),
  mutant(
    "TRIA-18",
    "answers a blocked claim as a started one",
    onStart((start) => async (claimCode, email) => {
      const answer = await start(claimCode, email);
      return answer.status === "blocked" ? started : answer;
    }),
  ),
  mutant(
    "TRIA-19",
    "mails a code for a claim that it blocks",
    onStart((start, { mailer }) => async (claimCode, email) => {
      const answer = await start(claimCode, email);
      if (answer.status === "blocked") await sendCode(mailer, email);
      return answer;
    }),
  ),
  mutant(
    "TRIA-20",
    "stops the key of a trial whose claim it blocks",
    stoppingKeys(({ status }) => status === "blocked"),
  ),
  mutant(
    "TRIA-20",
    "lets a trial whose claim it blocked never be claimed",
    onStart((start) => {
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
  ),
  mutant(
    "TRIA-21",
    "refuses what is no string with 400",
    onAnswers(
      (request, answer) => request.operation === "startClaim" && answer.status === 422,
      (answer) => ({ ...answer, status: 400 }),
    ),
  ),
  mutant("TRIA-21", "takes any text as an address", accepting("startClaim", /e-?mail/i)),
  mutant(
    "TRIA-21",
    "takes a number as a code",
    accepting("verifyClaim", /"code"[^}]*string|string[^}]*"code"/i),
  ),
  mutant(
    "TRIA-22",
    "verifies a claim that was not started",
    onVerify((verify) => async (claimCode, email, code) => {
      const answer = await verify(claimCode, email, code);
      return answer.status === "refused" && answer.reason === claimReasons.notStarted.en ? claimed : answer;
    }),
  ),
  mutant(
    "TRIA-22",
    "verifies a claim without its code",
    accepting("verifyClaim", /required[^}]*code|code[^}]*required/i),
  ),
  mutant(
    "TRIA-22",
    "starts a claim without an email",
    accepting("startClaim", /required[^}]*email|email[^}]*required/i),
  ),
  mutant(
    "TRIA-23",
    "calls a verified claim a failure",
    onBody("verifyClaim", (body) => ({ ...body, status: "failure" })),
  ),
  mutant(
    "TRIA-23",
    "answers a verified claim with 201",
    onAnswers(
      (request, answer) => request.operation === "verifyClaim" && answer.status === 200,
      (answer) => ({ ...answer, status: 201 }),
    ),
  ),
  mutant(
    "TRIA-24",
    "stops the trial's key when the claim is verified",
    stoppingKeys(({ status }) => status === "claimed"),
  ),
  mutant(
    "TRIA-25",
    "takes a credit from a trial that is claimed",
    onVerify((verify, { books }) => async (claimCode, email, code) => {
      const answer = await verify(claimCode, email, code);
      if (answer.status === "claimed") {
        await books.move({
          accountId: answer.account.id,
          entryType: "consume_payment_refund",
          amount: -1_000_000,
          description: "Claimed",
        });
      }
      return answer;
    }),
  ),
  mutant("TRIA-25", "forgets the usage events of a trial that is claimed", forgetting("listUsage")),
  mutant("TRIA-25", "forgets the ledger of a trial that is claimed", forgetting("listLedger")),
  mutant(
    "TRIA-26",
    "binds a second trial to an address that is claimed",
    bindingFormal((email) => email !== formalEmail),
  ),
  mutant("TRIA-26", "binds both of two claims that are verified at once", blindToEachOther()),
  mutant(
    "TRIA-26",
    "breaks down over an address that is taken by then",
    onAnswers(
      ({ operation }, { status, body }) =>
        operation === "verifyClaim" && status === 422 && body.includes('"email"'),
      (answer) => ({ ...answer, status: 500 }),
    ),
  ),
  mutant(
    "TRIA-27",
    "takes any code for a claim that is started",
    onVerify((verify) => async (claimCode, email, code) => {
      const answer = await verify(claimCode, email, code);
      return answer.status === "refused" && /^The code is wrong/.test(answer.reason) ? claimed : answer;
    }),
  ),
  mutant(
    "TRIA-27",
    "overlooks the last digit of a code where it is one too high",
    onVerify((verify) => async (claimCode, email, code) => {
      const answer = await verify(claimCode, email, code);
      const lower = `${code.slice(0, 5)}${(Number(code[5]) + 9) % 10}`;
      return answer.status === "refused" && answer.field === "code"
        ? verify(claimCode, email, lower)
        : answer;
    }),
  ),
  mutant("TRIA-28", "takes a mailed code for any claim and any address", takingAnyMailedCode()),
  mutant(
    "TRIA-28",
    "does not compare the address of a verify with that of the claim",
    rememberingStarts("email"),
  ),
  mutant("TRIA-28", "looks for the claim of a verify by its address alone", rememberingStarts("claim")),
];
