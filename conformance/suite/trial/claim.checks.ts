import { randomInt } from "node:crypto";
import { check, type Stage } from "../../run/check.ts";
import type { Mailbox } from "../../server/mailbox.ts";
import type { Answer } from "../../judge/answer.ts";
import { usable } from "../../server/account.ts";
import { Unverifiable } from "../../judge/verdict.ts";
import {
  freeAddress,
  registerTrial,
  requireFreeAddresses,
  startClaim,
  startedClaim,
  verifiedClaim,
  verifyClaim,
  wentWell,
} from "../../server/trials.ts";
import { expectAdmitted } from "./admitted.ts";

const feature = "claim";
const withMail = { feature, needs: ["mailbox"] } as const;

export const checks = [
  check(
    ["TRIA-12", "TRIA-13", "TRIA-14"],
    "a claim with a valid code and a free address is answered with 200 and mails a code of 6 digits",
    withMail,
    async ({ stranger, mailbox, profile, expect }) => {
      const { claimCode } = await registerTrial(stranger);
      const email = freeAddress(profile);
      const answer = await startClaim(stranger, claimCode, email);
      if (!wentWell(answer)) requireFreeAddresses(profile);
      expect(answer).toHaveStatus(200);
      expect(answer.at("status")).toBe("success");
      // A profile that names the mailbox promises that it shows the mails.
      const mail = await mailbox.next(email);
      expect(mail?.to, "the receivers of a mail to the address").toSatisfy(
        `to get a mail within ${mailbox.lagSeconds} seconds (mail_lag)`,
        () => mail !== undefined,
      );
      expect(mail?.code !== undefined, "whether the mail holds a code of 6 digits").toBe(true);
    },
  ),

  check(
    "TRIA-15",
    "an unknown claim code mails no code",
    withMail,
    async ({ stranger, mailbox, profile, unique, expect }) => {
      const { claimCode } = await registerTrial(stranger);
      const [stranded, free] = [freeAddress(profile), freeAddress(profile)];
      await startClaim(stranger, unique("unknown"), stranded);
      await startedClaim(stranger, claimCode, free);
      await mailbox.codeFor(free);
      expect(await codesFor(mailbox, stranded), "the codes that an unknown claim code mails").toBeEmpty();
    },
  ),

  check(
    "TRIA-16",
    "an unknown claim code is not answered like a started claim",
    { feature },
    async ({ stranger, profile, unique, expect }) => {
      const { claimCode } = await registerTrial(stranger);
      const started = await startedClaim(stranger, claimCode, freeAddress(profile));
      const unknown = await startClaim(stranger, unique("unknown"), freeAddress(profile));
      expect(kindOf(unknown), "the answer to an unknown claim code").not(kindOf(started));
      expect(wentWell(unknown), "whether a claim with an unknown claim code starts").toBe(false);
    },
  ),

  check(
    "TRIA-17",
    "a trial cannot be bound to the address of a formal account",
    { feature, needs: ["formal_email", "mailbox"] },
    async (stage) => {
      const { stranger, mailbox, profile, expect } = stage;
      const formal = profile.emails.formal!;
      // The domain of an address has no case (RFC 5321, section 2.4).
      for (const email of [formal, formal.replace(/@.*/, (domain) => domain.toUpperCase())]) {
        const { claimCode } = await registerTrial(stranger);
        const before = (await mailbox.received(email)).length;
        const bound = await triesToBind(stage, claimCode, email, before);
        expect(bound, "whether the trial is bound to the address of a formal account").toBe(false);
      }
    },
  ),

  check(
    ["TRIA-18", "TRIA-20"],
    "a blocked claim is answered differently from a started one, and leaves the trial unchanged",
    { feature, needs: ["blocked_domain"] },
    async ({ stranger, profile, unique, expect }) => {
      const { account, claimCode } = await registerTrial(stranger);
      const blocked = await startClaim(
        stranger,
        claimCode,
        `${unique("agent")}@${profile.emails.blocked_domain!}`,
      );
      expect(await account.discover("data")).toHaveStatus(200);
      const started = await startClaim(stranger, claimCode, freeAddress(profile));
      if (!wentWell(started)) requireFreeAddresses(profile);
      expect(started).toHaveStatus(200);
      expect(started.at("status")).toBe("success");
      expect(kindOf(blocked), "the answer to a blocked claim").not(kindOf(started));
    },
  ),

  check(
    "TRIA-19",
    "a blocked claim sends no mail",
    { feature, needs: ["blocked_domain", "mailbox"] },
    async ({ stranger, mailbox, profile, unique, expect }) => {
      const { claimCode } = await registerTrial(stranger);
      const blocked = `${unique("agent")}@${profile.emails.blocked_domain!}`;
      await startClaim(stranger, claimCode, blocked);
      const free = freeAddress(profile);
      await startedClaim(stranger, claimCode, free);
      await mailbox.codeFor(free);
      expect(await codesFor(mailbox, blocked), "the codes that a blocked claim mails").toBeEmpty();
    },
  ),

  check(
    "TRIA-21",
    "claim fields that are not strings, and a start with an invalid address, are refused with 422",
    { feature },
    async ({ stranger, profile, expect }) => {
      const { claimCode } = await registerTrial(stranger);
      const email = freeAddress(profile);
      expect(await startClaim(stranger, 42, email)).toHaveStatus(422);
      expect(await startClaim(stranger, claimCode, 42)).toHaveStatus(422);
      expect(await startClaim(stranger, claimCode, "no address")).toHaveStatus(422);
      await startedClaim(stranger, claimCode, email);
      expect(await verifyClaim(stranger, claimCode, email, 123456)).toHaveStatus(422);
      expect(await verifyClaim(stranger, claimCode, 42, "123456")).toHaveStatus(422);
    },
  ),

  check(
    "TRIA-22",
    "a step of a claim without one of its fields is refused with 422; a verify before its start does not succeed",
    { feature },
    async ({ stranger, profile, expect }) => {
      const { claimCode } = await registerTrial(stranger);
      const email = freeAddress(profile);
      const early = await verifyClaim(stranger, claimCode, email, "000000");
      expect(wentWell(early), "whether a claim that was not started is verified").toBe(false);
      expect(await startClaim(stranger, claimCode, undefined)).toHaveStatus(422);
      expect(await startClaim(stranger, undefined, email)).toHaveStatus(422);
      await startedClaim(stranger, claimCode, email);
      expect(await verifyClaim(stranger, claimCode, email, undefined)).toHaveStatus(422);
      expect(await verifyClaim(stranger, claimCode, undefined, "000000")).toHaveStatus(422);
      expect(await verifyClaim(stranger, undefined, email, "000000")).toHaveStatus(422);
    },
  ),

  check(
    ["TRIA-23", "TRIA-24", "TRIA-25", "TRIA-07"],
    "a claim is verified by its mailed code; key, balance and history are kept",
    { feature, needs: ["mailbox", "tool.charged"] },
    async (stage) => {
      const { stranger, mailbox, tool, profile, expect } = stage;
      const { account, claimCode } = await registerTrial(stranger);
      const call = await account.succeed(tool("charged"));
      const execution = call.at("execution_id").string;
      const event = (await account.usageOf(call)).at("id").value;
      const entries = (await account.ledgerOf(call)).map((entry) => entry.at("id").value);
      const email = freeAddress(profile);
      await startedClaim(stranger, claimCode, email);
      await expectAdmitted(stage, account, "while the claim is pending");
      await account.settled();
      const credits = await account.credits();

      const verified = await verifyClaim(stranger, claimCode, email, await mailbox.codeFor(email));
      expect(verified).toHaveStatus(200);
      expect(verified.at("status")).toBe("success");
      expect(await account.inspect([tool("charged").id])).toHaveStatus(200);
      // A deployment may reward a claim, but the credits must not decrease.
      expect(await account.credits(), "the credits after the claim").toBeAtLeast(credits);
      const events = (await account.usageEventsOf(execution)).map((event) => event.at("id").value);
      expect(events, "the usage events of the trial's call after the claim").toBe([event]);
      const kept = (await account.ledgerOf(call)).map((entry) => entry.at("id").value);
      expect(kept, "the ledger entries of the trial's call after the claim").toBe(entries);
      // Last, since a deployment may charge for Discover.
      await expectAdmitted(stage, account, "after the claim");
    },
  ),

  check("TRIA-07", "the key of a trial works while its claim is pending", { feature }, async (stage) => {
    const { stranger, profile } = stage;
    const { account, claimCode } = await registerTrial(stranger);
    usable(await account.discover({ query: "data", limit: 1 }));
    await startedClaim(stranger, claimCode, freeAddress(profile));
    await expectAdmitted(stage, account, "while the claim is pending");
  }),

  check("TRIA-25", "a claim that is verified again grants no credits", withMail, async (stage) => {
    const { stranger, mailbox, profile, expect } = stage;
    const { account, claimCode } = await registerTrial(stranger);
    const email = freeAddress(profile);
    await startedClaim(stranger, claimCode, email);
    const code = await mailbox.codeFor(email);
    await verifiedClaim(stranger, claimCode, email, code);
    // A deployment may reward a claim, as late as its audit is.
    const rewarded = "what a claim may bring";
    await account.session.pause(account.lagMs, rewarded);
    const credits = await account.credits();
    await verifyClaim(stranger, claimCode, email, code);
    await startClaim(stranger, claimCode, email);
    await account.session.pause(account.lagMs, rewarded);
    const most = "the credits after the claim is verified again";
    expect(await account.credits(), most).toBeAtMost(credits);
  }),

  check(
    "TRIA-23",
    "a claim is verified with its address as spelled at the start, capital letters included",
    withMail,
    async ({ stranger, mailbox, profile, expect }) => {
      const { claimCode } = await registerTrial(stranger);
      const email = freeAddress(profile, "Some-One-");
      await startedClaim(stranger, claimCode, email);
      const verified = await verifyClaim(stranger, claimCode, email, await mailbox.codeFor(email));
      expect(verified).toHaveStatus(200);
      expect(verified.at("status")).toBe("success");
    },
  ),

  check(
    ["TRIA-26", "TRIA-17"],
    "a claimed account cannot be claimed again for another address",
    withMail,
    async (stage) => {
      const { stranger, mailbox, profile, expect } = stage;
      const { claimCode } = await registerTrial(stranger);
      const email = freeAddress(profile);
      await startedClaim(stranger, claimCode, email);
      await verifiedClaim(stranger, claimCode, email, await mailbox.codeFor(email));
      const bound = await triesToBind(stage, claimCode, freeAddress(profile));
      expect(bound, "whether a claimed account is bound to another address").toBe(false);
      const fresh = await registerTrial(stranger);
      const boundToo = await triesToBind(stage, fresh.claimCode, email, 1);
      expect(boundToo, "whether another trial is bound to the address of a claimed account").toBe(false);
    },
  ),

  check(
    ["TRIA-26", "TRIA-28"],
    "of two claims for one address, verified at once, one succeeds and the other never does",
    withMail,
    async (stage) => {
      const { stranger, mailbox, profile, expect } = stage;
      const email = freeAddress(profile);
      const rivals: { claimCode: string; code: string }[] = [];
      for (let rival = 0; rival < 2; rival += 1) {
        const { claimCode } = await registerTrial(stranger);
        // A server may allow two open claims for one address or not: if not, there is no race, and the rest still
        // holds.
        if (rivals.length === 0) await startedClaim(stranger, claimCode, email);
        else if (!wentWell(await startClaim(stranger, claimCode, email))) continue;
        rivals.push({ claimCode, code: await mailbox.codeFor(email) });
      }
      const [first, second] = rivals;
      const crosses = first !== undefined && second !== undefined && first.code !== second.code;
      if (crosses) {
        const crossed = await verifyClaim(stranger, first.claimCode, email, second.code);
        expect(wentWell(crossed), "whether a claim is verified by the code of another for its address").toBe(
          false,
        );
      }
      const answers = await Promise.all(
        rivals.map(({ claimCode, code }) => verifyClaim(stranger, claimCode, email, code)),
      );
      for (const { status } of answers)
        expect(status, "the status of a claim's last step").toBeBetween(200, 499);
      const winners = answers.filter(wentWell).length;
      // The crossed code may have ended the first claim, like any wrong code.
      expect(winners, "how many claims are bound to one address").toBeBetween(crosses ? 0 : 1, 1);
      if (winners === 0) throw new Unverifiable("a wrong code ends a claim, so neither claim is verified");
      const loser = rivals[answers.findIndex((answer) => !wentWell(answer))];
      const { claimCode } = loser ?? (await registerTrial(stranger));
      const bound = await triesToBind(stage, claimCode, email, rivals.length);
      expect(bound, "whether a trial is bound to an address that is claimed").toBe(false);
    },
  ),

  check(
    "TRIA-27",
    "made-up codes do not verify claims",
    { feature },
    async ({ stranger, profile, expect }) => {
      let verified = 0;
      // One of them may be right by chance, two are not.
      for (let claim = 0; claim < 2; claim += 1) {
        const { claimCode } = await registerTrial(stranger);
        const email = freeAddress(profile);
        await startedClaim(stranger, claimCode, email);
        const code = String(randomInt(1_000_000)).padStart(6, "0");
        verified += Number(wentWell(await verifyClaim(stranger, claimCode, email, code)));
      }
      expect(verified, "how many of two claims a code that is made up verifies").toBeAtMost(1);
    },
  ),

  check("TRIA-27", "a wrong code does not verify a claim, the right one does", withMail, async (stage) => {
    const { stranger, mailbox, profile, expect } = stage;
    // Two claims, since a claim may end after a few wrong codes.
    for (const placesOf of [() => [0, 5, 2], innerPlaces]) {
      const { claimCode } = await registerTrial(stranger);
      const email = freeAddress(profile);
      await startedClaim(stranger, claimCode, email);
      const code = await mailbox.codeFor(email);
      for (const place of placesOf(code)) {
        const answer = await verifyClaim(stranger, claimCode, email, oneDigitOff(code, place));
        expect(wentWell(answer), `whether a code that is wrong in digit ${place + 1} verifies`).toBe(false);
      }
      const longer = await verifyClaim(stranger, claimCode, email, `${code}0`);
      expect(wentWell(longer), "whether the right code with a digit more verifies").toBe(false);
      await verifiedAfterWrongTries(stage, claimCode, email, code);
    }
  }),

  check(
    "TRIA-28",
    "the code of one claim verifies neither another claim nor another address",
    withMail,
    async (stage) => {
      const { stranger, mailbox, profile, expect } = stage;
      const [one, other] = [await registerTrial(stranger), await registerTrial(stranger)];
      const [mine, theirs] = [freeAddress(profile), freeAddress(profile)];
      await startedClaim(stranger, one.claimCode, mine);
      await startedClaim(stranger, other.claimCode, theirs);
      const code = await mailbox.codeFor(mine);
      const theirCode = await mailbox.codeFor(theirs);
      if (code !== theirCode) {
        const crossed = await verifyClaim(stranger, other.claimCode, theirs, code);
        expect(wentWell(crossed), "whether the code of one claim verifies another").toBe(false);
      }
      const elsewhere = await verifyClaim(stranger, one.claimCode, theirs, code);
      expect(wentWell(elsewhere), "whether a claim is verified for an address it was not started for").toBe(
        false,
      );
      const stolen = await verifyClaim(stranger, other.claimCode, mine, code);
      expect(wentWell(stolen), "whether a claim is verified with the address and code of another").toBe(
        false,
      );
      const next = freeAddress(profile);
      // Whether a pending claim can be started for another address is unspecified.
      const isStarted = wentWell(await startClaim(stranger, one.claimCode, next));
      const nextCode = isStarted ? (await mailbox.next(next))?.code : undefined;
      if (nextCode === undefined) return verifiedAfterWrongTries(stage, one.claimCode, mine, code);
      if (code !== nextCode) {
        const kept = await verifyClaim(stranger, one.claimCode, next, code);
        expect(wentWell(kept), "whether the code for one address verifies the claim for the next").toBe(
          false,
        );
      }
      await verifiedAfterWrongTries(stage, one.claimCode, next, nextCode);
    },
  ),
];

/** An answer without the parts that differ between two equally successful claims: addresses, ids, times. */
function kindOf(answer: Answer): unknown {
  const body = answer.said.replace(/[^\s"]*@[^\s"]*/g, "@").replace(/(?=[\w-]*\d)[\w-]{8,}|\d+/g, "0");
  return { status: answer.status, body };
}

/** The codes mailed to an address; a mail without one may say anything. */
const codesFor = async (mailbox: Mailbox, email: string): Promise<string[]> =>
  (await mailbox.received(email)).flatMap(({ code }) => code ?? []);

/** A six-digit code that differs from the given one in a single place. */
function oneDigitOff(code: string, place: number): string {
  const digit = (Number(code[place]) + 1) % 10;
  return `${code.slice(0, place)}${digit}${code.slice(place + 1)}`;
}

/** Two of the four inner places, determined by the code itself. */
const innerPlaces = (code: string): number[] => [1 + (Number(code) % 2), 3 + (Number(code[4]) % 2)];

/**
 * Tries to claim a trial for an address: start, and verify with each code mailed for it. A later mail to a free address
 * shows that an earlier one, if any, must have arrived.
 * @param before mails to the address from another claim
 */
async function triesToBind(
  { stranger, mailbox, profile, expect }: Stage,
  claimCode: string,
  email: string,
  before = 0,
): Promise<boolean> {
  await startClaim(stranger, claimCode, email);
  const witness = await registerTrial(stranger);
  const witnessed = freeAddress(profile);
  await startedClaim(stranger, witness.claimCode, witnessed);
  await mailbox.codeFor(witnessed);
  for (const { code } of (await mailbox.received(email)).slice(before)) {
    if (code === undefined) continue;
    const answer = await verifyClaim(stranger, claimCode, email, code);
    expect(answer.status, "the status of a claim's last step").toBeBetween(200, 499);
    if (wentWell(answer)) return true;
  }
  return false;
}

/**
 * Verifies a claim with its right code after wrong attempts. A server may end a claim at the first wrong attempt; a
 * claim without one then shows that right codes work.
 */
async function verifiedAfterWrongTries(
  { stranger, mailbox, profile }: Stage,
  claimCode: string,
  email: string,
  code: string,
): Promise<void> {
  if (wentWell(await verifyClaim(stranger, claimCode, email, code))) return;
  const untried = await registerTrial(stranger);
  const address = freeAddress(profile);
  await startedClaim(stranger, untried.claimCode, address);
  await verifiedClaim(stranger, untried.claimCode, address, await mailbox.codeFor(address));
}
