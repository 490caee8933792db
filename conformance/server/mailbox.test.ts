import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { afterEach, describe, expect, it } from "vitest";
import { freePort } from "../../base/free-port.ts";
import { codeIn } from "./mailed-code.ts";
import { openMailbox, type Mailbox } from "./mailbox.ts";
import { defaultProfile, type Profile } from "./profile.ts";
import { Secrets } from "./secrets.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function mailboxOf(mailbox: Profile["mailbox"], secrets = new Secrets()): Promise<Mailbox> {
  const profile = { ...defaultProfile(""), mail_lag: 2, ...(mailbox && { mailbox }) };
  const opened = await openMailbox(profile, secrets);
  cleanups.push(() => opened.close());
  return opened;
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "mailbox-"));
  cleanups.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

const eml = (to: string, text: string): string =>
  `From: a@example.org\r\nTo: ${to}\r\nSubject: hello\r\n\r\n${text}\r\n`;

describe("a mailbox that listens by SMTP", () => {
  it("hands out the code of a mail only to its receiver, and hides it in records", async () => {
    const port = await freePort();
    const secrets = new Secrets();
    const mailbox = await mailboxOf({ smtp_listen: `127.0.0.1:${port}` }, secrets);
    const transport = createTransport({ host: "127.0.0.1", port });
    cleanups.push(() => transport.close());
    await transport.sendMail({
      from: "a@example.org",
      to: "Jane@example.com",
      subject: "your claim",
      html: `<style>b { color: #654321 }</style><p>Your code is <b>012345</b></p>`,
    });
    expect(await mailbox.codeFor("jane@example.com")).toBe("012345");
    expect(await mailbox.received("joe@example.com")).toEqual([]);
    expect(secrets.mask(`{"code":"012345"}`)).not.toContain("012345");
  });

  it("says so when the address is in use, or is not an address", async () => {
    const port = await freePort();
    await mailboxOf({ smtp_listen: `127.0.0.1:${port}` });
    await expect(mailboxOf({ smtp_listen: `127.0.0.1:${port}` })).rejects.toThrow(/is in use/);
    await expect(mailboxOf({ smtp_listen: "localhost" })).rejects.toThrow(/should be HOST:PORT/);
  });
});

describe("a mailbox that is a directory", () => {
  it("reads only new files, .eml and .json, each once and in their order", async () => {
    const directory = await folder();
    await writeFile(join(directory, "0.eml"), eml("jane@example.com", "Your code is 111111"));
    const mailbox = await mailboxOf({ directory });
    await writeFile(join(directory, "1.part"), eml("jane@example.com", "Your code is 222222"));
    const first = mailbox.codeFor("jane@example.com");
    await rename(join(directory, "1.part"), join(directory, "1.eml"));
    expect(await first).toBe("222222");
    await writeFile(
      join(directory, "2.json"),
      JSON.stringify({ to: [{ address: "Jane@example.com" }], text: "code: 333333, sent 20261120" }),
    );
    expect(await mailbox.codeFor("jane@example.com")).toBe("333333");
    expect(await mailbox.received("jane@example.com")).toHaveLength(2);
  });

  it("must exist", async () => {
    await expect(mailboxOf({ directory: "/nowhere/at/all" })).rejects.toThrow(/is not a directory/);
  });
});

describe("a mailbox that is a command", () => {
  it("gets the address as its argument, and may print the mail or its text", async () => {
    const mailbox = await mailboxOf({ command: "printf 'for %s: 44 55 66 and 445566\\n'" });
    expect(await mailbox.codeFor("jane@example.com")).toBe("445566");
  });

  it("that cannot be run is named", async () => {
    const mailbox = await mailboxOf({ command: "/nowhere/mail" });
    await expect(mailbox.codeFor("jane@example.com")).rejects.toThrow("mailbox.command /nowhere/mail");
  });
});

describe("the code in a mail", () => {
  it.each([
    ["order 202611, your code is 123456", "123456"],
    ["您的验证码是 654321。", "654321"],
    ["use 123 456 to go on", "123456"],
    ["open https://example.com/claim?c=246810", "246810"],
    ["agent-1234567890@example.com has no 1234567", undefined],
    ["claim-a123456b", undefined],
  ])("of %j is %s", (text, code) => {
    expect(codeIn([text])).toBe(code);
  });
});
