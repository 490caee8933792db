import type { ClauseId } from "../../generated/clauses.ts";
import type { CapabilityRole, Need as ContractNeed } from "../../generated/contract.ts";
import type { Expect } from "../judge/expect.ts";
import type { Account } from "../server/account.ts";
import type { Stranger } from "../server/account.ts";
import type { Mailbox } from "../server/mailbox.ts";
import type { Feature, Profile, Role, Use } from "../server/profile.ts";

/**
 * A precondition of a check; if it is missing, the check is `unverified`. With `time` the check sets the server's clock
 * ahead for all accounts: it runs after all others, and by itself.
 */
export type Need = ContractNeed;

/** What a check can use. */
export interface Stage {
  /** An account with credits, reserved for the check while it runs. */
  account: Account;
  /** A further account; requires `other_account` in `needs`. */
  other: () => Promise<Account>;
  /** The account with rows of every kind, for reading only; requires `every_kind` in `needs`. */
  everyKind: () => Account;
  /** A client without a credential, or with one that the check makes up. */
  stranger: Stranger;
  /** The tool of a role, with valid parameters; the check's `needs` must name the role. */
  tool: (role: Role) => Required<Use>;
  capability: (name: CapabilityRole) => Required<Use>;
  /** The mails that the server sends; requires `mailbox` in `needs`. */
  mailbox: Mailbox;
  expect: Expect;
  profile: Profile;
  /** A text that no other check or run uses. */
  unique: (prefix: string) => string;
}

export interface Options {
  needs?: readonly Need[];
  /** Judged only when the profile does not declare this feature off. */
  feature?: Feature;
  /** Requires unused rate-limit windows and uses them up: the account is not lent again. */
  fresh?: boolean;
  /** The maximum credits that the check spends if a Call costs two at most; 5 by default. */
  credits?: number;
  /** Waits for a rate-limit window to end; skipped with `--fast`, unless the clock can be set ahead. */
  window?: boolean;
  /** Sends many requests in sequence; starts early, so that it does not prolong the run. */
  long?: boolean;
}

/** An active scenario that verifies one or more clauses. */
export interface Check extends Options {
  /** First clause and title, stable as long as both are; the argument of `--replay`. */
  id: string;
  clauses: readonly ClauseId[];
  title: string;
  run: (stage: Stage) => Promise<void>;
}

/**
 * Declares a check. It fails only by an expectation; a check without one is a fault of the suite.
 * @param clauses the obligations that it verifies when it passes
 * @param title one sentence in the indicative: what holds on a correct server
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
