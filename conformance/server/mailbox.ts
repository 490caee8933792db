import { execFile } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { WrongUse } from "../../base/exit.ts";
import { Blocked } from "../judge/verdict.ts";
import { textOfHtml } from "./mail-text.ts";
import { codeIn } from "./mailed-code.ts";
import type { Profile } from "./profile.ts";
import type { Secrets } from "./secrets.ts";
import { until } from "./session.ts";

/** The maximum size of a mail, in bytes. */
const maxMail = 1024 * 1024;

/** How late a mail may be where the profile does not say. */
const usualMailLagSeconds = 30;

/** A received mail, reduced to what a check needs. */
export interface Mail {
  /** All its recipients, in lower case. */
  to: string[];
  /** Its six-digit code; undefined when it has none. */
  code: string | undefined;
}

/** The mails that the server under test sends while the suite runs. */
export interface Mailbox {
  /**
   * Waits for the next mail to the address that contains a six-digit code, and returns the code.
   * @throws Blocked when none arrives within the profile's `mail_lag`, 30 seconds by default
   */
  codeFor(email: string): Promise<string>;
  /** How late a mail may be. */
  readonly lagSeconds: number;
  /** The next mail to the address, with or without a code; undefined when none arrives within `lagSeconds`. */
  next(email: string): Promise<Mail | undefined>;
  /** Every mail to the address so far, including those already returned. */
  received(email: string): Promise<Mail[]>;
  close(): Promise<void>;
}

/** A source of mails: all mails to one address since it was opened, oldest first. */
interface Source {
  mailsTo(email: string): Promise<Mail[]>;
  close(): Promise<void>;
}

/**
 * Opens the profile's mailbox. Received codes are registered as secrets, so that no record shows them.
 * @throws WrongUse when it cannot listen on the address, or the directory does not exist
 */
export async function openMailbox(profile: Profile, secrets: Secrets): Promise<Mailbox> {
  const source = await openSource(profile.mailbox);
  const lag = profile.mail_lag ?? usualMailLagSeconds;
  const taken = new Map<string, number>();

  const received = async (email: string): Promise<Mail[]> => {
    const mails = await source.mailsTo(email.toLowerCase());
    for (const { code } of mails) if (code !== undefined) secrets.learn(code, "mailed code");
    return mails;
  };
  const next = async (email: string): Promise<Mail | undefined> => {
    const index = taken.get(email) ?? 0;
    const mails = await until(
      1000 * lag,
      () => received(email),
      (mails) => mails.length > index,
    );
    if (mails.length > index) taken.set(email, index + 1);
    return mails[index];
  };
  return {
    lagSeconds: lag,
    next,
    received,
    async codeFor(email) {
      for (let mail = await next(email); mail !== undefined; mail = await next(email)) {
        if (mail.code !== undefined) return mail.code;
      }
      throw new Blocked(`no mail with a 6-digit code to ${email} arrived within ${lag} seconds`);
    },
    close: () => source.close(),
  };
}

async function openSource(mailbox: Profile["mailbox"]): Promise<Source> {
  if (mailbox === undefined) throw new TypeError("a mailbox is opened only where the profile has one");
  if ("smtp_listen" in mailbox) return listen(mailbox.smtp_listen);
  if ("directory" in mailbox) return watch(mailbox.directory);
  return ask(mailbox.command);
}

/** An SMTP server run by the suite, to which the server under test sends its mail. */
async function listen(address: string): Promise<Source> {
  const [, host, port] = /^(?:\[?([^[\]]+)\]?:)?(\d{1,5})$/.exec(address) ?? [];
  if (port === undefined || Number(port) > 65_535) {
    throw new WrongUse(`mailbox.smtp_listen ${address} should be HOST:PORT, such as 127.0.0.1:2525`);
  }
  const mails: Mail[] = [];
  const { SMTPServer } = await import("smtp-server");
  const server = new SMTPServer({
    authOptional: true,
    size: maxMail,
    disabledCommands: ["STARTTLS"],
    logger: false,
    onAuth: (_auth, _session, done) => done(null, { user: "anyone" }),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      let size = 0;
      stream.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size <= maxMail) chunks.push(chunk);
      });
      stream.on("end", () => {
        if (size > maxMail) return done(new Error(`a mail may have ${maxMail} bytes`));
        const receivers = session.envelope.rcptTo.map((receiver) => receiver.address);
        void parseMail(Buffer.concat(chunks), receivers).then((mail) => {
          mails.push(mail);
          done();
        });
      });
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(
        new WrongUse(
          error.code === "EADDRINUSE"
            ? `mailbox.smtp_listen ${address} is in use; name a port that is free`
            : `mailbox.smtp_listen cannot listen on ${address}: ${error.message}`,
        ),
      );
    });
    server.listen(Number(port), host ?? "127.0.0.1", resolve);
  });
  // A client that disconnects in the middle of a mail must not end the run.
  server.on("error", () => undefined);
  return {
    mailsTo: async (email) => mails.filter((mail) => mail.to.includes(email)),
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** A directory into which the server under test writes its mails, each as an .eml or .json file. */
async function watch(directory: string): Promise<Source> {
  const isFolder = await stat(directory).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  if (!isFolder) {
    throw new WrongUse(
      `mailbox.directory ${directory} is not a directory; name the one to which the server writes its mails`,
    );
  }
  const files = async (): Promise<string[]> =>
    (await readdir(directory)).filter((name) => /\.(eml|json)$/i.test(name)).sort();
  const known = new Set(await files());
  const mails: Mail[] = [];
  const readNew = async (): Promise<void> => {
    for (const name of await files()) {
      if (known.has(name)) continue;
      known.add(name);
      const mail = await readMail(join(directory, name));
      // A file that is still being written is read again next time.
      if (mail === undefined) known.delete(name);
      else mails.push(mail);
    }
  };
  let reading = Promise.resolve();
  return {
    async mailsTo(email) {
      reading = reading.then(readNew);
      await reading;
      return mails.filter((mail) => mail.to.includes(email));
    },
    close: async () => undefined,
  };
}

async function readMail(file: string): Promise<Mail | undefined> {
  const isLong = await stat(file).then(
    ({ size }) => size > maxMail,
    () => false,
  );
  if (isLong) return { to: [], code: undefined };
  const raw = await readFile(file).catch(() => undefined);
  if (raw === undefined || raw.length === 0) return undefined;
  if (!/\.json$/i.test(file)) return parseMail(raw);
  try {
    return mailOfJson(JSON.parse(raw.toString("utf8")));
  } catch {
    return undefined;
  }
}

/** A command that takes the address as its last argument and prints the newest mail to it, or nothing. */
async function ask(command: string): Promise<Source> {
  const printed = new Map<string, { outputs: Set<string>; mails: Mail[] }>();
  return {
    async mailsTo(email) {
      const { outputs, mails } = printed.get(email) ?? { outputs: new Set<string>(), mails: [] };
      printed.set(email, { outputs, mails });
      const output = await outputOf(command, email);
      if (output.trim() !== "" && !outputs.has(output)) {
        outputs.add(output);
        mails.push(await parsePrinted(output, email));
      }
      return [...mails];
    },
    close: async () => undefined,
  };
}

/** The command's output. A failure means "no mail yet", unless the command could not be run at all. */
function outputOf(command: string, email: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile("/bin/sh", ["-c", `${command} "$1"`, "mailbox", email], { timeout: 30_000 }, (error, stdout) => {
      if (error?.code === 126 || error?.code === 127) {
        reject(new Error(`mailbox.command ${command} cannot be run`));
      } else {
        resolve(error ? "" : stdout);
      }
    });
  });
}

async function parsePrinted(output: string, email: string): Promise<Mail> {
  const looksLikeMail = /^[A-Za-z-]+:.*\r?\n/.test(output) && /\r?\n\r?\n/.test(output);
  if (looksLikeMail) {
    const mail = await parseMail(Buffer.from(output), [email]);
    if (mail.code !== undefined) return mail;
  }
  return { to: [email], code: codeIn([output]) };
}

/** A raw mail; `receivers` are its envelope's, if known. An unreadable mail has no code. */
async function parseMail(raw: Buffer, receivers: string[] = []): Promise<Mail> {
  const { default: PostalMime } = await import("postal-mime");
  const mail: Partial<Awaited<ReturnType<typeof PostalMime.parse>>> = await PostalMime.parse(raw).catch(
    () => ({}),
  );
  const named = [mail.to, mail.cc, mail.bcc].flatMap((list) => list ?? []);
  const addresses = named.flatMap((address) =>
    (address.group ?? [address]).map((member) => member.address ?? ""),
  );
  return {
    to: [...new Set([...receivers, ...addresses].map((address) => address.toLowerCase()))],
    code: codeIn([mail.subject ?? "", mail.text ?? "", textOfHtml(mail.html ?? "")]),
  };
}

/** A mail as a JSON object: the addresses under `to` are its recipients, and any other field may hold its text. */
function mailOfJson(json: unknown): Mail {
  const fields: Record<string, unknown> = typeof json === "object" && json !== null ? { ...json } : {};
  const addresses = stringsIn([fields["to"], fields["cc"], fields["envelope"], fields["recipient"]]).flatMap(
    (text) => text.split(/[\s<>,;"]+/).filter((word) => word.includes("@")),
  );
  const { subject, text, html, body, ...rest } = fields;
  return {
    to: [...new Set(addresses.map((address) => address.toLowerCase()))],
    code:
      codeIn([...stringsIn([subject, text]), ...stringsIn([html, body]).map(textOfHtml)]) ??
      codeIn(stringsIn(rest["code"] ?? null)),
  };
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}
