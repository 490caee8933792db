import { once } from "node:events";
import { createServer } from "node:net";

// Below the ports that systems give to outgoing connections, which may take any of theirs at any moment.
const [first, last] = [20_000, 32_767];
let next = first + Math.floor(Math.random() * (last - first));

/**
 * A port of 127.0.0.1 that is free, for a program that has to know its port before it starts. No port is given twice
 * by one process, so that two programs that start at the same time do not get the same one.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried <= last - first; tried += 1) {
    const port = next;
    next = port === last ? first : port + 1;
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    return port;
  }
  throw new Error(`no port from ${first} to ${last} is free`);
}
