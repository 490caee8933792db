import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { WrongUse } from "../../base/exit.ts";
import { openClock } from "./clock.ts";

it("posts the seconds to an address, and says what the address answers", async () => {
  const bodies: string[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    request.on("data", (chunk: Buffer) => bodies.push(`${request.method} ${chunk.toString()}`));
    request.on("end", () => response.writeHead(status).end("no clock here"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/-/clock`;
  const advance = await openClock({ url });
  await advance(60);
  expect(bodies).toEqual(['POST {"seconds":0}', 'POST {"seconds":60}']);
  status = 404;
  const refused = openClock({ url });
  await expect(refused).rejects.toThrow(`clock.url ${url} answers 404 to a POST: no clock here`);
  await expect(refused).rejects.toBeInstanceOf(WrongUse);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await expect(openClock({ url })).rejects.toThrow(`clock.url ${url} does not answer`);
});

it("runs a command with the seconds as its last argument", async () => {
  const folder = await mkdtemp(join(tmpdir(), "clock-"));
  const file = join(folder, "seconds");
  const advance = await openClock({ command: `printf '%s;' >>${file}` });
  await advance(604_800);
  expect(await readFile(file, "utf8")).toBe("0;604800;");
  await rm(folder, { recursive: true });
  const command = "echo no such clock >&2; false";
  await expect(openClock({ command })).rejects.toThrow(`clock.command ${command} 0 fails: no such clock`);
});
