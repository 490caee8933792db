import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

/** A port that is free now; another process may still take it before it is used. */
export async function freePort(): Promise<number> {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  taken.close();
  await once(taken, "close");
  return port;
}
