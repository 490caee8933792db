import type { ClauseId } from "../../../generated/clauses.ts";
import { RightClient, type Called, type Task, type Tool } from "./right-client.ts";
import type { ClientAnswer, Surroundings } from "./transport.ts";

type Fields = Record<string, unknown>;
type Client = new (around: Surroundings) => RightClient;

/** Does not revise refused parameters, so that one mistake stays one. */
abstract class Stubborn extends RightClient {
  protected override regenerated(): Fields | null {
    return null;
  }
}

/** The right client with one change each: its mistake, by the clause that it breaks. */
export const wrongClients: Partial<Record<ClauseId, Client>> = {
  "FLOW-01": class extends RightClient {
    #count = 0;

    protected override sessionField(task: Task): Fields {
      return { session_id: `${task.session}-${(this.#count += 1)}` };
    }
  },
  "FLOW-02": class extends RightClient {
    override async perform(task: Task): Promise<void> {
      const remembered = { tool_id: task.prefer ?? "weather.current.v1" };
      const tool = await this.inspect(remembered, "", task);
      if (tool !== null) await this.carryOut(tool, this.parametersOf(tool, task), "", task);
    }

    protected override callBody(tool: Tool, parameters: Fields, _searchId: string, task: Task): Fields {
      return { tool_id: tool.tool_id, parameters, ...this.sessionField(task), model: "sample-1" };
    }

    protected override discover(): Promise<null> {
      return Promise.resolve(null);
    }
  },
  "FLOW-03": class extends Stubborn {
    protected override parametersOf(tool: Tool, task: Task): Fields {
      const [required] = (tool.params ?? []).filter((param) => param["required"] === true);
      const { [String(required?.["name"])]: _left, ...others } = super.parametersOf(tool, task);
      return others;
    }
  },
  "FLOW-04": class extends Stubborn {
    protected override parametersOf(tool: Tool, task: Task): Fields {
      return { ...super.parametersOf(tool, task), verbose: true };
    }
  },
  "FLOW-05": class extends Stubborn {
    protected override discoverBody(task: Task): Fields {
      return { ...super.discoverBody(task), view: "routing" };
    }

    protected override isComplete(): boolean {
      return true;
    }

    protected override parametersOf(_tool: Tool, task: Task): Fields {
      return task.values;
    }
  },
  "FLOW-06": class extends Stubborn {
    #first: Fields | undefined;

    protected override parametersOf(tool: Tool, task: Task): Fields {
      return (this.#first ??= super.parametersOf(tool, task));
    }
  },
  "FLOW-07": class extends Stubborn {
    readonly #cache = new Map<string, Tool>();

    protected override choose(tools: readonly Tool[], task: Task): Tool | undefined {
      const cached = tools.map((tool) => this.#cache.get(tool.tool_id) ?? tool);
      const chosen = super.choose(cached, task);
      if (chosen !== undefined) this.#cache.set(chosen.tool_id, chosen);
      return chosen;
    }
  },
  "FLOW-08": class extends RightClient {
    readonly #cache = new Map<string, Tool>();

    protected override discoverBody(task: Task): Fields {
      return { ...super.discoverBody(task), view: "routing" };
    }

    protected override async inspect(tool: Tool, searchId: string, task: Task): Promise<Tool | null> {
      const known = this.#cache.get(tool.tool_id) ?? (await super.inspect(tool, searchId, task));
      if (known !== null) this.#cache.set(tool.tool_id, known);
      return known;
    }
  },
  "FLOW-09": class extends RightClient {
    protected override parametersOf(tool: Tool): Fields {
      const examples = tool["examples"] as { sample_parameters?: Fields } | undefined;
      return examples?.sample_parameters ?? {};
    }
  },
  "FLOW-12": class extends RightClient {
    protected override callBody(tool: Tool, parameters: Fields, searchId: string, task: Task): Fields {
      const { search_id: _left, ...body } = super.callBody(tool, parameters, searchId, task);
      return body;
    }
  },
  "FLOW-13": class extends RightClient {
    #calls = 0;

    protected override callBody(tool: Tool, parameters: Fields, searchId: string, task: Task): Fields {
      const { model, ...body } = super.callBody(tool, parameters, searchId, task);
      this.#calls += 1;
      return this.#calls === 1 ? { ...body, model } : body;
    }
  },
  "FLOW-14": class extends Stubborn {
    protected override callBody(tool: Tool, parameters: Fields, searchId: string, task: Task): Fields {
      return { ...super.callBody(tool, parameters, searchId, task), model: "sample 1, of today" };
    }
  },
  "FLOW-15": class extends RightClient {
    #again = false;

    protected override async afterLoss(
      tool: Tool,
      parameters: Fields,
      searchId: string,
      task: Task,
    ): Promise<Called> {
      if (this.#again) return super.afterLoss(tool, parameters, searchId, task);
      this.#again = true;
      return this.call(tool, parameters, searchId, task);
    }
  },
  "FLOW-16": class extends RightClient {
    protected override callBody(tool: Tool, parameters: Fields, searchId: string, task: Task): Fields {
      const body = super.callBody(tool, parameters, searchId, task);
      return { ...body, tool_id: tool.tool_id.replace(/\.v\d+$/, "") };
    }
  },
  "FLOW-17": class extends RightClient {
    protected override async afterFailure(
      tool: Tool,
      parameters: Fields,
      searchId: string,
      task: Task,
    ): Promise<void> {
      const again = await this.call(tool, parameters, searchId, task);
      if (again.outcome === "failed" && again.executionId !== null) await this.reconcile(again.executionId);
    }
  },
  "FLOW-18": class extends RightClient {
    protected override regenerated(_tool: Tool, parameters: Fields): Fields {
      return parameters;
    }
  },
  "FLOW-19": class extends RightClient {
    protected override fileAddress(address: string): string {
      return `${address}&download=1`;
    }
  },
  "FLOW-20": class extends RightClient {
    protected override fileHeaders(): Record<string, string> {
      return this.headers();
    }
  },
  "FLOW-22": class extends RightClient {
    protected override async reconcile(): Promise<void> {
      await this.read("/auth/usage/history/v2?page_size=20");
      await this.read("/auth/credits/ledger?page_size=20");
    }
  },
  "FLOW-23": class extends RightClient {
    protected override async reconcile(executionId: string): Promise<void> {
      await this.read("/auth/credits/ledger?page_size=20");
      await this.read(`/auth/usage/history/v2?execution_id=${encodeURIComponent(executionId)}`);
    }
  },
  "FLOW-25": class extends RightClient {
    protected override address(path: string): string {
      const joint = path.includes("?") ? "&" : "?";
      return `${super.address(path)}${joint}api_key=${this.around.key}`;
    }
  },
  "FLOW-28": class extends RightClient {
    protected override waitAsAsked(_answer: ClientAnswer): Promise<void> {
      return Promise.resolve();
    }
  },
};
