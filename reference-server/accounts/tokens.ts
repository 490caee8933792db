import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { calculateJwkThumbprint, errors, exportJWK, jwtVerify, SignJWT } from "jose";
import { keptSecret } from "../kept-secret.ts";
import type { Clock, Random, Tokens } from "../parts.ts";

/** The only algorithm used to sign, and accepted. */
const algorithm = "EdDSA";
const issuer = "capability-reference-server";
const audience = "capability-api";
/** The length limit of a token; our own are far shorter. */
const maxLength = 8192;

/**
 * Tokens signed with Ed25519. The key is created on the first start and kept in the data folder, readable only by its
 * owner; deleting it invalidates every token. Servers on several machines need the same file.
 *
 * Payload: `sub` (account id), `iss`, `aud`, `iat`, `exp`, `jti`; `oauth_client_id` for an OAuth client; `run_id`,
 * `provider_id` and `max_credits` for a delegation token.
 */
export async function createTokens(
  dataFolder: string,
  { clock, random }: { clock: Clock; random: Random },
): Promise<Tokens> {
  await mkdir(dataFolder, { recursive: true });
  const privateKey = keyOf(await keptSecret(join(dataFolder, "token-key"), random));
  const publicKey = createPublicKey(privateKey);
  const kid = await calculateJwkThumbprint(await exportJWK(publicKey));

  return {
    async sign({ accountId, lifetimeMs, oauthClientId, delegation }) {
      if (!(lifetimeMs >= 1000))
        throw new RangeError(`a token must live at least 1000 ms, not ${lifetimeMs}`);
      const now = Math.floor(clock.now() / 1000);
      const constraints = delegation && {
        run_id: delegation.runId,
        provider_id: delegation.providerId,
        ...(delegation.maxCredits === null ? {} : { max_credits: delegation.maxCredits }),
      };
      return new SignJWT({ ...(oauthClientId ? { oauth_client_id: oauthClientId } : {}), ...constraints })
        .setProtectedHeader({ alg: algorithm, kid, typ: "JWT" })
        .setSubject(accountId)
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(now)
        .setExpirationTime(now + Math.floor(lifetimeMs / 1000))
        .setJti(random.bytes(16).toString("hex"))
        .sign(privateKey);
    },

    async verify(token) {
      if (token.length > maxLength) return refused(`The token is longer than ${maxLength} characters.`);
      try {
        const { payload } = await jwtVerify(token, keyFor, {
          algorithms: [algorithm],
          issuer,
          audience,
          requiredClaims: ["sub", "iat", "exp", "jti"],
          currentDate: new Date(clock.now()),
        });
        return { valid: true, expired: false, payload, reason: null };
      } catch (error) {
        return refusalOf(error);
      }
    },
  };

  function keyFor(header: { kid?: string; typ?: string }): KeyObject {
    if (header.kid !== kid || header.typ !== "JWT") throw new errors.JWKSNoMatchingKey();
    return publicKey;
  }
}

const refused = (reason: string) => ({ valid: false, expired: false, payload: null, reason });

/** The fault of a token, from jose's error. */
function refusalOf(error: unknown): Awaited<ReturnType<Tokens["verify"]>> {
  // jose checks the time last, so an expired token is otherwise valid.
  if (error instanceof errors.JWTExpired) {
    return { valid: false, expired: true, payload: error.payload, reason: "The token has expired." };
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return refused("The token is not signed with EdDSA.");
  if (error instanceof errors.JWTClaimValidationFailed) {
    return refused(`The token's ${error.claim} is not the one that this server issues.`);
  }
  if (error instanceof errors.JOSEError) return refused("The token is not one that this server signed.");
  throw error;
}

/** The prefix of an Ed25519 private key in PKCS#8, followed by its seed of 32 bytes (RFC 8410, section 7). */
const pkcs8Ed25519 = Buffer.from("302e020100300506032b657004220420", "hex");

const keyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8Ed25519, seed]), format: "der", type: "pkcs8" });
