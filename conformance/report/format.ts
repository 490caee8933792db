import type { Finding, Share } from "../judge/finding.ts";
import type { Choice } from "../judge/observer.ts";
import type { Verdict } from "../judge/verdict.ts";
import type { Coverage } from "./coverage.ts";
import type { Hashes } from "./hashes.ts";

/** An exchange in a report. `request` and `response` contain headers and body; secrets are masked. */
export interface ReportedExchange {
  method: string;
  url: string;
  /** The sender: the label of an account, or null without a credential. */
  account: string | null;
  /** ISO 8601. */
  started_at: string;
  /** Null when there was no answer. */
  status: number | null;
  duration_ms: number;
  request: { headers: Record<string, string>; body: string | null };
  /** For a truncated body, `cut_from` is its original length in characters. */
  response: { headers: Record<string, string>; body: string; cut_from?: number } | { error: string | null };
  curl: string;
}

export interface ReportedCheck extends Omit<Finding, "exchanges"> {
  /** Those of a check that passed only with `--trace all`. */
  exchanges: ReportedExchange[];
  /** The number of its exchanges when `exchanges` leaves them out. */
  exchanges_left_out?: number;
}

export interface ReportedClause {
  id: string;
  level: "must" | "should";
  text: string;
  source: string;
  /** The address of the clause's page, or the command that prints it. */
  explained: string;
  verdict: Verdict;
  /** Ids of the checks and rules that cover it. */
  checks: string[];
}

/** How much of a recording was judged. */
export interface RecordingCounts {
  /** All entries of the file. */
  entries: number;
  /** Entries of this API, which were judged as far as they were recorded. */
  judged: number;
  /** Entries of other addresses, or of no operation of the contract. */
  others: number;
  /** Of those judged, how many lack a part, by the part's name: rules that need it did not apply. */
  incomplete: Record<string, number>;
  /** Entries that nothing could be judged by, by reason. */
  skipped: Record<string, number>;
}

/** The format of `conformance.json`. */
export interface Report {
  /** The contract version that the server was judged by. */
  contract_version: string;
  /** Set when the server announces another version: the reader must know this first. */
  version_note?: string;
  suite_version: string;
  /** The base URL of the server under test. */
  target: string;
  /** Hashes of suite, contract and profile. */
  hashes: Hashes;
  /** Set when the rules were applied again to a report's exchanges: the original judge. */
  judged_before?: { suite_version: string; hashes: Hashes };
  /**
   * Set when the traffic was recorded elsewhere: its origin. Such a report has only rules, and nothing can be replayed.
   */
  recorded?: string;
  /** Set with `recorded`: how much of the recording was judged. */
  recording?: RecordingCounts;
  /** Set when clients are judged, not the server. */
  party?: "client";
  /** The shell arguments that select the same server and profile again; by default the target's address. */
  again?: string;
  /** Set when the server went away in mid-run, with the reason: what follows was seen before. */
  gone?: string;
  /** ISO 8601. */
  started_at: string;
  duration_ms: number;
  /** What the run sent, the credits that it may have cost by the prices that the server names, and how long it waited. */
  sent?: { requests: number; credits: number; waited_ms: number };
  /** How late the server's books may be, in seconds; where it was measured, after how many they were up to date. */
  audit_lag?: { seconds: number; measured?: { rows: number; sums: number } };
  /** The number of checks by verdict. */
  summary: Record<Verdict, number>;
  checks: ReportedCheck[];
  /** What to fix, the cause of most first: every failed or blocked finding belongs to one of them. */
  causes?: Cause[];
  /** Set when the causes could not be made, and each finding is its own cause: why. */
  causes_note?: string;
  /** What changed against the report of the base branch. */
  base?: AgainstBase;
  /** The flags that selected a part of the suite, such as `--only DISC --fast`; absent where the whole was asked for. */
  part?: string;
  /** The release of the suite whose checks and rules count; what is newer fails nothing. All count where it is absent. */
  requirements?: string;
  clauses: ReportedClause[];
  /** How much of the spec was observed, counted from the spec. */
  coverage: Coverage;
  /** The server's choices where the contract leaves it open, as far as observed. */
  readings: Choice[];
}

/** One thing to fix, with every finding that it explains. */
export interface Cause {
  /** What is wrong, in a sentence. */
  what: string;
  verdict: Verdict;
  /** The id of the check or rule that shows it best. */
  lead: string;
  /** Of the responses, reads or Calls that it is about, how many show it; absent where that was not counted. */
  share?: Share;
  /** The clauses that it breaks, those of the lead first. */
  clauses: string[];
  /** Where it shows: operations with the status of their answers. */
  places: string[];
  /** Ids of the checks and rules that failed for this reason. */
  checks: string[];
  /** Ids of the checks that could not be judged for this reason: what they would find is hidden until it is fixed. */
  blocks: string[];
  /** The line of a profile that declares an operation as not implemented yet. */
  declare?: string;
}

/** What changed against the report of a base branch, as ids of checks and rules. */
export interface AgainstBase {
  /** When the base was judged, ISO 8601. */
  started_at: string;
  /** Set when another suite judged the base: what differs may be the suite's doing. */
  other_suite?: boolean;
  /** Set when the base was judged with another profile. */
  other_profile?: boolean;
  introduced: string[];
  inherited: string[];
  mended: string[];
  /** What passed at the base and is not verified now, although it was asked for. */
  unverified?: string[];
}
