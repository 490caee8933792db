import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { symlinkSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFiles } from "./documents.fixture.ts";
import { readSource, type Reach } from "./source.ts";

const { folder: home, write } = temporaryFiles();

/** What was asked of a server that nobody named. */
const asked: string[] = [];
const server = http.createServer(({ url = "" }, response) => {
  asked.push(url);
  if (url === "/moved") response.writeHead(302, { Location: "/tags.json" });
  response.end("[]");
});
let address: string;
beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

/** A document that refers to one file. */
const referring = ($ref: string) => ({
  openapi: "3.1.0",
  info: { title: "t", version: "1" },
  paths: { "/a": { get: { responses: { 200: { description: "d" } } } } },
  tags: { $ref },
});

const refusal = (name: string, reach?: Reach): Promise<string> =>
  readSource(name, reach).then(
    () => "nothing",
    ({ message }: Error) => message,
  );

test("an address that only the document names is fetched with --fetch alone", async () => {
  const file = write("web/openapi.json", referring(`${address}/tags.json`));
  expect(await refusal(file)).toContain("an address that was not given; --fetch allows to fetch it");
  expect(asked).toEqual([]);
  expect(await refusal(file, { fetch: true })).toBe("nothing");
  expect(asked).toEqual(["/tags.json"]);
});

test("a redirect is followed with --fetch alone", async () => {
  asked.length = 0;
  expect(await refusal(`${address}/moved`)).toContain(`it redirects to ${address}/tags.json`);
  expect(asked).toEqual(["/moved"]);
  expect(await refusal(`${address}/moved`, { fetch: true })).toContain("is not an OpenAPI 3 document");
});

test("a file outside of the document's folder is read below --root alone, and no link leads there", async () => {
  write("tags.json", []);
  const up = write("inside/openapi.json", referring("../tags.json"));
  expect(await refusal(up)).toMatch(/tags\.json is outside of the folder .*inside.*--root DIR/);
  expect(await refusal(up, { root: home })).toBe("nothing");
  symlinkSync(join(home, "tags.json"), join(home, "inside/link.json"));
  const linked = write("inside/linked.json", referring("link.json"));
  expect(await refusal(linked)).toContain("is outside of the folder");
  expect(await refusal(linked, { root: home })).toBe("nothing");
});

/** Reads sources in another process, whose working folder is `home`, and prints their versions or what is wrong. */
const script = (
  names: string,
  reach: Reach = {},
): string => `exec "${process.execPath}" --input-type=module -e '
  const { readSource } = await import("${new URL("source.ts", import.meta.url).href}");
  const reach = ${JSON.stringify(reach)};
  const print = (source) => console.log(source.document.version);
  await readSource(process.argv[1], reach).then(print, ({ message }) => console.log(message));' ${names}`;
const said = (command: string): string =>
  String(execFileSync("bash", ["-c", command], { cwd: home })).trimEnd();

test("in a revision, too", () => {
  write("tags.json", []);
  write("inside/openapi.json", referring("../tags.json"));
  const git = "git -c user.name=t -c user.email=t@t.example";
  said(`git init -q && git add tags.json inside/openapi.json && ${git} commit -qm documents`);
  expect(said(script("HEAD:inside/openapi.json"))).toContain(
    "HEAD:tags.json is outside of the folder inside",
  );
  expect(said(script("HEAD:inside/openapi.json", { root: "." }))).toBe("1");
});

test("a source that is not a file, sends nothing or is too large is refused", async () => {
  expect(await refusal("/dev/zero")).toBe("/dev/zero is not a file");
  const large = write("large/openapi.json", "");
  execFileSync("truncate", ["--size", "65M", large]);
  expect(await refusal(large)).toContain("has more than 64 MiB");
  const pipe = join(home, "pipe");
  execFileSync("mkfifo", [pipe]);
  symlinkSync(pipe, join(home, "inside/pipe.json"));
  expect(await refusal(write("inside/piped.json", referring("pipe.json")), { root: home })).toContain(
    "pipe.json is not a file",
  );
});

test("a pipe with a writer is read", () => {
  write("alone/openapi.json", referring("#/paths"));
  expect(said(script("<(cat alone/openapi.json)"))).toBe("1");
});
