import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from "node:crypto";
import { mkdtemp, readFile, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createTokens } from "./tokens.ts";

const random = { bytes: (size: number) => randomBytes(size) };
const clock = { time: Date.UTC(2026, 8, 12, 10), now: () => clock.time };

async function start() {
  const folder = await mkdtemp(join(tmpdir(), "tokens-"));
  const tokens = await createTokens(folder, { clock, random });
  const token = await tokens.sign({ accountId: "acc_1", lifetimeMs: 3_600_000, oauthClientId: "cli" });
  return { folder, tokens, token };
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const decode = (token: string, part: number) =>
  JSON.parse(Buffer.from(token.split(".")[part]!, "base64url").toString()) as Record<string, unknown>;

test("a token is valid until its end by the clock, then expired, also after a restart", async () => {
  const { folder, tokens, token } = await start();
  expect(await tokens.verify(token)).toMatchObject({
    valid: true,
    payload: { sub: "acc_1", oauth_client_id: "cli", aud: "capability-api" },
  });
  const restarted = await createTokens(folder, { clock, random });
  const before = clock.time;
  clock.time += 3_600_000 - 1;
  expect(await restarted.verify(token)).toMatchObject({ valid: true, expired: false });
  clock.time += 1;
  expect(await restarted.verify(token)).toMatchObject({
    valid: false,
    expired: true,
    payload: { sub: "acc_1" },
  });
  clock.time = before;
  expect((await stat(join(folder, "token-key"))).mode & 0o777).toBe(0o600);
});

test("a delegation token carries its constraints", async () => {
  const { tokens } = await start();
  const delegation = { runId: "run_1", providerId: "prov_1", maxCredits: 2.5 };
  const token = await tokens.sign({ accountId: "acc_1", lifetimeMs: 1000, delegation });
  const { payload } = await tokens.verify(token);
  expect(payload).toMatchObject({ run_id: "run_1", provider_id: "prov_1", max_credits: 2.5 });
  await expect(tokens.sign({ accountId: "acc_1", lifetimeMs: 0 })).rejects.toThrow("at least 1000 ms");
});

test("alg none, another algorithm, key or audience, and any changed byte are refused", async () => {
  const { folder, tokens, token } = await start();
  const header = decode(token, 0);
  const payload = decode(token, 1);
  const own = createPrivateKey({
    key: Buffer.concat([
      Buffer.from("302e020100300506032b657004220420", "hex"),
      await readFile(join(folder, "token-key")),
    ]),
    format: "der",
    type: "pkcs8",
  });
  const publicDer = createPublicKey(own).export({ format: "der", type: "spki" });
  const foreign = generateKeyPairSync("ed25519").privateKey;
  const forge = (head: object, body: object, key: "none" | "hmac" | typeof own) => {
    const input = `${encode(head)}.${encode(body)}`;
    if (key === "none") return `${input}.`;
    const signature =
      key === "hmac"
        ? createHmac("sha256", publicDer).update(input).digest()
        : sign(null, Buffer.from(input), key);
    return `${input}.${signature.toString("base64url")}`;
  };
  expect((await tokens.verify(forge(header, payload, own))).valid).toBe(true);

  const { exp: _exp, ...endless } = payload;
  const forged: Record<string, string> = {
    none: forge({ ...header, alg: "none" }, payload, "none"),
    "hmac with the public key": forge({ ...header, alg: "HS256" }, payload, "hmac"),
    "EdDSA named, hmac used": forge(header, payload, "hmac"),
    "another key": forge(header, payload, foreign),
    "its own key in the header": forge(
      { ...header, jwk: createPublicKey(foreign).export({ format: "jwk" }) },
      payload,
      foreign,
    ),
    "another kid": forge({ ...header, kid: "other" }, payload, own),
    "another audience": forge(header, { ...payload, aud: "elsewhere" }, own),
    "another issuer": forge(header, { ...payload, iss: "elsewhere" }, own),
    "an expired one for another audience": forge(header, { ...payload, aud: "elsewhere", exp: 1 }, own),
    "no end": forge(header, endless, own),
    "no token": "cak_abc",
    empty: "",
    long: "a".repeat(9000),
  };
  for (const [how, bad] of Object.entries(forged)) {
    expect(await tokens.verify(bad), how).toMatchObject({ valid: false, expired: false, payload: null });
  }
  for (let at = 0; at < token.length - 1; at += 1) {
    const changed = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
    expect((await tokens.verify(changed)).valid, `byte ${at}`).toBe(false);
  }
});
