import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import * as x509 from "@peculiar/x509";
import type { Random } from "../parts.ts";

const day = 86_400_000;
const signing = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** What an HTTPS listener needs, and the file of the CA that its clients must trust. */
export interface ServerCertificate {
  key: string;
  /** The server's certificate, then its CA's. */
  cert: string;
  caFile: string;
}

/**
 * The certificate of an HTTPS listener, signed by a CA of its own. Both are made at first start and kept in the
 * folder; the server's is made anew when it ends within 30 days or does not name the hosts.
 * @param hosts names and addresses under which the listener is reached.
 */
export async function serverCertificate(
  folder: string,
  hosts: readonly string[],
  { now, random }: { now: number; random: Random },
): Promise<ServerCertificate> {
  const caFile = join(folder, "ca.pem");
  const ca = (await load(caFile, join(folder, "ca-key.pem"), now)) ?? (await makeCa());
  const files = { cert: join(folder, "server.pem"), key: join(folder, "server-key.pem") };
  const kept = await load(files.cert, files.key, now);
  const server = kept && fits(kept.certificate) ? kept : await makeServer();
  return {
    key: server.keyPem,
    cert: server.certificate.toString("pem") + "\n" + ca.certificate.toString("pem"),
    caFile,
  };

  function fits(certificate: x509.X509Certificate): boolean {
    const named = certificate.getExtension(x509.SubjectAlternativeNameExtension)?.names.toJSON() ?? [];
    return (
      certificate.issuer === ca.certificate.subject &&
      hosts.every((host) => named.some(({ value }) => value === host))
    );
  }

  async function makeCa(): Promise<Certified> {
    const keys = await makeKeys();
    const name = `CN=Capability results CA ${random.bytes(4).toString("hex")}`;
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      serialNumber: serial(),
      name,
      notBefore: new Date(now - 30 * day),
      notAfter: new Date(now + 3650 * day),
      signingAlgorithm: signing,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return keep(certificate, keys.privateKey, caFile, join(folder, "ca-key.pem"));
  }

  async function makeServer(): Promise<Certified> {
    const keys = await makeKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serial(),
      subject: `CN=${hosts[0] ?? "localhost"}`,
      issuer: ca.certificate.subject,
      notBefore: new Date(now - 30 * day),
      // No client refuses a lifetime of at most 825 days.
      notAfter: new Date(now + 790 * day),
      signingKey: ca.key,
      publicKey: keys.publicKey,
      signingAlgorithm: signing,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension(
          hosts.map((host) => ({ type: isIP(host) ? ("ip" as const) : ("dns" as const), value: host })),
        ),
        await x509.AuthorityKeyIdentifierExtension.create(ca.certificate),
      ],
    });
    return keep(certificate, keys.privateKey, files.cert, files.key);
  }

  /** 16 bytes whose first is neither zero nor negative, as X.509 wants it. */
  function serial(): string {
    const bytes = random.bytes(16);
    bytes[0] = (bytes[0]! & 0x7f) | 0x40;
    return bytes.toString("hex");
  }
}

interface Certified {
  certificate: x509.X509Certificate;
  key: webcrypto.CryptoKey;
  keyPem: string;
}

const makeKeys = () => webcrypto.subtle.generateKey(signing, true, ["sign", "verify"]);

async function keep(
  certificate: x509.X509Certificate,
  key: webcrypto.CryptoKey,
  certFile: string,
  keyFile: string,
): Promise<Certified> {
  const keyPem = x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");
  await writeFile(keyFile, keyPem, { mode: 0o600 });
  await chmod(keyFile, 0o600);
  await writeFile(certFile, certificate.toString("pem"));
  return { certificate, key, keyPem };
}

/** What is kept in the two files, unless one is missing or the certificate ends within 30 days. */
async function load(certFile: string, keyFile: string, now: number): Promise<Certified | null> {
  let pems: [string, string];
  try {
    pems = [await readFile(certFile, "utf8"), await readFile(keyFile, "utf8")];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  const certificate = new x509.X509Certificate(pems[0]);
  if (certificate.notAfter.getTime() < now + 30 * day) return null;
  const key = await webcrypto.subtle.importKey(
    "pkcs8",
    x509.PemConverter.decodeFirst(pems[1]),
    signing,
    true,
    ["sign"],
  );
  return { certificate, key, keyPem: pems[1] };
}
