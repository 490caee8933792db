import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import type { ClientRequest, IncomingHttpHeaders } from "node:http";
import type { Check } from "../../run/check.ts";

/** The request header that names the check; only requests of the proof have it. */
const header = "x-asked-by";

const asker = new AsyncLocalStorage<string>();

subscribe("http.client.request.created", (message) => {
  const id = asker.getStore();
  if (id !== undefined) (message as { request: ClientRequest }).request.setHeader(header, id);
});

/** The check, all of whose requests name it. */
export const asking = (check: Check): Check => ({
  ...check,
  run: (stage) => asker.run(check.id, () => check.run(stage)),
});

/** The check that sent a request; null for what a run sends between checks. */
export const askerOf = (headers: IncomingHttpHeaders): string | null =>
  (headers[header] as string | undefined) ?? null;
