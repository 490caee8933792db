import type { Clock, ObjectStorage, Random } from "../parts.ts";
import { mostBytesOfAccount, signedUrlLifetimeMs } from "./object-storage.ts";

/** S3 or a compatible service. Credentials come from the SDK's own chain (environment, profile, instance role). */
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

interface Command {
  input: object;
}
/** The parts of @aws-sdk/client-s3 and @aws-sdk/s3-request-presigner used here. */
interface S3Sdk {
  S3Client: new (options: object) => { send(command: Command): Promise<unknown> };
  PutObjectCommand: new (input: object) => Command;
  GetObjectCommand: new (input: object) => Command;
  DeleteObjectCommand: new (input: object) => Command;
  getSignedUrl(client: object, command: Command, options: { expiresIn: number }): Promise<string>;
}

/**
 * Object storage in an S3 bucket with presigned addresses. The bucket should have a lifecycle rule that deletes old
 * keys; within the lifetime of an address, an account over its limit loses its oldest content. The AWS SDK is loaded only
 * here and is not a dependency of the package.
 * @throws Error with one sentence if the SDK is not installed or the endpoint is not HTTPS
 */
export async function createS3Storage(
  {
    bucket,
    region,
    endpoint,
    prefix,
    forcePathStyle,
    maxBytesOfAccount = mostBytesOfAccount,
    lifetimeMs = signedUrlLifetimeMs,
  }: S3Options,
  { random, clock }: { random: Random; clock: Clock },
  loaded?: S3Sdk,
): Promise<ObjectStorage> {
  if (endpoint !== null && !endpoint.startsWith("https://")) {
    throw new Error(
      `The S3 endpoint ${endpoint} must begin with https://, since result addresses are HTTPS.`,
    );
  }
  const sdk = loaded ?? (await loadSdk());
  const client = new sdk.S3Client({ region, forcePathStyle, ...(endpoint === null ? {} : { endpoint }) });
  const kept = new Map<string, Kept[]>();
  return {
    async put(name, content, contentType, accountId) {
      const size = Buffer.byteLength(content);
      if (size > maxBytesOfAccount)
        throw new RangeError(`${name} has ${size} bytes; at most ${maxBytesOfAccount} are kept`);
      const object = { Bucket: bucket, Key: `${prefix}${random.bytes(16).toString("hex")}/${name}` };
      await client.send(new sdk.PutObjectCommand({ ...object, Body: content, ContentType: contentType }));
      const now = clock.now();
      const added = { key: object.Key, size, endsAt: now + lifetimeMs };
      for (const Key of surplusOf(kept, accountId, added, { now, mostBytes: maxBytesOfAccount }))
        await client.send(new sdk.DeleteObjectCommand({ Bucket: bucket, Key }));
      const expiresIn = lifetimeMs / 1000;
      return sdk.getSignedUrl(client, new sdk.GetObjectCommand(object), { expiresIn });
    },
  };
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
  { now, mostBytes }: { now: number; mostBytes: number },
): string[] {
  for (const [id, objects] of kept) {
    if (objects.at(-1)!.endsAt > now) break;
    kept.delete(id);
  }
  const objects = [...(kept.get(accountId) ?? []).filter(({ endsAt }) => endsAt > now), added];
  let bytes = objects.reduce((sum, { size }) => sum + size, 0);
  const surplus: string[] = [];
  while (bytes > mostBytes) {
    const { key, size } = objects.shift()!;
    surplus.push(key);
    bytes -= size;
  }
  // Accounts stay in the order of their newest object, so that those with nothing left come first.
  kept.delete(accountId);
  kept.set(accountId, objects);
  return surplus;
}

async function loadSdk(): Promise<S3Sdk> {
  const names = ["@aws-sdk/client-s3", "@aws-sdk/s3-request-presigner"];
  try {
    const [client, presigner] = await Promise.all(
      names.map((name) => import(name) as Promise<Partial<S3Sdk>>),
    );
    return { ...client, ...presigner } as S3Sdk;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Error(
      `S3 storage is configured, but its SDK is not installed: run npm install ${names.join(" ")}`,
      {
        cause: error,
      },
    );
  }
}
