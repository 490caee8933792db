import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SendMailOptions } from "nodemailer";
import type { Clock, Mailer, Random } from "../parts.ts";

/** Deadline of one mail, which also ends a mail server that trickles bytes. */
const mailDeadlineMs = 25_000;

/** A mailer that can be closed, with a phrase for the operator that says where its mails go. */
export interface ConfiguredMailer extends Mailer {
  destination: string;
  close(): void;
}

interface MailOptions {
  smtpUrl: string | null;
  outbox: string;
  from: string;
  /** Deadline of one mail, in ms. */
  deadlineMs?: number;
}

/**
 * Sends mail by SMTP if an address is configured (`smtp://user:password@host:port`, `smtps://…`); otherwise writes each
 * mail as an .eml file to an outbox folder that only its owner can read.
 * @throws Error if the address is not an SMTP address
 */
export async function createMailer(
  { smtpUrl, outbox, from, deadlineMs = mailDeadlineMs }: MailOptions,
  { clock, random }: { clock: Clock; random: Random },
): Promise<ConfiguredMailer> {
  const transport = smtpUrl === null ? writingTransport() : await sendingTransport(smtpUrl);
  if (smtpUrl === null) await mkdir(outbox, { recursive: true, mode: 0o700 });
  return {
    destination: smtpUrl === null ? `the folder ${outbox}` : `the SMTP server ${new URL(smtpUrl).host}`,
    /** Rejects if the mail could not be handed over, at the latest at the deadline. */
    async send({ to, subject, text }) {
      const messageId = `<${random.bytes(16).toString("hex")}@capability-service>`;
      const mail = {
        from,
        to: { name: "", address: to },
        subject,
        text,
        messageId,
        date: new Date(clock.now()),
      };
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => late.reject(new Error(`the mail was not taken within ${deadlineMs} ms`)),
        deadlineMs,
      );
      const sending = transport.send({ ...mail, disableFileAccess: true, disableUrlAccess: true });
      await Promise.race([sending, late.promise]).finally(() => clearTimeout(timer));
    },
    close: () => transport.close(),
  };

  function writingTransport() {
    // Loaded with the first mail, since it would slow every start down.
    const open = async () => {
      const { createTransport } = await import("nodemailer");
      return createTransport({ streamTransport: true, buffer: true, newline: "windows" });
    };
    let stream: ReturnType<typeof open> | undefined;
    return {
      async send(mail: SendMailOptions): Promise<void> {
        const { message } = await (await (stream ??= open())).sendMail(mail);
        const time = new Date(clock.now()).toISOString().replace(/[:.]/g, "-");
        const file = join(outbox, `${time}-${random.bytes(4).toString("hex")}.eml`);
        await writeFile(`${file}.partial`, message as Buffer, { mode: 0o600 });
        await rename(`${file}.partial`, file);
      },
      close: () => undefined,
    };
  }
}

async function sendingTransport(smtpUrl: string) {
  if (!/^smtps?:\/\/[^/]/.test(smtpUrl) || !URL.canParse(smtpUrl)) {
    throw new Error("SMTP_URL must be an address such as smtp://user:password@host:587 or smtps://host:465");
  }
  // A mail server that does not answer must not hold a claim request for minutes.
  const { createTransport } = await import("nodemailer");
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
  });
  return {
    async send(mail: SendMailOptions): Promise<void> {
      await transport.sendMail(mail);
    },
    close: () => transport.close(),
  };
}
