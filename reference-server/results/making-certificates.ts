import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { isIP } from "node:net";
import * as x509 from "@peculiar/x509";
import type { Random } from "../parts.ts";

/** A certificate and its private key, each as PEM. */
export interface Certified {
  cert: string;
  key: string;
}

const day = 86_400_000;
const signing = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** The time of creation in epoch ms, and the source of the serial number. */
interface Making {
  now: number;
  random: Random;
}

/** A certificate authority for ten years. */
export async function makeCa({ now, random }: Making): Promise<Certified> {
  const keys = await makeKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(random),
    name: `CN=Capability results CA ${random.bytes(4).toString("hex")}`,
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
  return pem(certificate, keys.privateKey);
}

/** A server certificate for the given hosts. */
export async function makeServer(
  ca: Certified,
  hosts: readonly string[],
  { now, random }: Making,
): Promise<Certified> {
  const issuer = new x509.X509Certificate(ca.cert);
  const keys = await makeKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serial(random),
    subject: `CN=${hosts[0] ?? "localhost"}`,
    issuer: issuer.subject,
    notBefore: new Date(now - 30 * day),
    // Clients accept a lifetime of at most 825 days.
    notAfter: new Date(now + 790 * day),
    signingKey: await readKey(ca.key),
    publicKey: keys.publicKey,
    signingAlgorithm: signing,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        hosts.map((host) => ({ type: isIP(host) ? ("ip" as const) : ("dns" as const), value: host })),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return pem(certificate, keys.privateKey);
}

/** 16 bytes whose first is neither zero nor negative, as X.509 requires. */
function serial(random: Random): string {
  const bytes = random.bytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes.toString("hex");
}

const makeKeys = () => webcrypto.subtle.generateKey(signing, true, ["sign", "verify"]);

const readKey = (keyPem: string) =>
  webcrypto.subtle.importKey("pkcs8", x509.PemConverter.decodeFirst(keyPem), signing, true, ["sign"]);

const pem = async (certificate: x509.X509Certificate, key: webcrypto.CryptoKey): Promise<Certified> => ({
  cert: certificate.toString("pem"),
  key: x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY"),
});
