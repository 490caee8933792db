import { connect, createServer, type AddressInfo, type Socket } from "node:net";

/** What becomes of a COMMIT on its way to Postgres. */
export type CommitFate = "passes" | "lost" | "unanswered";

/** A Postgres that a test can take away: bytes go to the real one through this, or not. */
export interface DatabaseProxy {
  /** The address through the proxy. */
  url: string;
  /** Cuts every connection and refuses new ones, as a server that is down. */
  down(): void;
  up(): void;
  /** Leaves connections as they are and lets no answer through, as a server or a network that hangs. */
  stall(): void;
  resume(): void;
  /** Cuts every connection; new ones are let in. */
  cut(): void;
  /**
   * Decides of each COMMIT: `lost` cuts the connection before Postgres has it, `unanswered` after Postgres has answered
   * and before the client knows.
   */
  onCommit: () => CommitFate;
  close(): Promise<void>;
}

/** A COMMIT as the driver sends it: a simple query of the protocol. */
const commit = Buffer.from("COMMIT\0");

/** A client's connection and the one that goes on from it to Postgres. */
interface Pair {
  client: Socket;
  onward: Socket;
}

/** Passes bytes both ways until one side ends or a COMMIT's fate cuts the two. */
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
