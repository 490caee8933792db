import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, readdir } from "node:fs/promises";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import PostalMime from "postal-mime";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Claims } from "../parts.ts";
import { migrate } from "../storage/migrate.ts";
import { connectDatabase } from "../storage/open.ts";
import type { AccountRow, ClaimRow } from "../records.ts";
import { temporaryDatabase } from "../storage/temporary.fixture.ts";
import { createWriter, type Writer } from "../storage/writer.ts";
import { createClaims, MailNotSent } from "./claim.ts";
import { secretHash } from "./keys.ts";
import { createMailer, type ConfiguredMailer } from "./mail.ts";

const minute = 60_000;
const day = 1440 * minute;
const clock = { time: 0, now: () => clock.time };
const random = { bytes: (size: number) => randomBytes(size) };
const log = pino({ level: "silent" });
const inbox: { to: string; text: string; subject: string }[] = [];

const smtp = new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onData(stream, session, done) {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      void PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
        const to = session.envelope.rcptTo.map(({ address }) => address).join();
        inbox.push({ to, text: mail.text ?? "", subject: mail.subject ?? "" });
        done();
      });
    });
  },
});

let folder: string;
let database: Awaited<ReturnType<typeof temporaryDatabase>>;
const from = "Broker <no-reply@broker.example>";
let mailer: ConfiguredMailer;
/** Two processes on one database. */
let writers: [Writer, Writer];
let claims: [Claims, Claims];
let number = 0;

beforeAll(async () => {
  await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
  const { port } = smtp.server.address() as AddressInfo;
  folder = await mkdtemp(join(tmpdir(), "claims-"));
  database = await temporaryDatabase();
  const connection = await connectDatabase(database.url);
  await migrate(connection);
  await connection.destroy();
  mailer = await createMailer(
    { smtpUrl: `smtp://127.0.0.1:${port}`, from, outbox: folder },
    { clock, random },
  );
  const open = () => createWriter({ connect: () => connectDatabase(database.url), clock, random, log });
  writers = [await open(), await open()];
  const options = { blockedEmailDomains: ["blocked.example"], pageUrl: "https://broker.example/claim" };
  const claimsOf = (writer: Writer) => createClaims({ writer, clock, random, mailer }, options);
  claims = [claimsOf(writers[0]), claimsOf(writers[1])];
});

afterAll(async () => {
  await Promise.all(writers.map((writer) => writer.close()));
  await database.remove();
  mailer.close();
  await new Promise<void>((resolve) => smtp.close(resolve));
});

beforeEach(() => {
  clock.time = Date.UTC(2026, 8, 12, 10);
  inbox.length = 0;
});

/** A trial account and its claim code. */
async function trial() {
  const id = `acc_${++number}`;
  const claimCode = randomBytes(16).toString("hex");
  await writers[0].run(async (tx) => {
    await tx.all(
      `INSERT INTO accounts (id, type, trial_expires_at, welcome_remaining, welcome_total, invite_remaining,
        invite_total, purchased_remaining, purchased_total, held, created_at)
        VALUES (?, 'trial', ?, 0, 0, 0, 0, 0, 0, 0, ?)`,
      [id, clock.time + 7 * day, clock.time],
    );
    await tx.all(
      `INSERT INTO claims (account_id, claim_code_hash, state, wrong_tries, mails_sent, expires_at, created_at)
        VALUES (?, ?, 'open', 0, 0, ?, ?)`,
      [id, secretHash(claimCode), clock.time + 30 * day, clock.time],
    );
  });
  return { id, claimCode, email: `user${number}@example.com` };
}

const row = async <Row>(sql: string, id: string): Promise<Row> =>
  (await writers[0].run((tx) => tx.all<Row>(sql, [id])))[0]!;
const claimRow = (id: string) => row<ClaimRow>("SELECT * FROM claims WHERE account_id = ?", id);
const mailedCode = () => /Your code is (\d{6})\./.exec(inbox.at(-1)?.text ?? "")?.[1] ?? "no code";
const wrong = (code: string) => (code === "000000" ? "000001" : "000000");

test("a claim goes from the mailed code to a formal account, over SMTP, and its codes are kept only as hashes", async () => {
  const { id, claimCode, email } = await trial();
  clock.time += 29 * day;
  expect(await claims[0].start(claimCode, ` ${email.toUpperCase()} `)).toEqual({
    status: "code_sent",
    emailMasked: "u***@example.com",
    codeExpiresAt: clock.time + 10 * minute,
  });
  expect(inbox).toMatchObject([{ to: email }]);
  expect(inbox[0]!.text).toContain(`您的验证码是 ${mailedCode()}`);
  const kept = JSON.stringify(await claimRow(id));
  expect(kept).not.toContain(mailedCode());
  expect(kept).not.toContain(claimCode);

  clock.time += 10 * minute - 1;
  const answer = await claims[1].verify(claimCode, email, mailedCode());
  expect(answer).toMatchObject({
    status: "claimed",
    account: { id, type: "formal", email, trialExpiresAt: null },
  });
  expect(await row<AccountRow>("SELECT * FROM accounts WHERE id = ?", id)).toMatchObject({
    type: "formal",
    email,
  });
  expect(await claims[0].verify(claimCode, email, mailedCode())).toMatchObject({ status: "refused" });
  expect(await claims[0].start(claimCode, email)).toMatchObject({ status: "refused", field: "claim_code" });
});

test("a code expires after ten minutes, and a newer one replaces it", async () => {
  const { claimCode, email } = await trial();
  await claims[0].start(claimCode, email);
  const first = mailedCode();
  clock.time += 10 * minute;
  expect(await claims[0].verify(claimCode, email, first)).toMatchObject({ field: "code" });
  await claims[0].start(claimCode, email);
  if (first !== mailedCode()) {
    expect(await claims[0].verify(claimCode, email, first)).toMatchObject({ field: "code" });
  }
  expect(await claims[0].verify(claimCode, email, mailedCode())).toMatchObject({ status: "claimed" });
});

test("five wrong tries, counted over both processes, close the claim, also for a new code", async () => {
  const { id, claimCode, email } = await trial();
  await claims[0].start(claimCode, email);
  const bad = wrong(mailedCode());
  await Promise.all([0, 1, 0, 1].map((process) => claims[process]!.verify(claimCode, email, bad)));
  expect((await claimRow(id)).wrong_tries).toBe(4);
  await claims[0].start(claimCode, email);
  await claims[1].verify(claimCode, email, wrong(mailedCode()));
  expect(await claims[0].verify(claimCode, email, mailedCode())).toMatchObject({
    status: "refused",
    reason: expect.stringContaining("closed") as string,
  });
  expect(await claims[0].start(claimCode, email)).toMatchObject({ status: "refused" });
  expect(inbox).toHaveLength(2);
});

test("of many concurrent verifications, in two processes, one wins", async () => {
  const { claimCode, email } = await trial();
  await claims[0].start(claimCode, email);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) => claims[n % 2]!.verify(claimCode, email, mailedCode())),
  );
  expect(answers.filter(({ status }) => status === "claimed")).toHaveLength(1);
});

test("two concurrent claims for one address: one account gets it", async () => {
  const [one, other] = [await trial(), await trial()];
  const codes: string[] = [];
  for (const { claimCode } of [one, other]) {
    await claims[0].start(claimCode, "shared@example.com");
    codes.push(mailedCode());
  }
  const answers = await Promise.all([
    claims[0].verify(one.claimCode, "shared@example.com", codes[0]!),
    claims[1].verify(other.claimCode, "shared@example.com", codes[1]!),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual(["claimed", "refused"]);
});

test("the code opens only for the address that it was mailed to", async () => {
  const { claimCode, email } = await trial();
  expect(await claims[0].verify(claimCode, email, "123456")).toMatchObject({ field: "code" });
  await claims[0].start(claimCode, email);
  expect(await claims[0].verify(claimCode, "thief@example.com", mailedCode())).toMatchObject({
    field: "email",
  });
});

test("blocked domains, addresses of formal accounts, unknown and old codes get no mail", async () => {
  const { claimCode, email } = await trial();
  expect(await claims[0].start(claimCode, "a@blocked.example")).toMatchObject({ status: "blocked" });
  expect(await claims[0].start(claimCode, "a@Mail.BLOCKED.example")).toMatchObject({ status: "blocked" });
  expect(await claims[0].start("unknown", "a@blocked.example")).toMatchObject({ field: "claim_code" });
  expect(await claims[0].start(claimCode, "a@example.com\r\nBcc: b@example.com")).toMatchObject({
    field: "email",
  });

  const taken = await trial();
  await claims[0].start(taken.claimCode, taken.email);
  await claims[0].verify(taken.claimCode, taken.email, mailedCode());
  inbox.length = 0;
  expect(await claims[0].start(claimCode, taken.email)).toEqual({
    status: "refused",
    field: "email",
    reason: "This claim cannot go on with this e-mail address.",
  });
  clock.time += 30 * day;
  expect(await claims[0].start(claimCode, email)).toMatchObject({ field: "claim_code" });
  expect(inbox).toEqual([]);
});

test("one claim causes at most ten mails", async () => {
  const { claimCode, email } = await trial();
  for (let n = 0; n < 10; n += 1) {
    expect(await claims[0].start(claimCode, email)).toMatchObject({ status: "code_sent" });
  }
  expect(await claims[0].start(claimCode, email)).toMatchObject({ status: "refused" });
  expect(inbox).toHaveLength(10);
});

test("without an SMTP server each mail is one file in the outbox", async () => {
  const outbox = join(folder, "outbox");
  const writing = await createMailer({ smtpUrl: null, from, outbox }, { clock, random });
  await writing.send({ to: "a@example.com", subject: "Betreff ü", text: "1\n您好\n" });
  const [file, ...others] = await readdir(outbox);
  expect([file?.endsWith(".eml"), others]).toEqual([true, []]);
  const mail = await PostalMime.parse(await readFile(join(outbox, file!)));
  expect([mail.from?.address, mail.subject, mail.text, mail.to?.[0]?.address]).toEqual([
    "no-reply@broker.example",
    "Betreff ü",
    "1\n您好\n",
    "a@example.com",
  ]);
  expect(writing.destination).toContain(outbox);
  await expect(createMailer({ smtpUrl: "http://x", from, outbox }, { clock, random })).rejects.toThrow(
    "smtp://",
  );
});

test.each([
  ["refuses the connection", null],
  ["accepts it and says nothing", () => undefined],
  ["hangs up", (socket: Socket) => socket.destroy()],
  ["speaks another protocol", (socket: Socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")],
] as const)("a mail server that %s leaves the claim to be started again", async (_, behave) => {
  const gone = createServer((socket) => behave?.(socket.on("error", () => undefined)));
  await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
  const { port } = gone.address() as AddressInfo;
  if (behave === null) await new Promise((resolve) => gone.close(resolve));
  const broken = await createMailer(
    { smtpUrl: `smtp://127.0.0.1:${port}`, from, outbox: folder, deadlineMs: 300 },
    { clock, random },
  );
  const { id, claimCode, email } = await trial();
  const starting = createClaims(
    { writer: writers[0], clock, random, mailer: broken },
    { blockedEmailDomains: [], pageUrl: "https://broker.example/claim" },
  );
  for (let n = 0; n < 2; n += 1) {
    await expect(starting.start(claimCode, email)).rejects.toBeInstanceOf(MailNotSent);
  }
  expect((await claimRow(id)).mails_sent).toBe(0);
  broken.close();
  gone.close();

  expect(await claims[0].start(claimCode, email)).toMatchObject({ status: "code_sent" });
  expect(await claims[0].verify(claimCode, email, mailedCode())).toMatchObject({ status: "claimed" });
});

test("one inbox gets a bounded number of mails, whatever trials ask for them and whatever labels they add", async () => {
  const start = async (email: string) => claims[number % 2]!.start((await trial()).claimCode, email);
  const addresses = Array.from({ length: 24 }, (_, n) =>
    n % 2 ? "flooded@example.com" : `Flooded+${n}@example.com`,
  );
  const answers = [];
  for (const address of addresses) answers.push(await start(address));
  expect(answers.map(({ status }) => status)).toEqual([
    ...Array(20).fill("code_sent"),
    ...Array(4).fill("refused"),
  ]);
  expect(inbox).toHaveLength(20);
  expect(await start("another@example.com")).toMatchObject({ status: "code_sent" });
  clock.time += 61 * minute;
  expect(await start("flooded@example.com")).toMatchObject({ status: "code_sent" });
});
