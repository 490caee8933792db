import { RightClient, type Called, type Task, type Tool } from "../traffic/clients/right-client.ts";
import type { Surroundings } from "../traffic/clients/transport.ts";
import type { Figures } from "./verdict.ts";

type Fields = Record<string, unknown>;
type Client = new (around: Surroundings) => RightClient;

/** Sends a lost Call again, after `before`. */
abstract class Replaying extends RightClient {
  #again = false;

  protected abstract before(searchId: string, task: Task): Promise<unknown>;

  protected override async afterLoss(
    tool: Tool,
    parameters: Fields,
    searchId: string,
    task: Task,
  ): Promise<Called> {
    if (this.#again) return { outcome: "unknown" };
    this.#again = true;
    await this.before(searchId, task);
    return this.call(tool, parameters, searchId, task);
  }
}

/** Awaits its first Call no longer than its own time limit, and all else however busy the machine is. */
function hurried(around: Surroundings, ms: number): Surroundings {
  let called = false;
  const tooLate = (): Promise<null> => new Promise((resolve) => setTimeout(() => resolve(null), ms));
  return {
    ...around,
    send: (request) => {
      const isFirstCall = !called && request.url.endsWith("/tools/execute");
      called ||= isFirstCall;
      return isFirstCall ? Promise.race([around.send(request), tooLate()]) : around.send(request);
    },
  };
}

interface Costly {
  Client: Client;
  /** The fault that a certificate must name, in this scenario. */
  fault: string;
  at: string;
  /** What it costs there: weather.current.v1 is one credit, weather.history.v1 two. */
  money: Partial<Figures>;
}

const nothingLost = { double_charges: 0, double_credits: 0, results_unseen: 0, results_not_looked_up: 0 };
const once = (credits: number): Partial<Figures> => ({
  double_charges: 1,
  double_credits: credits,
  results_unseen: 1,
  results_not_looked_up: 1,
});

/** Ways to lose money or results. */
export const costlyClients: Readonly<Record<string, Costly>> = {
  "decodes strictly": {
    fault: "breaks on lawful answers",
    at: "unknown-members@1",
    money: { ...nothingLost, charges: 0 },
    Client: class extends RightClient {
      protected override async discover(task: Task): ReturnType<RightClient["discover"]> {
        const discovery = await super.discover(task);
        const known = [
          "tool_id",
          "name",
          "description",
          "provider_name",
          "params",
          "examples",
          "expected_cost",
          "billing_rule",
          "stats",
        ];
        for (const tool of discovery?.tools ?? []) {
          const unknown = Object.keys(tool).find((name) => name.startsWith("x_") && !known.includes(name));
          if (unknown !== undefined) throw new TypeError(`unknown member ${unknown}`);
        }
        return discovery;
      }
    },
  },
  "knows a closed list of units": {
    fault: "breaks on lawful answers",
    at: "unknown-words@1",
    money: { ...nothingLost, charges: 0 },
    Client: class extends RightClient {
      protected override choose(tools: readonly Tool[], task: Task): Tool | undefined {
        const tool = super.choose(tools, task);
        const rule = tool?.["billing_rule"] as { unit?: string } | undefined;
        if (rule?.unit === "furlong") throw new TypeError(`unit ${rule.unit}`);
        return tool;
      }
    },
  },
  "has its own timeout, and tries again": {
    fault: "pays twice",
    at: "late@1",
    money: once(1),
    Client: class extends Replaying {
      constructor(around: Surroundings) {
        // A second before the late answer, so that a busy machine does not deliver it in time.
        super(hurried(around, 1500));
      }

      protected override before(): Promise<unknown> {
        return Promise.resolve();
      }
    },
  },
  "begins again with another session and search": {
    fault: "pays twice",
    at: "lost@1",
    money: once(1),
    Client: class extends RightClient {
      #again = 0;

      protected override sessionField(task: Task): Fields {
        return { session_id: `${task.session}-${this.#again}` };
      }

      protected override async afterLoss(
        _tool: Tool,
        _parameters: Fields,
        _search: string,
        task: Task,
      ): Promise<Called> {
        this.#again += 1;
        if (this.#again > 1) return { outcome: "unknown" };
        await this.perform(task);
        return { outcome: "refused", status: 0, body: {} };
      }
    },
  },
  "sends a capability query again": {
    fault: "pays twice",
    at: "lost@1",
    money: once(1.5),
    Client: class extends RightClient {
      override async perform(): Promise<void> {
        const query = JSON.stringify({ capability_id: "market.quote", parameters: { symbol: "ACME" } });
        for (let attempt = 1; attempt <= 3; attempt += 1)
          if ((await this.post("/capabilities/query", query)) !== null) return;
      }
    },
  },
  "looks where the audit cannot show it": {
    fault: "pays twice",
    at: "lost@1",
    money: once(1),
    Client: class extends Replaying {
      protected override before(): Promise<unknown> {
        return this.read("/auth/usage/history/v2?kind=discover&limit=1");
      }
    },
  },
  "tries again after more than a minute": {
    fault: "pays twice",
    at: "lost@1",
    money: once(1),
    Client: class extends Replaying {
      protected override before(): Promise<unknown> {
        return this.around.sleep(61_000);
      }
    },
  },
  "trusts a failed look-up": {
    fault: "pays twice",
    at: "audit-503@1",
    money: once(1),
    Client: class extends Replaying {
      protected override async before(searchId: string): Promise<unknown> {
        const url = this.address(`/auth/usage/history/v2?search_id=${searchId}&kind=call`);
        return this.around.send({ method: "GET", url, headers: this.headers() });
      }
    },
  },
  "takes another tool for the same": {
    fault: "pays twice",
    at: "lost@1",
    money: once(0.025),
    Client: class extends RightClient {
      protected override async afterLoss(
        _tool: Tool,
        _parameters: Fields,
        searchId: string,
        task: Task,
      ): Promise<Called> {
        const other = { tool_id: "currency.rate.v1" };
        return super.call(other, { base: "EUR", quote: "CNY" }, searchId, task);
      }
    },
  },
  "never looks": {
    fault: "gives up without need",
    at: "lost@1",
    money: { ...once(0), double_charges: 0 },
    Client: class extends RightClient {
      protected override lookFor(): Promise<void> {
        return Promise.resolve();
      }
    },
  },
};
