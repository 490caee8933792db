import { claimReasons } from "../../../reference-server/accounts/claim-reasons.ts";
import type { Account, Claims, Mailer, Parts } from "../../../reference-server/parts.ts";
import { answering, onPart, together, onStatus, withSuccess, type Change } from "../../changes/mutant.ts";
import type { WireAnswer, WireRequest } from "../../changes/wire.ts";

type Start = Claims["start"];
type Verify = Claims["verify"];
type Mail = Parameters<Mailer["send"]>[0];

/** The answer to a claim start, whatever its outcome. */
export const started = {
  status: "code_sent" as const,
  emailMasked: "j***@example.com",
  codeExpiresAt: Date.UTC(2030, 0, 1),
};

/** The answer to a claim verification, whatever its outcome. */
export const claimed = {
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

/** The address of a formal account of the demo. */
export const formalEmail = "owner@example.com";
/** The code in a mail. */
export const codeIn = (text: string): string => /\d{6}/.exec(text)?.[0] ?? "";

/** Wraps the start and verification of claims; omitted parts are unchanged. */
const onClaims = (change: (claims: Claims, parts: Parts) => Partial<Claims>): Change =>
  onPart("claims", (claims, parts) => ({ ...claims, ...change(claims, parts) }));

/** Wraps the start of claims. */
export const onStart = (change: (start: Start, parts: Parts) => Start): Change =>
  onClaims((claims, parts) => ({ start: change(claims.start, parts) }));

/** Wraps the verification of claims. */
export const onVerify = (change: (verify: Verify, parts: Parts) => Verify): Change =>
  onClaims((claims, parts) => ({ verify: change(claims.verify, parts) }));

/** Changes every mail before it is sent; null sends none. Changed in place, since the claims hold the mailer itself. */
export const onMails = (change: (mail: Mail) => Mail | null): Change =>
  onPart("mailer", (mailer) => {
    const send = mailer.send.bind(mailer);
    return Object.assign(mailer, {
      async send(mail: Mail): Promise<void> {
        const changed = change(mail);
        if (changed !== null) await send(changed);
      },
    });
  });

/** Mails a code that belongs to no claim. */
export const sendCode = (mailer: Mailer, to: string, code = "123456"): Promise<void> =>
  mailer.send({ to, subject: "Your claim code", text: `Your code is ${code}.` });

/** Binds a formal account's address, when the predicate selects it, by a code of its own. */
export const bindingFormal = (chooses: (email: string) => boolean): Change =>
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

/** Concurrent verifications of one address do not see each other's result. */
export function blindToEachOther(): Change {
  const running = new Map<string, number>();
  return onVerify((verify) => async (claimCode, email, code) => {
    running.set(email, (running.get(email) ?? 0) + 1);
    const answer = await verify(claimCode, email, code);
    const concurrent = running.get(email)! > 1;
    return concurrent && answer.status === "refused" && answer.field === "email" ? claimed : answer;
  });
}

/** Accepts any mailed code for any claim and address. */
export function takingAnyMailedCode(): Change {
  const mailed = new Set<string>();
  return together(
    overhearing((_to, code) => mailed.add(code)),
    onVerify((verify) => async (claimCode, email, code) => {
      const answer = await verify(claimCode, email, code);
      return answer.status === "refused" && mailed.has(code) ? claimed : answer;
    }),
  );
}

/** Learns every mailed code. */
const overhearing = (learn: (to: string, code: string) => unknown): Change =>
  onMails((mail) => {
    learn(mail.to, codeIn(mail.text));
    return mail;
  });

/** Accepts a code mailed to the address of a claim for any claim of that address. */
export function takingCodesOfAddress(): Change {
  const codes = new Map<string, string[]>();
  return together(
    overhearing((to, code) => codes.set(to, [...(codes.get(to) ?? []), code])),
    onVerify((verify) => async (claimCode, email, code) => {
      const answer = await verify(claimCode, email, code);
      const isWrong = answer.status === "refused" && /^The code is wrong/.test(answer.reason);
      return isWrong && codes.get(email)?.includes(code) ? claimed : answer;
    }),
  );
}

/** Accepts a wrong code that shares its first and last digit with the last mailed code. */
export function comparingEnds(): Change {
  const mailed = new Map<string, string>();
  const ends = (code: string): string => `${code.slice(0, 1)}${code.slice(-1)}`;
  return together(
    overhearing((to, code) => mailed.set(to, code)),
    onVerify((verify) => (claimCode, email, code) => {
      const right = mailed.get(email) ?? code;
      return verify(claimCode, email, ends(code) === ends(right) ? right : code);
    }),
  );
}

/** Accepts any code for a claim after some wrong ones. */
export function tiring(most: number): Change {
  const tries = new Map<string, number>();
  return onVerify((verify) => async (claimCode, email, code) => {
    const answer = await verify(claimCode, email, code);
    if (answer.status !== "refused" || answer.field !== "code") return answer;
    tries.set(claimCode, (tries.get(claimCode) ?? 0) + 1);
    return tries.get(claimCode)! >= most ? claimed : answer;
  });
}

/** Accepts any code mailed for a claim with any address for which it was started. */
export function takingCodesOfClaim(): Change {
  const codes = new Map<string, string>();
  const starts = new Map<string, Set<string>>();
  return together(
    overhearing((to, code) => codes.set(`${to} ${code}`, to)),
    onStart((start) => (claimCode, email) => {
      starts.set(claimCode, (starts.get(claimCode) ?? new Set()).add(email));
      return start(claimCode, email);
    }),
    onVerify((verify) => async (claimCode, email, code) => {
      const answer = await verify(claimCode, email, code);
      const addresses = starts.get(claimCode) ?? new Set();
      const isOfClaim = [...addresses].some((to) => codes.has(`${to} ${code}`));
      return answer.status === "refused" && addresses.has(email) && isOfClaim ? claimed : answer;
    }),
  );
}

/** Binds a claimed account to another address, by a code of its own. */
export const bindingAgain: Change = onClaims((claims, { mailer }) => {
  const code = "135792";
  const done = new Set<string>();
  return {
    async start(claimCode, email) {
      if (!done.has(claimCode)) return claims.start(claimCode, email);
      await sendCode(mailer, email, code);
      return started;
    },
    async verify(claimCode, email, given) {
      if (done.has(claimCode) && given === code) return claimed;
      const answer = await claims.verify(claimCode, email, given);
      if (answer.status === "claimed") done.add(claimCode);
      return answer;
    },
  };
});

/** Answers 401 to one operation of a claimed account. */
export function closingToClaimed(operation: "discover" | "call"): Change {
  const keys = new Map<unknown, unknown>();
  const closed = new Set<string>();
  const remembering = (request: WireRequest, answer: WireAnswer): void => {
    if (request.operation === "registerAnonymous") {
      const { data } = JSON.parse(answer.body) as { data: { claim_code: string; api_key: string } };
      keys.set(data.claim_code, data.api_key);
    } else if (request.operation === "verifyClaim") {
      const { claim_code: claimCode } = JSON.parse(request.sent()) as Record<string, unknown>;
      closed.add(`Bearer ${String(keys.get(claimCode))}`);
    }
  };
  return {
    wire(request, answer) {
      if (answer.status === 200) remembering(request, answer);
      return request.operation === operation && closed.has(request.headers.authorization ?? "")
        ? { ...answer, status: 401, body: JSON.stringify({ status: "failure", message: "unknown key" }) }
        : answer;
    },
  };
}

/** Verifies a claim with the address or claim id given at its start. */
export function rememberingStarts(forgets: "claim" | "email"): Change {
  const starts: { claimCode: string; email: string }[] = [];
  return onClaims((claims) => ({
    start(claimCode, email) {
      starts.unshift({ claimCode, email });
      return claims.start(claimCode, email);
    },
    verify(claimCode, email, code) {
      const same = starts.find((start) =>
        forgets === "email" ? start.claimCode === claimCode : start.email === email,
      );
      return claims.verify(same?.claimCode ?? claimCode, same?.email ?? email, code);
    },
  }));
}

/** Refuses the keys of trials after certain events of their claim. */
export const stoppingKeys = (
  when: (step: { step: "start" | "verify"; status: string }) => boolean,
): Change => ({
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

/** Answers a refused claim step as a success when the refusal matches the pattern. */
export const accepting = (operation: "startClaim" | "verifyClaim", refusal: RegExp): Change =>
  onStatus(operation, 422, withSuccess({}), (_, { body }) => refusal.test(body));

/** Removes everything before its claim from an account's lists. */
export const forgetting = (operation: "listUsage" | "listLedger"): Change =>
  answering(operation, (answer, { caller: { account } }) => {
    if (account.type === "formal" && account.email?.startsWith("claim-"))
      (answer.body as { data: { items: unknown[] } }).data.items = [];
    return answer;
  });
