import { timingSafeEqual } from "node:crypto";
import { domainToASCII } from "node:url";
import { claimCodeDigits } from "../../generated/contract.ts";
import type { Claims, Clock, Mailer, Random } from "../parts.ts";
import type { AccountRow, ClaimRow } from "../records.ts";
import type { Transaction, Writer } from "../storage/writer.ts";
import { accountOf } from "./accounts.ts";
import { claimReasons, wrongCode } from "./claim-reasons.ts";
import { secretHash } from "./keys.ts";

/** Lifetime of a mailed code (open points: Trial and claim). */
const mailedCodeLifetimeMs = 10 * 60_000;
/** The number of wrong codes that closes a claim, over all codes mailed for it. */
const maxWrongTries = 5;
/** The most mails that one claim can cause. */
const maxMails = 10;
/** The most mails to one inbox within an hour, over all senders, so that it cannot be flooded. */
const maxMailsOfInbox = 20;
const inboxWindowMs = 3_600_000;

type StartAnswer = Awaited<ReturnType<Claims["start"]>>;
type VerifyAnswer = Awaited<ReturnType<Claims["verify"]>>;
type Refused = Extract<VerifyAnswer, { status: "refused" }>;

/** The code could not be mailed, and the claim is unchanged. */
export class MailNotSent extends Error {}

const refused = <Field extends Refused["field"]>(field: Field, reason: string) => ({
  status: "refused" as const,
  field,
  reason,
});

/**
 * Six digits could be guessed from a plain hash, so the hash is salted with the claim code, which is not stored.
 */
const mailedCodeHash = (claimCode: string, email: string, code: string): string =>
  secretHash(`${claimCode}\n${email}\n${code}`);

interface ClaimParts {
  writer: Writer;
  clock: Clock;
  random: Random;
  mailer: Mailer;
}

interface ClaimOptions {
  blockedEmailDomains: readonly string[];
  /** The address of the claim page, given in the mail. */
  pageUrl: string;
}

/**
 * The claim of a trial account: start mails a six-digit code, verify makes the account a formal one. Every condition is
 * read and changed in one run of the writer, so of two concurrent verifications, in any processes, one wins, and every
 * wrong try counts.
 * `start` throws MailNotSent if the mailer fails; the claim can then be started again.
 */
export function createClaims(parts: ClaimParts, { blockedEmailDomains, pageUrl }: ClaimOptions): Claims {
  const { writer, clock, random, mailer } = parts;
  const blocked = blockedEmailDomains.map((domain) => domainToASCII(domain.toLowerCase()));
  return {
    async start(claimCode, address) {
      const email = normalEmail(address);
      if (email === null) return refused("email", claimReasons.notAnAddress.en);
      const code = newMailedCode(random);
      const mailed = { email, code, expiresAt: clock.now() + mailedCodeLifetimeMs };
      let accountId = "";
      const answer = await writer.run(async (tx): Promise<StartAnswer> => {
        const claim = await startable(tx, claimCode, email, blocked, clock.now());
        if ("status" in claim) return claim;
        accountId = claim.account_id;
        await keepMailedCode(tx, claim.account_id, claimCode, mailed);
        return { status: "code_sent", emailMasked: maskEmail(email), codeExpiresAt: mailed.expiresAt };
      });
      if (answer.status !== "code_sent") return answer;
      try {
        await mailer.send({ to: email, ...claimMail(code, pageUrl) });
      } catch (cause) {
        // A mail that was not sent does not count towards the limit.
        await writer.run((tx) =>
          tx.all("UPDATE claims SET mails_sent = mails_sent - 1 WHERE account_id = ?", [accountId]),
        );
        throw new MailNotSent("the code could not be mailed", { cause });
      }
      return answer;
    },

    verify(claimCode, address, code) {
      const now = clock.now();
      return writer.run((tx) => verifyClaim(tx, claimCode, normalEmail(address), code, now));
    },
  };
}

const newMailedCode = (random: Random): string =>
  String(random.bytes(6).readUIntBE(0, 6) % 10 ** claimCodeDigits).padStart(claimCodeDigits, "0");

/** The open claim, if a code may be mailed to the address for it. */
async function startable(
  tx: Transaction,
  claimCode: string,
  email: string,
  blockedDomains: readonly string[],
  now: number,
) {
  const claim = await openClaim(tx, claimCode, now);
  if ("status" in claim) return claim;
  const domain = domainToASCII(email.slice(email.lastIndexOf("@") + 1));
  if (blockedDomains.some((entry) => domain === entry || domain.endsWith(`.${entry}`))) {
    return { status: "blocked" as const, reason: claimReasons.blocked.en };
  }
  if (await belongsToFormalAccount(tx, email)) return refused("email", claimReasons.emailRefused.en);
  if (claim.mails_sent >= maxMails) return refused("claim_code", claimReasons.tooManyMails.en);
  if (!(await takeFromInbox(tx, email))) return refused("email", claimReasons.inboxFull.en);
  return claim;
}

const keepMailedCode = (
  tx: Transaction,
  accountId: string,
  claimCode: string,
  { email, code, expiresAt }: { email: string; code: string; expiresAt: number },
) =>
  tx.all(
    `UPDATE claims SET state = 'pending', email = ?, mailed_code_hash = ?, code_expires_at = ?,
      mails_sent = mails_sent + 1, last_mailed_at = ? WHERE account_id = ?`,
    [email, mailedCodeHash(claimCode, email, code), expiresAt, tx.now, accountId],
  );

async function verifyClaim(
  tx: Transaction,
  claimCode: string,
  email: string | null,
  code: string,
  now: number,
): Promise<VerifyAnswer> {
  const claim = await openClaim(tx, claimCode, now);
  if ("status" in claim) return claim;
  if (claim.state !== "pending" || claim.mailed_code_hash === null || claim.code_expires_at === null) {
    return refused("code", claimReasons.notStarted.en);
  }
  if (email === null || email !== claim.email) return refused("email", claimReasons.anotherAddress.en);
  if (claim.code_expires_at <= now) return refused("code", claimReasons.codeExpired.en);
  const given = Buffer.from(mailedCodeHash(claimCode, email, code), "hex");
  if (!timingSafeEqual(given, Buffer.from(claim.mailed_code_hash, "hex"))) {
    await tx.all("UPDATE claims SET wrong_tries = wrong_tries + 1 WHERE account_id = ?", [claim.account_id]);
    const left = maxWrongTries - claim.wrong_tries - 1;
    return refused("code", left > 0 ? wrongCode(left).en : claimReasons.closed.en);
  }
  if (await belongsToFormalAccount(tx, email)) return refused("email", claimReasons.emailRefused.en);
  await tx.all(
    `UPDATE claims SET state = 'claimed', claimed_at = ?, mailed_code_hash = NULL, code_expires_at = NULL
      WHERE account_id = ?`,
    [tx.now, claim.account_id],
  );
  const [account] = await tx.all<AccountRow>(
    "UPDATE accounts SET type = 'formal', email = ?, trial_expires_at = NULL WHERE id = ? RETURNING *",
    [email, claim.account_id],
  );
  return { status: "claimed", account: accountOf(account!) };
}

/** The claim for a code, unless it is unknown, done, expired or closed. */
async function openClaim(tx: Transaction, claimCode: string, now: number) {
  const [claim] = await tx.all<ClaimRow & Pick<AccountRow, "closed_at">>(
    "SELECT c.*, a.closed_at FROM claims c JOIN accounts a ON a.id = c.account_id WHERE c.claim_code_hash = ?",
    [secretHash(claimCode)],
  );
  if (!claim) return refused("claim_code", claimReasons.unknownClaimCode.en);
  if (claim.state === "claimed") return refused("claim_code", claimReasons.claimed.en);
  if (claim.closed_at !== null) return refused("claim_code", claimReasons.accountClosed.en);
  if (claim.expires_at <= now) return refused("claim_code", claimReasons.claimExpired.en);
  if (claim.wrong_tries >= maxWrongTries) return refused("claim_code", claimReasons.closed.en);
  return claim;
}

/** Counts another mail to an inbox. Neither a `+` label nor dots in the address make it another inbox. */
async function takeFromInbox(tx: Transaction, email: string): Promise<boolean> {
  const inbox = secretHash(inboxOf(email));
  // A window that begins in the future was written before the clock was set back.
  await tx.all("DELETE FROM mailed_inboxes WHERE since <= ? OR since > ?", [tx.now - inboxWindowMs, tx.now]);
  const [row] = await tx.all<{ mails: number }>(
    `INSERT INTO mailed_inboxes (inbox_hash, since, mails) VALUES (?, ?, 1)
      ON CONFLICT (inbox_hash) DO UPDATE SET mails = mailed_inboxes.mails + 1 RETURNING mails`,
    [inbox, tx.now],
  );
  return row!.mails <= maxMailsOfInbox;
}

async function belongsToFormalAccount(tx: Transaction, email: string): Promise<boolean> {
  const rows = await tx.all("SELECT 1 AS taken FROM accounts WHERE type = 'formal' AND email = ?", [email]);
  return rows.length > 0;
}

/** The form in which addresses are stored and compared: trimmed, in lower case; null for an invalid address. */
function normalEmail(address: string): string | null {
  const email = address.trim().toLowerCase();
  return email.length <= 254 &&
    /^[^\s@<>(),;:"\\[\]]{1,64}@[^\s@<>(),;:"\\[\]]+\.[^\s@<>(),;:"\\[\].]+$/.test(email)
    ? email
    : null;
}

/** `jane@example.com` as `j***@example.com`. */
const maskEmail = (email: string): string => `${[...email][0]}***${email.slice(email.lastIndexOf("@"))}`;

function claimMail(code: string, pageUrl: string): { subject: string; text: string } {
  return {
    subject: `${code} is your claim code · 您的认领验证码`,
    text: [
      `Your code is ${code}. It works once, within 10 minutes, at ${pageUrl}`,
      "With it, a trial agent becomes an account that belongs to this e-mail address; its API key stays the same.",
      "If you did not ask for it, ignore this mail.",
      "",
      `您的验证码是 ${code}。10 分钟内有效，仅可使用一次：${pageUrl}`,
      "验证后，试用代理将成为归属于此邮箱的正式账户，API 密钥保持不变。",
      "如果不是您本人操作，请忽略此邮件。",
      "",
    ].join("\n"),
  };
}

/** The address without what many mail services ignore. */
function inboxOf(email: string): string {
  const [name = "", domain = ""] = email.split("@");
  return `${name.replace(/\+.*/, "").replaceAll(".", "")}@${domain.replace(/^googlemail\.com$/, "gmail.com")}`;
}
