import { AwsClient } from "aws4fetch";
import type { Clock, ObjectStorage, Random } from "../parts.ts";
import { defaultBytesOfAccount, signedUrlLifetimeMs } from "./object-storage.ts";

/** S3 or a compatible service. */
interface S3Options {
  bucket: string;
  region: string;
  /** The https address of an S3-compatible service; null for AWS. */
  endpoint: string | null;
  /** Prefix of every key, such as `results/`. */
  prefix: string;
  /** Puts the bucket in the path instead of the host name, as most compatible services require. */
  forcePathStyle: boolean;
  /** The most bytes of one account's content that this process keeps there. */
  maxBytesOfAccount?: number;
  /** Lifetime of a signed address. */
  lifetimeMs?: number;
}

/**
 * Parses an address such as `s3://bucket/prefix?region=eu-central-1&endpoint=https://minio.example&path_style=true`.
 * Region and prefix are optional; for AWS, so is the endpoint.
 * @throws Error naming the fault
 */
export function parseS3Url(text: string): S3Options {
  const form = "s3://bucket/prefix?region=REGION&endpoint=https://HOST&path_style=true";
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== "s3:" || url.hostname === "")
    // The address is not repeated: however it is mistyped, it may hold a password.
    throw new Error(`The S3 address must be ${form}`);
  const known = ["region", "endpoint", "path_style"];
  const unknown = [...url.searchParams.keys()].filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`The S3 address has ${unknown.join(", ")}; known are ${known.join(", ")}`);
  const prefix = url.pathname.replace(/^\/+|\/+$/g, "");
  return {
    bucket: url.hostname,
    region: url.searchParams.get("region") ?? "us-east-1",
    endpoint: url.searchParams.get("endpoint"),
    prefix: prefix === "" ? "" : `${prefix}/`,
    forcePathStyle: url.searchParams.get("path_style") === "true",
  };
}

/** The dependencies of the storage; `send` is `fetch` by default. */
interface S3Parts {
  random: Random;
  clock: Clock;
  environment?: NodeJS.ProcessEnv;
  send?: (request: Request) => Promise<Response>;
}

/**
 * Object storage in an S3 bucket with presigned addresses. The bucket should have a lifecycle rule that deletes old
 * keys; within the lifetime of an address, an account over its limit loses its oldest content. The credentials are those
 * of the environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN.
 * @throws Error with one sentence if there are none, or the endpoint is not HTTPS
 */
export function createS3Storage(
  options: S3Options,
  { random, clock, environment = process.env, send = fetch }: S3Parts,
): ObjectStorage {
  const { prefix, maxBytesOfAccount = defaultBytesOfAccount, lifetimeMs = signedUrlLifetimeMs } = options;
  const bucket = addressOf(options);
  const signer = signerOf(options, environment);
  const kept = new Map<string, Kept[]>();
  const asked = async (method: string, key: string, body?: string, type?: string): Promise<void> => {
    const headers = type === undefined ? {} : { "Content-Type": type };
    // Content goes to the address that was configured, and to no other that an answer names.
    const redirect = "manual";
    const content = body === undefined ? {} : { body };
    const answer = await send(await signer.sign(bucket + key, { method, headers, redirect, ...content }));
    const text = await answer.text();
    const to = answer.headers.get("location");
    if (to !== null)
      throw new Error(`S3 redirects ${method} to another address, which is not followed: ${to}`);
    if (!answer.ok) throw new Error(`S3 answers ${method} with ${answer.status}: ${text.slice(0, 300)}`);
  };
  return {
    async put(name, content, contentType, accountId) {
      const size = Buffer.byteLength(content);
      if (size > maxBytesOfAccount)
        throw new RangeError(`${name} has ${size} bytes; at most ${maxBytesOfAccount} are kept`);
      const key = `${prefix}${random.bytes(16).toString("hex")}/${name}`;
      await asked("PUT", key, content, contentType);
      const now = clock.now();
      const added = { key, size, endsAt: now + lifetimeMs };
      for (const old of surplusOf(kept, accountId, added, { now, maxBytes: maxBytesOfAccount }))
        await asked("DELETE", old);
      const opening = `${bucket}${key}?X-Amz-Expires=${lifetimeMs / 1000}`;
      return (await signer.sign(opening, { aws: { signQuery: true } })).url;
    },
  };
}

/** The address of the bucket, with a slash at its end. @throws Error if it is not HTTPS */
function addressOf({ bucket, region, endpoint, forcePathStyle }: S3Options): string {
  const host = endpoint ?? `https://s3.${region}.amazonaws.com`;
  if (!host.startsWith("https://")) {
    throw new Error(`The S3 endpoint ${host} must begin with https://, since result addresses are HTTPS.`);
  }
  const { origin } = new URL(host);
  return forcePathStyle ? `${origin}/${bucket}/` : `${origin.replace("https://", `https://${bucket}.`)}/`;
}

function signerOf({ region }: S3Options, environment: NodeJS.ProcessEnv): AwsClient {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = environment;
  if (!id || !secret)
    throw new Error("S3 storage is configured: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY as well");
  return new AwsClient({
    accessKeyId: id,
    secretAccessKey: secret,
    ...(token && { sessionToken: token }),
    service: "s3",
    region,
  });
}

/** An object that an account may still open. */
interface Kept {
  key: string;
  size: number;
  /** Epoch milliseconds. */
  endsAt: number;
}

/** Adds an object to those of its account; returns the keys of its oldest, which exceed the limit. */
function surplusOf(
  kept: Map<string, Kept[]>,
  accountId: string,
  added: Kept,
  { now, maxBytes }: { now: number; maxBytes: number },
): string[] {
  for (const [id, objects] of kept) {
    if (objects.at(-1)!.endsAt > now) break;
    kept.delete(id);
  }
  const objects = [...(kept.get(accountId) ?? []).filter(({ endsAt }) => endsAt > now), added];
  let bytes = objects.reduce((sum, { size }) => sum + size, 0);
  const surplus: string[] = [];
  while (bytes > maxBytes) {
    const { key, size } = objects.shift()!;
    surplus.push(key);
    bytes -= size;
  }
  // Accounts stay in the order of their newest object, so accounts with nothing left come first.
  kept.delete(accountId);
  kept.set(accountId, objects);
  return surplus;
}
