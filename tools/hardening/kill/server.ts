import type { Config } from "../../../reference-server/config.ts";
import { createLog } from "../../../reference-server/parts-default.ts";
import { systemClock } from "../../../reference-server/system-clock.ts";
import type { Connection } from "../../../reference-server/storage/connection.ts";
import { serveReference } from "../serving.ts";
import { Traps, trapped, trappedProviders, type Trap } from "./points.ts";

/*
 * The reference server with traps: `node tools/hardening/kill/server.ts CONFIG [AHEAD]`, with its configuration as JSON. With AHEAD its
 * clock runs that many ms ahead of the machine's, so that the lease of a process killed a moment ago has already ended;
 * without it, the database's clock counts.
 */
const [, , configText, ahead] = process.argv;
const config = JSON.parse(configText!) as Config;
const traps = new Traps();
const given = {
  ...(ahead !== undefined && { clock: { now: () => systemClock.now() + Number(ahead) } }),
  log: createLog(config.logLevel),
  connect: async (usual: () => Promise<Connection>) => trapped(await usual(), traps),
};
let proceed = (): void => undefined;
await serveReference(config, {
  given,
  alter: (parts) => ({ ...parts, providers: trappedProviders(parts.providers, traps) }),
  answers: {
    arm: (trap: Trap) => traps.arm(trap),
    /** Answers when a Call has reached the point, and holds it there until it may proceed. */
    hold: (trap: Trap) =>
      new Promise<void>((reached) => {
        traps.arm(trap, () => {
          reached();
          return new Promise<void>((resolve) => (proceed = resolve));
        });
      }),
    proceed: () => proceed(),
  },
});
