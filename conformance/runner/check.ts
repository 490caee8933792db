import type { ClauseId } from "../../generated/clauses.ts";
import type { CapabilityRole, Need as ContractNeed } from "../../generated/contract.ts";
import type { Expect } from "../judge/expect.ts";
import type { Account } from "../subject/account.ts";
import type { Stranger } from "../subject/account.ts";
import type { Mailbox } from "../subject/mailbox.ts";
import type { Feature, Profile, Role, Use } from "../subject/profile.ts";

/** Something that a check cannot do without; what is missing makes it `unverified`. No check waits for days. */
export type Need = Exclude<ContractNeed, "time">;

/** What a check has in hand. */
export interface Stage {
  /** An account with credits, nobody else's while the check runs. */
  account: Account;
  /** A further account; needs `other_account`. */
  other: () => Promise<Account>;
  /** Someone without a credential, or with one that the check makes up. */
  stranger: Stranger;
  /** The tool of a role, with parameters that it accepts; the check's `needs` must name it. */
  tool: (role: Role) => Required<Use>;
  capability: (name: CapabilityRole) => Required<Use>;
  /** The mails that the server sends; needs `mailbox`. */
  mailbox: Mailbox;
  expect: Expect;
  profile: Profile;
  /** A text that no other check and no other run uses. */
  unique: (prefix: string) => string;
}

export interface Options {
  needs?: readonly Need[];
  /** Judged only when the profile does not declare this off. */
  feature?: Feature;
  /** The account's rate-limit windows must be unused, and are used up: it is not handed out again. */
  fresh?: boolean;
  /** Credits that the check spends at most; 5 unless told. */
  credits?: number;
  /** Waits for a rate-limit window to end; left out by `--fast`. */
  window?: boolean;
  /** Many requests, one after another: it starts early, so that nobody waits for it in the end. */
  long?: boolean;
}

/** An active scenario that establishes one or more clauses. */
export interface Check extends Options {
  /** First clause and title, stable as long as both are: what `--replay` takes. */
  id: string;
  clauses: readonly ClauseId[];
  title: string;
  run: (stage: Stage) => Promise<void>;
}

/**
 * Declares a check. It fails by an expectation alone; one that expects nothing is an error of the suite.
 * @param clauses the obligations that it establishes when it passes
 * @param title one sentence, in the indicative: what holds on a right server
 */
export function check(
  clauses: ClauseId | readonly ClauseId[],
  title: string,
  ...rest: [run: Check["run"]] | [options: Options, run: Check["run"]]
): Check {
  const list: readonly ClauseId[] = typeof clauses === "string" ? [clauses] : clauses;
  const [options, run] = rest.length === 1 ? [{}, rest[0]] : rest;
  return { ...options, id: `${list[0]}/${slug(title)}`, clauses: list, title, run };
}

const slug = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
