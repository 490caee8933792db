import { spawn, type ChildProcess } from "node:child_process";
import { on, once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import { afterAll, expect, it } from "vitest";

const server = net.createServer().listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
afterAll(() => void server.close());

/** Another process that runs a command as `certify` does. */
function running(...command: readonly string[]): ChildProcess {
  const module = JSON.stringify(new URL("command.ts", import.meta.url).href);
  const script = `const { commandRun } = await import(${module});
    const run = commandRun(${JSON.stringify(command)}, { envUrl: "URL", envKey: "KEY" });
    await run({ baseUrl: "http://127.0.0.1", key: "key", caFile: "" }).catch(({ message }) => console.log(message));`;
  return spawn(process.execPath, ["--input-type=module", "--eval", script]);
}

/** Connections of the next processes that make one; a process holds its own until it ends. */
async function connections(count: number): Promise<{ sockets: Socket[]; closed: Promise<unknown> }> {
  const sockets: Socket[] = [];
  for await (const [socket] of on(server, "connection") as AsyncIterable<[Socket]>) {
    socket.on("error", () => undefined);
    if (sockets.push(socket) === count) break;
  }
  return { sockets, closed: Promise.all(sockets.map((socket) => once(socket, "close"))) };
}

const connected = `require("node:net").connect(${port}, "127.0.0.1")`;
const child = `"${process.execPath}" -e '${connected}'`;

it.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"] as const)(
  "leaves no process of the command behind when %s ends this one",
  async (signal) => {
    const certify = running("sh", "-c", `trap "" INT TERM HUP; ${child} & wait`);
    const { closed } = await connections(1);
    certify.kill(signal);
    expect(await once(certify, "exit")).toEqual([null, signal]);
    await closed;
  },
);

it("ends what the command left running once the command has ended", async () => {
  const leaving = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(connected)}]);
    ${connected}.on("data", () => process.exit())`;
  const certify = running(process.execPath, "-e", leaving);
  const { sockets, closed } = await connections(2);
  for (const socket of sockets) socket.write("end");
  expect(await once(certify, "exit")).toEqual([0, null]);
  await closed;
});

it.each(["/nonexistent/client", "no-such-client", import.meta.dirname, import.meta.filename])(
  "ends at once where %s cannot be run",
  async (program) => {
    const certify = running(program);
    const [message] = (await once(certify.stdout!, "data")) as [Buffer];
    expect(String(message)).toContain(`${program} cannot be run`);
    expect(await once(certify, "exit")).toEqual([0, null]);
  },
);

it("runs a program found by its name, also one that the shell has built in", async () => {
  const script = `${connected}.on("data", () => process.exit())`;
  const certify = running("env", "--", process.execPath, "-e", script);
  const { sockets } = await connections(1);
  sockets[0]!.write("end");
  expect(await once(certify, "exit")).toEqual([0, null]);
  expect(await once(running("echo", "a client"), "exit")).toEqual([0, null]);
});
