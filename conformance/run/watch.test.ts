import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";
import { expect, it } from "vitest";
import { Unreachable } from "../../base/exit.ts";
import { serverIsBack, watch } from "./watch.ts";

const never = new Promise(() => undefined);

async function listening(port = 0): Promise<{ server: Server; port: number; stop: () => Promise<unknown> }> {
  const sockets = new Set<{ destroy: () => void }>();
  const server = createServer((socket) => sockets.add(socket.resume().on("error", () => undefined)));
  await once(server.listen(port, "127.0.0.1"), "listening");
  const stop = (): Promise<unknown> => {
    const closed = once(server.close(), "close");
    for (const socket of sockets) socket.destroy();
    return closed;
  };
  return { server, port: (server.address() as AddressInfo).port, stop };
}

it("goes on when the server was away and is back, and not before", async () => {
  const first = await listening();
  const isAway = Promise.withResolvers<null>();
  const seen: string[] = [];
  const back = serverIsBack(`http://127.0.0.1:${first.port}/api/v1`, never, () => isAway.resolve(null)).then(
    () => seen.push("back"),
  );
  await once(first.server, "connection");
  await first.stop();
  await isAway.promise;
  expect(seen).toEqual([]);
  const second = await listening(first.port);
  await back;
  await second.stop();
});

it("goes on when asked to, though the server stays", async () => {
  const { server, port, stop } = await listening();
  const { promise, resolve } = Promise.withResolvers<null>();
  const back = serverIsBack(`http://127.0.0.1:${port}/api/v1`, promise);
  await once(server, "connection");
  resolve(null);
  await back;
  await stop();
});

it("judges what was wrong until it is right, then everything again", async () => {
  const [red, green] = [
    { status: 1, wrong: ["CALL-01/a"] },
    { status: 0, wrong: [] },
  ];
  const answers = [red, new Unreachable("away"), red, green, green];
  const judged: unknown[] = [];
  const watched: AbortSignal[] = [];
  let restart = (): void => undefined;
  const status = await watch({
    judge(only) {
      judged.push(only);
      // The server is restarted while it is judged.
      restart();
      const answer = answers.shift()!;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    changed: (over) => {
      watched.push(over);
      return new Promise((resolve) => (restart = resolve));
    },
    say: () => undefined,
  });
  expect(judged).toEqual([undefined, ["CALL-01/a"], ["CALL-01/a"], ["CALL-01/a"], undefined]);
  expect(status).toBe(0);
  expect(watched.map(({ aborted }) => aborted)).toEqual(judged.map(() => true));
});
