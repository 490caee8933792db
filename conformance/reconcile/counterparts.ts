import type { Row } from "../judge/rows.ts";
import { usable, type Account } from "../server/account.ts";
import { auditPairs, type Books, type Find } from "../books/pairs.ts";
import { isOfCall } from "../books/writes.ts";

/** Lookups in a row that find nothing, after which none is made for further rows. */
const maxVainLookups = 200;

/** Looks up rows whose counterpart is not in the slices around them, and reports those without one. */
export class Counterparts {
  readonly #account: Account;
  readonly #find: Find;
  readonly #readAtMs: number;
  #vain = 0;

  constructor(account: Account, find: Find, readAtMs: number) {
    this.#account = account;
    this.#find = find;
    this.#readAtMs = readAtMs;
  }

  async resolve({ events, entries }: Books): Promise<void> {
    for (const event of events) {
      const linked = await this.#found(() => this.#entry(event["credits_ledger_entry_id"]));
      auditPairs({ events: [event], entries: linked }, this.#find, this.#readAtMs);
    }
    for (const entry of entries) {
      const { execution_id: execution } = entry;
      const linked = typeof execution === "string" ? await this.#found(() => this.#events(execution)) : [];
      const links = linked.filter(isOfCall).map((event) => event["credits_ledger_entry_id"]);
      const others =
        links.length === 0 || String(links[0]) === String(entry["id"]) ? [] : await this.#entry(links[0]);
      auditPairs({ events: linked, entries: [entry, ...others] }, this.#find, this.#readAtMs);
    }
  }

  async #entry(id: unknown): Promise<Row[]> {
    if (id === undefined || id === null) return [];
    const answer = await this.#account.ask("getLedgerEntry", { parameter: String(id) });
    const entry = answer.status === 200 ? answer.at("data").value : undefined;
    return typeof entry === "object" && entry !== null ? [entry as Row] : [];
  }

  async #events(execution: string): Promise<Row[]> {
    const events = usable(await this.#account.usage({ execution_id: execution, page_size: 50 }));
    return events.at("data.items").items.map(({ value }) => value as Row);
  }

  /** Rows that a lookup finds; none after many lookups that found nothing. */
  async #found(look: () => Promise<Row[]>): Promise<Row[]> {
    if (this.#vain >= maxVainLookups) return [];
    const found = await look();
    this.#vain = found.length > 0 ? 0 : this.#vain + 1;
    return found;
  }
}
