import { createHash, createHmac, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { serverCertificate } from "./certificates.ts";

/**
 * An S3 server with one bucket for tests: it stores PUT requests and checks every signature by AWS's published
 * procedure.
 */
export interface S3Server {
  endpoint: string;
  /** The CA certificate of its HTTPS listener. */
  caFile: string;
  /** The settings that the SDK needs for signing. */
  credentials: { accessKeyId: string; secretAccessKey: string };
  bucket: string;
  /** The stored keys, with content and content type. */
  objects: ReadonlyMap<string, { content: Buffer; type: string | undefined }>;
  /** Advances its clock by ms. */
  pass(ms: number): void;
  stop(): Promise<void>;
}

const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");
const hmac = (key: string | Buffer, data: string): Buffer => createHmac("sha256", key).update(data).digest();

/** The signed parts of a request, from its header or, if presigned, from its query. */
interface Signed {
  credential: string;
  date: string;
  headers: string;
  signature: string;
  /** Lifetime of a presigned address in seconds. */
  expires: number | null;
}

function signedOf(request: IncomingMessage, query: URLSearchParams): Signed | null {
  const header = /^AWS4-HMAC-SHA256 Credential=(\S+), SignedHeaders=(\S+), Signature=([0-9a-f]{64})$/.exec(
    request.headers.authorization ?? "",
  );
  if (header !== null) {
    const [, credential, headers, signature] = header as unknown as [string, string, string, string];
    return { credential, headers, signature, date: String(request.headers["x-amz-date"]), expires: null };
  }
  const of = (name: string) => query.get(`X-Amz-${name}`);
  const [credential, headers, signature] = [of("Credential"), of("SignedHeaders"), of("Signature")];
  if (credential === null || headers === null || signature === null) return null;
  return { credential, headers, signature, date: of("Date") ?? "", expires: Number(of("Expires")) };
}

/** The expected signature of a request (AWS Signature Version 4). */
function signatureOf(request: IncomingMessage, body: Buffer, signed: Signed, secret: string): string {
  const [path = "", query = ""] = request.url!.split("?");
  const [, day = "", region = "", service = "", end = ""] = signed.credential.split("/");
  const asked = query.split("&").filter((pair) => pair !== "" && !pair.startsWith("X-Amz-Signature="));
  const stated =
    signed.expires === null ? String(request.headers["x-amz-content-sha256"]) : "UNSIGNED-PAYLOAD";
  const payload = stated === "UNSIGNED-PAYLOAD" ? stated : sha256(body);
  const canonical = [
    request.method,
    path,
    asked.sort().join("&"),
    ...signed.headers.split(";").map((name) => `${name}:${String(request.headers[name]).trim()}`),
    "",
    signed.headers,
    payload,
  ].join("\n");
  const scope = [day, region, service, end].join("/");
  const key = [day, region, service, end].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, ["AWS4-HMAC-SHA256", signed.date, scope, sha256(canonical)].join("\n")).toString("hex");
}

/** `20261121T190000Z` as epoch ms. */
const timeOf = (date: string): number =>
  Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));

/** Starts the S3 server. @param folder for its certificates */
export async function startS3Server(folder: string): Promise<S3Server> {
  const credentials = { accessKeyId: "AKIATEST", secretAccessKey: randomBytes(20).toString("hex") };
  const bucket = "results";
  const objects = new Map<string, { content: Buffer; type: string | undefined }>();
  let ahead = 0;
  const random = { bytes: (size: number) => randomBytes(size) };
  const certificate = await serverCertificate(folder, ["localhost"], { now: Date.now(), random });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const refuse = (status: number, code: string) =>
      void response.writeHead(status).end(`<Code>${code}</Code>`);
    const { pathname, searchParams } = new URL(request.url!, "https://s3");
    const signed = signedOf(request, searchParams);
    if (signed === null || !signed.credential.startsWith(`${credentials.accessKeyId}/`))
      return refuse(403, "AccessDenied");
    if (signatureOf(request, body, signed, credentials.secretAccessKey) !== signed.signature)
      return refuse(403, "SignatureDoesNotMatch");
    const age = Date.now() + ahead - timeOf(signed.date);
    if (!(age < (signed.expires ?? 900) * 1_000)) return refuse(403, "AccessDenied: Request has expired");
    const key = decodeURIComponent(pathname);
    if (!key.startsWith(`/${bucket}/`)) return refuse(404, "NoSuchBucket");
    if (request.method === "PUT") {
      objects.set(key, { content: body, type: request.headers["content-type"] });
      response.writeHead(200, { ETag: '"x"' }).end();
      return;
    }
    const object = objects.get(key);
    if (request.method !== "GET" || object === undefined) return refuse(404, "NoSuchKey");
    response.writeHead(200, { "Content-Type": object.type }).end(object.content);
  }

  const server = createServer(certificate, (request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `https://localhost:${(server.address() as AddressInfo).port}`,
    caFile: certificate.caFile,
    credentials,
    bucket,
    objects,
    pass: (ms) => void (ahead += ms),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
