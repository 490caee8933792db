import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** The fate of a COMMIT on its way to Postgres. */
export type CommitFate = "passes" | "lost" | "unanswered";

/** A proxy in front of a real Postgres, with which a test can simulate outages. */
export interface DatabaseProxy {
  /** The address through the proxy. */
  url: string;
  /** Cuts every connection and refuses new ones, like a server that is down. */
  down(): void;
  up(): void;
  /** Keeps connections open but forwards no answer, like a server or a network that hangs. */
  stall(): void;
  resume(): void;
  /** Cuts every connection; new ones are accepted. */
  cut(): void;
  /**
   * Decides the fate of each COMMIT: `lost` cuts the connection before Postgres receives it, `unanswered` after
   * Postgres has answered and before the client sees the answer.
   */
  onCommit: () => CommitFate;
  close(): Promise<void>;
}

/** A COMMIT as the driver sends it: a simple query message. */
const commit = Buffer.from("COMMIT\0");

/** A client's connection and its upstream connection to Postgres. */
interface Pair {
  client: Socket;
  onward: Socket;
}

/** Forwards bytes both ways until one side ends or the fate of a COMMIT cuts both. */
function join({ client, onward }: Pair, fateOfCommit: () => CommitFate, onEnd: () => void): void {
  let unanswered = false;
  const end = (): void => {
    onEnd();
    client.destroy();
    onward.destroy();
  };
  client.on("data", (bytes) => {
    const fate = bytes.includes(commit) ? fateOfCommit() : "passes";
    if (fate === "lost") return end();
    unanswered ||= fate === "unanswered";
    onward.write(bytes);
  });
  onward.on("data", (bytes) => {
    if (unanswered) return end();
    client.write(bytes);
  });
  for (const socket of [client, onward]) socket.on("close", end).on("error", end);
}

/** @param server the real Postgres, `postgres://…` */
export async function databaseProxy(server: string): Promise<DatabaseProxy> {
  const real = new URL(server);
  const pairs = new Set<Pair>();
  let isDown = false;
  let stalled = false;

  const listener = createServer((client) => {
    if (isDown) return void client.resetAndDestroy();
    const pair = { client, onward: connect(Number(real.port || 5432), real.hostname) };
    pairs.add(pair);
    join(
      pair,
      () => proxy.onCommit(),
      () => pairs.delete(pair),
    );
    if (stalled) pair.onward.pause();
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const url = new URL(server);
  url.host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;

  const proxy: DatabaseProxy = {
    url: url.href.replaceAll("+", "%20"),
    onCommit: () => "passes",
    down() {
      isDown = true;
      proxy.cut();
    },
    up: () => void (isDown = false),
    stall() {
      stalled = true;
      for (const { onward } of pairs) onward.pause();
    },
    resume() {
      stalled = false;
      for (const { onward } of pairs) onward.resume();
    },
    cut() {
      for (const { client, onward } of pairs) {
        client.resetAndDestroy();
        onward.destroy();
      }
    },
    async close() {
      proxy.cut();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
  return proxy;
}
