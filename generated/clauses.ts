// Written by `npm run generate` from spec/. Do not edit.

/** The id of a clause of the contract. */
export type ClauseId =
  | "ACCT-01"
  | "ACCT-02"
  | "ACCT-03"
  | "ACCT-04"
  | "ACCT-05"
  | "ACCT-06"
  | "ACCT-07"
  | "ACCT-08"
  | "ACCT-09"
  | "ACCT-10"
  | "ACCT-11"
  | "ACCT-12"
  | "ACCT-13"
  | "ACCT-14"
  | "ACCT-15"
  | "ACCT-16"
  | "ACCT-17"
  | "ACCT-18"
  | "ACCT-19"
  | "ACCT-20"
  | "ACCT-21"
  | "ACCT-22"
  | "ACCT-23"
  | "ACCT-24"
  | "ACCT-25"
  | "ACCT-26"
  | "AUTH-01"
  | "AUTH-02"
  | "AUTH-03"
  | "AUTH-04"
  | "AUTH-05"
  | "AUTH-06"
  | "AUTH-07"
  | "AUTH-08"
  | "AUTH-09"
  | "AUTH-10"
  | "AUTH-11"
  | "AUTH-12"
  | "AUTH-13"
  | "AUTH-14"
  | "AUTH-15"
  | "BILL-01"
  | "BILL-02"
  | "BILL-03"
  | "BILL-04"
  | "BILL-05"
  | "BILL-06"
  | "BILL-07"
  | "BILL-08"
  | "BILL-09"
  | "BILL-10"
  | "BILL-11"
  | "BILL-12"
  | "BILL-13"
  | "BILL-14"
  | "BILL-15"
  | "BILL-16"
  | "BILL-17"
  | "BILL-18"
  | "BILL-19"
  | "BILL-20"
  | "BILL-21"
  | "BILL-22"
  | "BILL-23"
  | "BILL-24"
  | "BILL-25"
  | "BILL-26"
  | "BILL-27"
  | "BILL-28"
  | "BILL-29"
  | "BILL-30"
  | "BILL-31"
  | "BILL-32"
  | "BILL-33"
  | "BILL-34"
  | "BILL-35"
  | "BILL-36"
  | "BILL-37"
  | "BILL-38"
  | "BILL-39"
  | "BILL-40"
  | "BILL-41"
  | "BILL-42"
  | "CALL-01"
  | "CALL-02"
  | "CALL-03"
  | "CALL-04"
  | "CALL-05"
  | "CALL-06"
  | "CALL-07"
  | "CALL-08"
  | "CALL-09"
  | "CALL-10"
  | "CALL-11"
  | "CALL-12"
  | "CALL-13"
  | "CALL-14"
  | "CALL-15"
  | "CALL-16"
  | "CALL-17"
  | "CALL-18"
  | "CALL-19"
  | "CALL-20"
  | "CALL-21"
  | "CALL-22"
  | "CALL-23"
  | "CALL-24"
  | "CALL-25"
  | "CALL-26"
  | "CALL-27"
  | "CALL-28"
  | "CALL-29"
  | "CALL-30"
  | "CALL-31"
  | "CALL-32"
  | "CALL-33"
  | "CALL-34"
  | "CALL-35"
  | "CALL-36"
  | "CALL-37"
  | "CALL-38"
  | "CALL-39"
  | "CALL-40"
  | "CALL-41"
  | "CALL-42"
  | "CALL-43"
  | "CAPA-01"
  | "CAPA-02"
  | "CAPA-03"
  | "CAPA-04"
  | "CAPA-05"
  | "CAPA-06"
  | "CAPA-07"
  | "CAPA-08"
  | "CAPA-09"
  | "CAPA-10"
  | "CAPA-11"
  | "CAPA-12"
  | "CAPA-13"
  | "CAPA-14"
  | "CAPA-15"
  | "CAPA-16"
  | "CAPA-17"
  | "CAPA-18"
  | "CAPA-19"
  | "CAPA-20"
  | "CAPA-21"
  | "CAPA-22"
  | "CAPA-23"
  | "CAPA-24"
  | "CAPA-25"
  | "CAPA-26"
  | "CAPA-27"
  | "CAPA-28"
  | "DISC-01"
  | "DISC-02"
  | "DISC-03"
  | "DISC-04"
  | "DISC-05"
  | "DISC-06"
  | "DISC-07"
  | "DISC-08"
  | "DISC-09"
  | "DISC-10"
  | "DISC-11"
  | "DISC-12"
  | "DISC-13"
  | "DISC-14"
  | "DISC-15"
  | "DISC-16"
  | "DISC-17"
  | "DISC-18"
  | "DISC-19"
  | "DISC-20"
  | "DISC-21"
  | "DISC-22"
  | "DISC-23"
  | "DISC-24"
  | "DISC-25"
  | "DISC-26"
  | "DISC-27"
  | "DISC-28"
  | "DISC-29"
  | "DISC-30"
  | "DISC-31"
  | "DISC-32"
  | "DISC-33"
  | "DISC-34"
  | "DISC-35"
  | "DISC-36"
  | "DISC-37"
  | "DISC-38"
  | "DISC-39"
  | "DISC-40"
  | "DISC-41"
  | "DISC-42"
  | "DISC-43"
  | "DISC-44"
  | "DISC-45"
  | "ERRO-01"
  | "ERRO-02"
  | "ERRO-03"
  | "ERRO-04"
  | "ERRO-05"
  | "ERRO-06"
  | "ERRO-07"
  | "ERRO-08"
  | "ERRO-09"
  | "ERRO-10"
  | "ERRO-11"
  | "ERRO-12"
  | "ERRO-13"
  | "ERRO-14"
  | "ERRO-15"
  | "ERRO-16"
  | "ERRO-17"
  | "FLOW-01"
  | "FLOW-02"
  | "FLOW-03"
  | "FLOW-04"
  | "FLOW-05"
  | "FLOW-06"
  | "FLOW-07"
  | "FLOW-08"
  | "FLOW-09"
  | "FLOW-10"
  | "FLOW-11"
  | "FLOW-12"
  | "FLOW-13"
  | "FLOW-14"
  | "FLOW-15"
  | "FLOW-16"
  | "FLOW-17"
  | "FLOW-18"
  | "FLOW-19"
  | "FLOW-20"
  | "FLOW-21"
  | "FLOW-22"
  | "FLOW-23"
  | "FLOW-24"
  | "FLOW-25"
  | "FLOW-26"
  | "FLOW-27"
  | "FLOW-28"
  | "HTTP-01"
  | "HTTP-02"
  | "HTTP-03"
  | "HTTP-04"
  | "HTTP-05"
  | "HTTP-06"
  | "HTTP-07"
  | "HTTP-08"
  | "HTTP-09"
  | "HTTP-10"
  | "INSP-01"
  | "INSP-02"
  | "INSP-03"
  | "INSP-04"
  | "INSP-05"
  | "INSP-06"
  | "INSP-07"
  | "INSP-08"
  | "INSP-09"
  | "INSP-10"
  | "INSP-11"
  | "INSP-12"
  | "INSP-13"
  | "INSP-14"
  | "INSP-15"
  | "INSP-16"
  | "INSP-17"
  | "INSP-18"
  | "LEXP-01"
  | "LEXP-02"
  | "LEXP-03"
  | "LEXP-04"
  | "LEXP-05"
  | "LSUM-01"
  | "LSUM-02"
  | "LSUM-03"
  | "LSUM-04"
  | "LSUM-05"
  | "LSUM-06"
  | "LSUM-07"
  | "LSUM-08"
  | "LSUM-09"
  | "LSUM-10"
  | "LSUM-11"
  | "LSUM-12"
  | "LSUM-13"
  | "LSUM-14"
  | "LSUM-15"
  | "LSUM-16"
  | "LSUM-17"
  | "LEDG-01"
  | "LEDG-02"
  | "LEDG-03"
  | "LEDG-04"
  | "LEDG-05"
  | "LEDG-06"
  | "LEDG-07"
  | "LEDG-08"
  | "LEDG-09"
  | "LEDG-10"
  | "LEDG-11"
  | "LEDG-12"
  | "LEDG-13"
  | "LEDG-14"
  | "LEDG-15"
  | "LEDG-16"
  | "LEDG-17"
  | "LEDG-18"
  | "LEDG-19"
  | "LEDG-20"
  | "LEDG-21"
  | "LEDG-22"
  | "LEDG-23"
  | "LEDG-24"
  | "LEDG-25"
  | "LEDG-26"
  | "LEDG-27"
  | "LEDG-28"
  | "LEDG-29"
  | "LEDG-30"
  | "LEDG-31"
  | "LEDG-32"
  | "LEDG-33"
  | "LEDG-34"
  | "LEDG-35"
  | "LEDG-36"
  | "LEDG-37"
  | "LEDG-38"
  | "LEDG-39"
  | "LEDG-40"
  | "LEDG-41"
  | "LEDG-42"
  | "LEDG-43"
  | "LEDG-44"
  | "LEDG-45"
  | "LEDG-46"
  | "LIMI-01"
  | "LIMI-02"
  | "LIMI-03"
  | "LIMI-04"
  | "LIMI-05"
  | "LIMI-06"
  | "LIMI-07"
  | "LIMI-08"
  | "LIMI-09"
  | "LIMI-10"
  | "LIMI-11"
  | "LIMI-12"
  | "LIMI-13"
  | "LIMI-14"
  | "LIMI-15"
  | "LIMI-16"
  | "LIMI-17"
  | "LIMI-18"
  | "LIMI-19"
  | "LIMI-20"
  | "LIMI-21"
  | "PROB-01"
  | "PROB-02"
  | "PROB-03"
  | "PROB-04"
  | "PROB-05"
  | "PROB-06"
  | "PROB-07"
  | "PROB-08"
  | "PROB-09"
  | "PROB-10"
  | "PROB-11"
  | "PROB-12"
  | "PROB-13"
  | "PROB-14"
  | "PROB-15"
  | "PROB-16"
  | "PROB-17"
  | "PROB-18"
  | "PROB-19"
  | "PROB-20"
  | "PROB-21"
  | "PROB-22"
  | "RSLT-01"
  | "RSLT-02"
  | "RSLT-03"
  | "RSLT-04"
  | "RSLT-05"
  | "RSLT-06"
  | "RSLT-07"
  | "RSLT-08"
  | "RSLT-09"
  | "RSLT-10"
  | "RSLT-11"
  | "RSLT-12"
  | "RSLT-13"
  | "RSLT-14"
  | "RSLT-15"
  | "RSLT-16"
  | "RSLT-17"
  | "RSLT-18"
  | "RSLT-19"
  | "RSLT-20"
  | "RSLT-21"
  | "RSLT-22"
  | "RSLT-23"
  | "RSLT-24"
  | "RSLT-25"
  | "RSLT-26"
  | "RSLT-27"
  | "RSLT-28"
  | "RSLT-29"
  | "RSLT-30"
  | "RSLT-31"
  | "RSLT-32"
  | "RSLT-33"
  | "RSLT-34"
  | "TRIA-01"
  | "TRIA-02"
  | "TRIA-03"
  | "TRIA-04"
  | "TRIA-05"
  | "TRIA-06"
  | "TRIA-07"
  | "TRIA-08"
  | "TRIA-09"
  | "TRIA-10"
  | "TRIA-11"
  | "TRIA-12"
  | "TRIA-13"
  | "TRIA-14"
  | "TRIA-15"
  | "TRIA-16"
  | "TRIA-17"
  | "TRIA-18"
  | "TRIA-19"
  | "TRIA-20"
  | "TRIA-21"
  | "TRIA-22"
  | "TRIA-23"
  | "TRIA-24"
  | "TRIA-25"
  | "TRIA-26"
  | "TRIA-27"
  | "TRIA-28"
  | "TRIA-29"
  | "UEXP-01"
  | "UEXP-02"
  | "UEXP-03"
  | "UEXP-04"
  | "UEXP-05"
  | "UEXP-06"
  | "UFED-01"
  | "UFED-02"
  | "UFED-03"
  | "UFED-04"
  | "UFED-05"
  | "UFED-06"
  | "UFED-07"
  | "UFED-08"
  | "UFED-09"
  | "UFED-10"
  | "USUM-01"
  | "USUM-02"
  | "USUM-03"
  | "USUM-04"
  | "USUM-05"
  | "USUM-06"
  | "USUM-07"
  | "USUM-08"
  | "USUM-09"
  | "USUM-10"
  | "USUM-11"
  | "USUM-12"
  | "USUM-13"
  | "USUM-14"
  | "USUM-15"
  | "USUM-16"
  | "USUM-17"
  | "USUM-18"
  | "USUM-19"
  | "USUM-20"
  | "USUM-21"
  | "USUM-22"
  | "USUM-23"
  | "USAG-01"
  | "USAG-02"
  | "USAG-03"
  | "USAG-04"
  | "USAG-05"
  | "USAG-06"
  | "USAG-07"
  | "USAG-08"
  | "USAG-09"
  | "USAG-10"
  | "USAG-11"
  | "USAG-12"
  | "USAG-13"
  | "USAG-14"
  | "USAG-15"
  | "USAG-16"
  | "USAG-17"
  | "USAG-18"
  | "USAG-19"
  | "USAG-20"
  | "USAG-21"
  | "USAG-22"
  | "USAG-23"
  | "USAG-24"
  | "USAG-25"
  | "USAG-26"
  | "USAG-27"
  | "USAG-28"
  | "USAG-29"
  | "USAG-30"
  | "USAG-31"
  | "USAG-32"
  | "USAG-33"
  | "USAG-34"
  | "USAG-35"
  | "USAG-36"
  | "USAG-37"
  | "USAG-38"
  | "USAG-39"
  | "USAG-40"
  | "USAG-41"
  | "USAG-42"
  | "USAG-43"
  | "USAG-44"
  | "USAG-45"
  | "USAG-46"
  | "USAG-47"
  | "USAG-48"
  | "USAG-49"
  | "USAG-50"
  | "USAG-51"
  | "USAG-52"
  | "USAG-53"
  | "USAG-54"
  | "USAG-55"
  | "USAG-56"
  | "USAG-57"
  | "USAG-58"
  | "USAG-59"
  | "USAG-60"
  | "USAG-61"
  | "USAG-62"
  | "USAG-63"
  | "USAG-64"
  | "USAG-65"
  | "USAG-66"
  | "USAG-67"
  | "USAG-68"
  | "USAG-69"
  | "USAG-70"
  | "USAG-71"
  | "USAG-72"
  | "USAG-73"
  | "USAG-74"
  | "USAG-75"
  | "USAG-76"
  | "USAG-77"
  | "VERS-01"
  | "VERS-02"
  | "VERS-03"
  | "VERS-04"
  | "VERS-05"
  | "VERS-06"
  | "VERS-07"
  | "VERS-08"
  | "VERS-09"
  | "VERS-10"
  | "VERS-11"
  | "VERS-12"
  | "VERS-13"
  | "VERS-14";

/** The name of an area of the contract, one for each file of spec/clauses. */
export type ClauseArea =
  | "account"
  | "auth"
  | "billing"
  | "call"
  | "capabilities"
  | "discover"
  | "errors"
  | "flow"
  | "general"
  | "inspect"
  | "ledger-export"
  | "ledger-summary"
  | "ledger"
  | "limits"
  | "probe"
  | "results"
  | "trial"
  | "usage-export"
  | "usage-feed"
  | "usage-summary"
  | "usage"
  | "versioning";

/** One obligation of the contract. */
export interface Clause {
  readonly area: ClauseArea;
  readonly id: ClauseId;
  readonly level: "must" | "should";
  /** Set on the obligations of a client; the others bind the server. */
  readonly party?: "client";
  readonly text: string;
  /** Where in the contract it stands. */
  readonly source: string;
  /** Lines of spec/contract.md, as numbers and as ranges such as "147-148". */
  readonly lines: readonly (number | string)[];
  /** An operation, several, or `all`. */
  readonly operation?: string | readonly string[];
  /** The schema that the clause is about, where it is about no operation. */
  readonly resource?: string;
  /** How the clause can be seen from outside. */
  readonly seen: "blackbox" | { readonly needs: readonly string[] } | { readonly not_observable: string };
}

/** The title of each area. */
export const areaTitles: Readonly<Record<ClauseArea, string>> = {
  "account": "Account reads",
  "auth": "Authentication",
  "billing": "Billing: stages, charge outcome, reason codes",
  "call": "Call",
  "capabilities": "Capability routing",
  "discover": "Discover",
  "errors": "Errors",
  "flow": "The client's half",
  "general": "Requests, answers and envelopes",
  "inspect": "Inspect",
  "ledger-export": "Ledger export",
  "ledger-summary": "Ledger summary",
  "ledger": "Credits ledger",
  "limits": "Rate limits",
  "probe": "Probe",
  "results": "Truncation and projection",
  "trial": "Anonymous trial and claim",
  "usage-export": "Usage export",
  "usage-feed": "Usage summary feed",
  "usage-summary": "Usage summary",
  "usage": "Usage audit",
  "versioning": "Versions",
};

/** Every clause, by area and number. */
export const clauses = [
  {"area":"account","id":"ACCT-01","level":"must","text":"The credits of the account are read with 200.","source":"Account endpoints, credits","lines":[226,300],"operation":"getCredits","seen":"blackbox"},
  {"area":"account","id":"ACCT-02","level":"must","text":"The answer holds the remaining total of the account: a number equal to the balance that the other reads show, Discover, Inspect and capability detail among them.","source":"Account endpoints, credits","lines":[300,202,77,80,109],"operation":["getCredits","discover","inspect","getCapability"],"seen":"blackbox"},
  {"area":"account","id":"ACCT-03","level":"must","text":"The answer holds credit detail by category beside the remaining total.","source":"Account endpoints, credits","lines":[202,300],"operation":"getCredits","seen":"blackbox"},
  {"area":"account","id":"ACCT-04","level":"must","text":"The remaining total falls by the settled amount of a charged Call.","source":"Account endpoints, credits","lines":[300],"operation":"getCredits","seen":{"needs":["tool.charged"]}},
  {"area":"account","id":"ACCT-05","level":"must","text":"The credits spent are read with 200.","source":"Account endpoints, credits spent","lines":[226,306],"operation":"getCreditsSpent","seen":"blackbox"},
  {"area":"account","id":"ACCT-06","level":"must","text":"The answer holds the total of the credits settled in the window.","source":"Account endpoints, credits spent","lines":[205,306],"operation":"getCreditsSpent","seen":{"needs":["tool.charged"]}},
  {"area":"account","id":"ACCT-07","level":"must","text":"The answer is a single aggregate: it is one object, and `page` does not change it.","source":"Account endpoints, credits spent","lines":[306],"operation":"getCreditsSpent","seen":{"needs":["tool.charged"]}},
  {"area":"account","id":"ACCT-08","level":"must","text":"Credits spent keep to `start_date` and `end_date`, a date alone as end being that day's end.","source":"Account endpoints, credits spent","lines":[306],"operation":"getCreditsSpent","seen":{"needs":["tool.charged"]}},
  {"area":"account","id":"ACCT-09","level":"must","text":"Credits spent keep to `kind` and to `charge_outcome`.","source":"Account endpoints, credits spent","lines":[306,322,328],"operation":"getCreditsSpent","seen":{"needs":["tool.charged"]}},
  {"area":"account","id":"ACCT-10","level":"must","text":"Credits spent count the own account alone.","source":"Account endpoints, credits spent","lines":[306,23],"operation":"getCreditsSpent","seen":{"needs":["tool.charged"]}},
  {"area":"account","id":"ACCT-11","level":"must","text":"An invalid date in credits spent, settlement history or ledger readiness is refused with 400 or 422.","source":"Account endpoints, credits spent","lines":[306,399,305,304],"operation":"getCreditsSpent","seen":"blackbox"},
  {"area":"account","id":"ACCT-12","level":"must","text":"The settlement history is read with 200.","source":"Account endpoints, settlement history","lines":[226,305],"operation":"listSettlements","seen":"blackbox"},
  {"area":"account","id":"ACCT-13","level":"must","text":"A charged Call appears in the settlement history.","source":"Account endpoints, settlement history","lines":[305],"operation":"listSettlements","seen":{"needs":["tool.charged"]}},
  {"area":"account","id":"ACCT-14","level":"must","text":"A page of the settlement history holds at most `page_size` settlements.","source":"Account endpoints, settlement history","lines":[305],"operation":"listSettlements","seen":{"needs":["tool.charged"]}},
  {"area":"account","id":"ACCT-15","level":"must","text":"Without `page_size` a page of the settlement history holds at most 100 settlements.","source":"Account endpoints, settlement history","lines":[305,438],"operation":"listSettlements","seen":{"needs":["tool.charged"]}},
  {"area":"account","id":"ACCT-16","level":"must","text":"A `page_size` of 1 and a `page_size` of 500 are accepted.","source":"Account endpoints, settlement history","lines":[305,438],"operation":"listSettlements","seen":"blackbox"},
  {"area":"account","id":"ACCT-17","level":"must","text":"A settlement history `page_size` below 1 or above 500 is refused with 422.","source":"Account endpoints, settlement history","lines":[305,438],"operation":"listSettlements","seen":"blackbox"},
  {"area":"account","id":"ACCT-18","level":"must","text":"The `cursor` leads on through every settlement once, with none repeated.","source":"Account endpoints, settlement history","lines":[305],"operation":"listSettlements","seen":{"needs":["tool.charged"]}},
  {"area":"account","id":"ACCT-19","level":"must","text":"The settlement history keeps to `start_date` and `end_date`.","source":"Account endpoints, settlement history","lines":[305],"operation":"listSettlements","seen":{"needs":["tool.charged"]}},
  {"area":"account","id":"ACCT-20","level":"must","text":"Without `scope` the settlement history is that of `account_history`.","source":"Account endpoints, settlement history","lines":[305,348],"operation":"listSettlements","seen":{"needs":["tool.charged"]}},
  {"area":"account","id":"ACCT-21","level":"must","text":"The settlement history holds settlements of the own account alone.","source":"Account endpoints, settlement history","lines":[305,23],"operation":"listSettlements","seen":{"needs":["tool.charged"]}},
  {"area":"account","id":"ACCT-22","level":"must","text":"The ledger readiness is read with 200, with and without `start_date` and `end_date`.","source":"Account endpoints, ledger readiness","lines":[226,304],"operation":"getLedgerReadiness","seen":"blackbox"},
  {"area":"account","id":"ACCT-23","level":"must","text":"The ledger readiness answer's data is an object that is not empty.","source":"Account endpoints, ledger readiness","lines":[304],"operation":"getLedgerReadiness","seen":"blackbox"},
  {"area":"account","id":"ACCT-24","level":"must","text":"A valid and unexpired JWT is verified with 200.","source":"Account endpoints, verify-token","lines":[226,311],"operation":"verifyToken","seen":{"needs":["jwt"]}},
  {"area":"account","id":"ACCT-25","level":"must","text":"An expired JWT is not verified as valid: it is refused with 401, or its answer differs from that to a valid JWT.","source":"Account endpoints, verify-token","lines":[311,368],"operation":"verifyToken","seen":{"needs":["jwt","expired_jwt"]}},
  {"area":"account","id":"ACCT-26","level":"must","text":"A JWT whose signature was changed, and a string that is no JWT, are not verified as valid.","source":"Account endpoints, verify-token","lines":[311,368],"operation":"verifyToken","seen":{"needs":["jwt"]}},
  {"area":"auth","id":"AUTH-01","level":"must","text":"Every authenticated operation accepts an API key as a bearer token in the header `Authorization`.","source":"Authentication","lines":[363,364],"operation":["discover","inspect","probe","call","queryCapability","getCapability","getCredits","listLedger","exportLedger","getLedgerEntry","getLedgerReadiness","listSettlements","getCreditsSpent","listUsage","exportUsage","listUsageFeed","getUsageEvent"],"seen":"blackbox"},
  {"area":"auth","id":"AUTH-02","level":"must","text":"Every authenticated operation answers a request without a credential with 401.","source":"Authentication","lines":[368,300,363,285,392,262,394,278,393,282,384],"operation":["discover","inspect","probe","call","queryCapability","getCapability","getCredits","listLedger","exportLedger","getLedgerEntry","getLedgerReadiness","listSettlements","getCreditsSpent","listUsage","exportUsage","listUsageFeed","getUsageEvent"],"seen":"blackbox"},
  {"area":"auth","id":"AUTH-03","level":"must","text":"A request with a malformed `Authorization` header is answered with 401.","source":"Authentication","lines":[368],"operation":["discover","inspect","probe","call","queryCapability","getCapability","getCredits","listLedger","exportLedger","getLedgerEntry","getLedgerReadiness","listSettlements","getCreditsSpent","listUsage","exportUsage","listUsageFeed","getUsageEvent"],"seen":"blackbox"},
  {"area":"auth","id":"AUTH-04","level":"must","text":"Every authenticated operation answers a request with a key that was never issued with 401, also one that differs from a valid key in a single character.","source":"Authentication","lines":[368,384,363],"operation":["discover","inspect","probe","call","queryCapability","getCapability","getCredits","listLedger","exportLedger","getLedgerEntry","getLedgerReadiness","listSettlements","getCreditsSpent","listUsage","exportUsage","listUsageFeed","getUsageEvent"],"seen":"blackbox"},
  {"area":"auth","id":"AUTH-05","level":"must","text":"A request with a revoked key is answered with 401.","source":"Authentication","lines":[368],"operation":["discover","inspect","probe","call","queryCapability","getCapability","getCredits","listLedger","exportLedger","getLedgerEntry","getLedgerReadiness","listSettlements","getCreditsSpent","listUsage","exportUsage","listUsageFeed","getUsageEvent"],"seen":{"needs":["revoked"]}},
  {"area":"auth","id":"AUTH-06","level":"must","text":"A refused request changes nothing: it moves no credits and executes nothing.","source":"Authentication","lines":[368],"operation":["discover","inspect","probe","call","queryCapability","getCapability","getCredits","listLedger","exportLedger","getLedgerEntry","getLedgerReadiness","listSettlements","getCreditsSpent","listUsage","exportUsage","listUsageFeed","getUsageEvent"],"seen":"blackbox"},
  {"area":"auth","id":"AUTH-07","level":"must","text":"The credits can be read with a JWT.","source":"Authentication","lines":[364],"operation":"getCredits","seen":{"needs":["jwt"]}},
  {"area":"auth","id":"AUTH-08","level":"must","text":"Every authenticated operation answers a request with a JWT that is expired, or that was not signed as it stands, with 401.","source":"Authentication","lines":[368],"operation":["discover","inspect","probe","call","queryCapability","getCapability","getCredits","listLedger","exportLedger","getLedgerEntry","getLedgerReadiness","listSettlements","getCreditsSpent","listUsage","exportUsage","listUsageFeed","getUsageEvent"],"seen":{"needs":["jwt"]}},
  {"area":"auth","id":"AUTH-09","level":"must","text":"All keys of one account read the same account.","source":"Authentication","lines":[23,364],"operation":["getCredits","listLedger","exportLedger","getLedgerEntry","getLedgerReadiness","listSettlements","getCreditsSpent","listUsage","exportUsage","listUsageFeed","getUsageEvent"],"seen":{"needs":["second_key"]}},
  {"area":"auth","id":"AUTH-10","level":"must","text":"The three agent-lifecycle operations never answer 401 to a request without a credential.","source":"Authentication","lines":[365],"operation":["registerAnonymous","startClaim","verifyClaim"],"seen":"blackbox"},
  {"area":"auth","id":"AUTH-11","level":"must","text":"Keys are shown once: no answer but that of a key's creation holds its text.","source":"Authentication","lines":[363,194],"operation":"all","seen":"blackbox"},
  {"area":"auth","id":"AUTH-12","level":"must","text":"Usage events are attributed to the key that made the request.","source":"Authentication, attribution","lines":[369,331],"operation":"listUsage","seen":{"needs":["second_key"]}},
  {"area":"auth","id":"AUTH-13","level":"must","text":"Usage events of an OAuth client are attributed to its `oauth_client_id`.","source":"Authentication, attribution","lines":[369],"operation":"listUsage","seen":{"not_observable":"the contract shows no way to obtain an OAuth client's token"}},
  {"area":"auth","id":"AUTH-14","level":"must","text":"Usage events made with an API key and with a JWT can be told apart by `credential_type`.","source":"Authentication, attribution","lines":[369,333],"operation":"listUsage","seen":{"not_observable":"the values of credential_type are not shown, and no operation that leaves an event is promised to JWTs"}},
  {"area":"auth","id":"AUTH-15","level":"must","text":"A claim page exists on the website for human operators.","source":"Authentication, claim page","lines":[366],"operation":"startClaim","seen":{"not_observable":"the contract names no address for it"}},
  {"area":"billing","id":"BILL-01","level":"must","text":"A Call of a charged tool that succeeds consumes credits.","source":"What the service does, billing stages","lines":[16],"operation":"call","seen":{"needs":["tool.charged"]}},
  {"area":"billing","id":"BILL-02","level":"must","text":"A successful Call of an included tool consumes no credits.","source":"What the service does, billing stages","lines":[16,142],"operation":"call","seen":{"needs":["tool.included"]}},
  {"area":"billing","id":"BILL-03","level":"must","text":"`success` of a Call equals the recorded `success` of its usage event.","source":"What the service does, billing stages","lines":[27],"operation":"call","seen":"blackbox"},
  {"area":"billing","id":"BILL-04","level":"must","text":"The settled amount of a charged Call is the amount by which the balance falls.","source":"What the service does, billing stages","lines":[29],"operation":"call","seen":{"needs":["tool.charged"]}},
  {"area":"billing","id":"BILL-05","level":"must","text":"The settled amount of a charged Call equals the absolute amount of its ledger entry.","source":"What the service does, billing stages","lines":[29],"operation":"call","seen":{"needs":["tool.charged"]}},
  {"area":"billing","id":"BILL-06","level":"must","text":"The settled amount of a Call never exceeds its requested amount.","source":"What the service does, billing stages","lines":[29],"operation":"call","seen":"blackbox"},
  {"area":"billing","id":"BILL-07","level":"must","text":"`billing.list_amount_credits` of a successful Call, where it stands, equals the requested amount in its usage event.","source":"What the service does, billing stages","lines":[29],"operation":"call","seen":{"needs":["tool.charged"]}},
  {"area":"billing","id":"BILL-08","level":"must","text":"Credits are exact decimals: N Calls at a decimal price lower the balance by exactly N times the price.","source":"What the service does, billing stages","lines":[29],"operation":"call","seen":{"needs":["tool.charged_decimal"]}},
  {"area":"billing","id":"BILL-09","level":"should","text":"A successful Call of a tool with a per-request `billing_rule` is billed before settlement at its `amount_credits`.","source":"What the service does, billing stages","lines":[28,16,68],"operation":"call","seen":{"needs":["tool.charged"]}},
  {"area":"billing","id":"BILL-10","level":"should","text":"`remaining_credits` of a Call or a capability query is the balance after its charge.","source":"What the service does, billing stages","lines":[94,106],"operation":["call","queryCapability"],"seen":{"needs":["tool.charged"]}},
  {"area":"billing","id":"BILL-11","level":"must","text":"A charged Call is settled exactly once: it has one usage event, and one ledger entry that this event links to.","source":"What the service does, billing stages","lines":[357],"operation":["call","queryCapability"],"seen":{"needs":["tool.charged"]}},
  {"area":"billing","id":"BILL-12","level":"must","text":"Calls made at the same time are each settled exactly once, and the balance falls by the sum of their amounts.","source":"What the service does, billing stages","lines":[357],"operation":"call","seen":{"needs":["tool.charged"]}},
  {"area":"billing","id":"BILL-13","level":"must","text":"Calls made at the same time on a balance that covers only some of them never take the balance below zero.","source":"What the service does, billing stages","lines":[278,385],"operation":"call","seen":{"needs":["tool.charged"]}},
  {"area":"billing","id":"BILL-14","level":"must","text":"`charge_outcome` is one of charged, included, failed_not_charged and failed_charged_review.","source":"Usage event, charge_outcome values","lines":[121,"139-144",222],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"billing","id":"BILL-15","level":"must","text":"An event that is `charged` has a positive settled amount.","source":"Usage event, charge_outcome values","lines":[141],"resource":"UsageEvent","seen":{"needs":["tool.charged"]}},
  {"area":"billing","id":"BILL-16","level":"must","text":"A successful Call with a positive settled amount is `charged`.","source":"Usage event, charge_outcome values","lines":[141],"resource":"UsageEvent","seen":{"needs":["tool.charged"]}},
  {"area":"billing","id":"BILL-17","level":"must","text":"An event that is `included` has a settled amount of zero.","source":"Usage event, charge_outcome values","lines":[142],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"billing","id":"BILL-18","level":"must","text":"A successful Call with a settled amount of zero is `included`.","source":"Usage event, charge_outcome values","lines":[142],"resource":"UsageEvent","seen":{"needs":["tool.included"]}},
  {"area":"billing","id":"BILL-19","level":"must","text":"An event that is `failed_not_charged` has a settled amount of zero.","source":"Usage event, charge_outcome values","lines":[143],"resource":"UsageEvent","seen":{"needs":["tool.provider_error"]}},
  {"area":"billing","id":"BILL-20","level":"must","text":"A failed Call with a settled amount of zero is `failed_not_charged`.","source":"Usage event, charge_outcome values","lines":[143],"resource":"UsageEvent","seen":{"needs":["tool.provider_error"]}},
  {"area":"billing","id":"BILL-21","level":"must","text":"An event that is `failed_charged_review` has a positive settled amount.","source":"Usage event, charge_outcome values","lines":[144],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"billing","id":"BILL-22","level":"must","text":"A failed Call is never `charged` and never `included`.","source":"Usage event, charge_outcome values","lines":[143,144,141,142],"resource":"UsageEvent","seen":{"needs":["tool.provider_error"]}},
  {"area":"billing","id":"BILL-23","level":"must","text":"A failed Call leaves the balance unchanged and no consuming ledger entry, unless it is `failed_charged_review`.","source":"Usage event, charge_outcome values","lines":[143,222],"resource":"UsageEvent","seen":{"needs":["tool.provider_error"]}},
  {"area":"billing","id":"BILL-24","level":"must","text":"`reason_code` of a Call's event, where it stands, is one of the fourteen codes of the contract.","source":"Usage event, reason_code values","lines":[122,"146-163"],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"billing","id":"BILL-25","level":"must","text":"A Call that succeeds with a whole result has reason_code result.valid.","source":"Usage event, reason_code values","lines":[150],"resource":"UsageEvent","seen":{"needs":["tool.charged"]}},
  {"area":"billing","id":"BILL-26","level":"must","text":"A Call with a partial result has reason_code result.partial_success.","source":"Usage event, reason_code values","lines":[151],"resource":"UsageEvent","seen":{"needs":["tool.partial_success"]}},
  {"area":"billing","id":"BILL-27","level":"must","text":"A Call whose provider returned nothing usable has reason_code result.empty.","source":"Usage event, reason_code values","lines":[152],"resource":"UsageEvent","seen":{"needs":["tool.empty_result"]}},
  {"area":"billing","id":"BILL-28","level":"must","text":"A Call that fails at the provider has reason_code provider.error.","source":"Usage event, reason_code values","lines":[153],"resource":"UsageEvent","seen":{"needs":["tool.provider_error"]}},
  {"area":"billing","id":"BILL-29","level":"must","text":"A Call that the provider answers with an HTTP error has reason_code provider.http_error.","source":"Usage event, reason_code values","lines":[154],"resource":"UsageEvent","seen":{"needs":["tool.provider_http_error"]}},
  {"area":"billing","id":"BILL-30","level":"must","text":"A Call that the provider rate-limits has reason_code provider.rate_limited.","source":"Usage event, reason_code values","lines":[155],"resource":"UsageEvent","seen":{"needs":["tool.provider_rate_limited"]}},
  {"area":"billing","id":"BILL-31","level":"must","text":"A Call that the provider refuses for lack of permission has reason_code provider.auth_or_permission.","source":"Usage event, reason_code values","lines":[156],"resource":"UsageEvent","seen":{"needs":["tool.provider_auth"]}},
  {"area":"billing","id":"BILL-32","level":"must","text":"A Call whose provider is too slow has reason_code transport.timeout.","source":"Usage event, reason_code values","lines":[157],"resource":"UsageEvent","seen":{"needs":["tool.timeout"]}},
  {"area":"billing","id":"BILL-33","level":"must","text":"A Call whose provider closes without an answer has reason_code transport.no_response.","source":"Usage event, reason_code values","lines":[158],"resource":"UsageEvent","seen":{"needs":["tool.no_response"]}},
  {"area":"billing","id":"BILL-34","level":"must","text":"A Call that cannot be executed at all has reason_code transport.execution_failed.","source":"Usage event, reason_code values","lines":[159],"resource":"UsageEvent","seen":{"needs":["tool.execution_failed"]}},
  {"area":"billing","id":"BILL-35","level":"must","text":"A Call with bad parameters, where it leaves an event, has reason_code validation_error.","source":"Usage event, reason_code values","lines":[160],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"billing","id":"BILL-36","level":"must","text":"A Call of a tool that is unavailable, where it leaves an event, has reason_code tool_unavailable.","source":"Usage event, reason_code values","lines":[161],"resource":"UsageEvent","seen":{"needs":["tool.unavailable"]}},
  {"area":"billing","id":"BILL-37","level":"must","text":"A Call that is refused for its region, where it leaves an event, has reason_code region_restricted.","source":"Usage event, reason_code values","lines":[162],"resource":"UsageEvent","seen":{"needs":["tool.region_restricted"]}},
  {"area":"billing","id":"BILL-38","level":"must","text":"A Call that lacks the OAuth sign-in, where it leaves an event, has reason_code oauth_signin_required.","source":"Usage event, reason_code values","lines":[163],"resource":"UsageEvent","seen":{"needs":["tool.oauth_required"]}},
  {"area":"billing","id":"BILL-39","level":"should","text":"An event with result.valid is charged or included.","source":"Usage event, reason_code values","lines":[150],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"billing","id":"BILL-40","level":"should","text":"An event with result.partial_success is charged, included or failed_not_charged.","source":"Usage event, reason_code values","lines":[151],"resource":"UsageEvent","seen":{"needs":["tool.partial_success"]}},
  {"area":"billing","id":"BILL-41","level":"should","text":"An event whose reason_code is neither result.valid nor result.partial_success is failed_not_charged, unless it is put up for review.","source":"Usage event, reason_code values","lines":[152,153,154,155,156,157,158,159,160,161,162,163],"resource":"UsageEvent","seen":{"needs":["tool.provider_error"]}},
  {"area":"billing","id":"BILL-42","level":"must","text":"A successful Call under a policy exemption consumes no credits and is `included`.","source":"Usage event, charge_outcome values","lines":[142],"resource":"UsageEvent","seen":{"needs":["tool.policy_exempt"]}},
  {"area":"call","id":"CALL-01","level":"must","text":"`execution_id` of an executed Call is a string that is not empty.","source":"Call response","lines":[86],"resource":"PublicExecuteToolResponse","seen":"blackbox"},
  {"area":"call","id":"CALL-02","level":"must","text":"Two Calls never have the same `execution_id`.","source":"Call response","lines":[86],"resource":"PublicExecuteToolResponse","seen":"blackbox"},
  {"area":"call","id":"CALL-03","level":"must","text":"`success` is a boolean.","source":"Call response","lines":[88],"resource":"PublicExecuteToolResponse","seen":"blackbox"},
  {"area":"call","id":"CALL-04","level":"must","text":"`result` of a successful Call is an object.","source":"Call response","lines":[87],"resource":"PublicExecuteToolResponse","seen":"blackbox"},
  {"area":"call","id":"CALL-05","level":"must","text":"`error_message` is a string or null.","source":"Call response","lines":[89],"resource":"PublicExecuteToolResponse","seen":"blackbox"},
  {"area":"call","id":"CALL-06","level":"must","text":"`error_message` is a string that is not empty when `success` is false.","source":"Call response","lines":[89],"resource":"PublicExecuteToolResponse","seen":"blackbox"},
  {"area":"call","id":"CALL-07","level":"must","text":"A Call whose effective success is false settles to zero credits, unless it is put up for review.","source":"Usage event, charge_outcome values","lines":[143,144],"operation":"call","seen":{"needs":["tool.provider_error"]}},
  {"area":"call","id":"CALL-08","level":"must","text":"`execution_time` of an executed Call is a number of seconds of at least 0.","source":"Call response","lines":[90],"resource":"PublicExecuteToolResponse","seen":"blackbox"},
  {"area":"call","id":"CALL-09","level":"must","text":"`elapsed_time_ms`, where it stands, is a number of milliseconds of at least 0.","source":"Call response","lines":[91],"resource":"PublicExecuteToolResponse","seen":"blackbox"},
  {"area":"call","id":"CALL-10","level":"must","text":"`elapsed_time_ms` is in milliseconds and `execution_time` in seconds, where they stand: neither exceeds the time that the client itself measured.","source":"Call response","lines":[90,91],"resource":"PublicExecuteToolResponse","seen":"blackbox"},
  {"area":"call","id":"CALL-11","level":"must","text":"`billing`, where it stands, is an object or null; its `summary` a string, its `list_amount_credits` a number of at least 0.","source":"Call response","lines":[92],"resource":"PublicExecuteToolResponse","seen":"blackbox"},
  {"area":"call","id":"CALL-12","level":"must","text":"`cost` of an executed Call with the full projection is a number.","source":"Call response","lines":[93],"resource":"PublicExecuteToolResponse","seen":"blackbox"},
  {"area":"call","id":"CALL-13","level":"must","text":"`remaining_credits` is a number or null.","source":"Call response","lines":[94],"resource":"PublicExecuteToolResponse","seen":"blackbox"},
  {"area":"call","id":"CALL-14","level":"should","text":"A charged Call with the full projection carries `billing`.","source":"Call response","lines":[92],"resource":"PublicExecuteToolResponse","seen":{"needs":["tool.charged"]}},
  {"area":"call","id":"CALL-15","level":"must","text":"`tool_id` in the body alone is enough to make a Call.","source":"Call, request","lines":[265,270],"operation":"call","seen":"blackbox"},
  {"area":"call","id":"CALL-16","level":"must","text":"`tool_id` in the query alone is enough to make a Call.","source":"Call, request","lines":[265,270],"operation":"call","seen":"blackbox"},
  {"area":"call","id":"CALL-17","level":"must","text":"A Call without `tool_id` in query and body returns a Call response with `success` false and an `error_message`, and costs nothing.","source":"Call, request","lines":[270,279],"operation":"call","seen":"blackbox"},
  {"area":"call","id":"CALL-18","level":"must","text":"A Call is accepted without `search_id`, `session_id`, `model` and the header `X-Service-Cache-Mode`, and with each of the first two.","source":"Call, request","lines":[271,272,273,265],"operation":"call","seen":"blackbox"},
  {"area":"call","id":"CALL-19","level":"should","text":"A Call without `session_id` is recorded with a session of its own, such as its execution id, or with none.","source":"Call, request","lines":[272],"operation":"call","seen":"blackbox"},
  {"area":"call","id":"CALL-20","level":"must","text":"A `model` of 128 characters is accepted, however many bytes these are.","source":"Call, request","lines":[273,435],"operation":"call","seen":"blackbox"},
  {"area":"call","id":"CALL-21","level":"must","text":"A `model` of 129 characters is refused with 422.","source":"Call, request","lines":[273,435],"operation":"call","seen":"blackbox"},
  {"area":"call","id":"CALL-22","level":"must","text":"An empty or blank `model` is refused with 422.","source":"Call, request","lines":[273],"operation":"call","seen":"blackbox"},
  {"area":"call","id":"CALL-23","level":"must","text":"A `model` with whitespace, inside or around it, is refused with 422.","source":"Call, request","lines":[273],"operation":"call","seen":"blackbox"},
  {"area":"call","id":"CALL-24","level":"must","text":"A `model` with a control character is refused with 422.","source":"Call, request","lines":[273],"operation":"call","seen":"blackbox"},
  {"area":"call","id":"CALL-25","level":"must","text":"A Call whose `parameters` is missing or no object is refused with 422.","source":"Call, request","lines":[274],"operation":"call","seen":"blackbox"},
  {"area":"call","id":"CALL-26","level":"must","text":"A Call of a zero-parameter tool with empty `parameters` is accepted.","source":"Call, request","lines":[274,34],"operation":"call","seen":{"needs":["tool.zero_parameter"]}},
  {"area":"call","id":"CALL-27","level":"must","text":"A `max_response_size` that is no integer is refused with 422.","source":"Call, request","lines":[275,434],"operation":"call","seen":"blackbox"},
  {"area":"call","id":"CALL-28","level":"must","text":"A Call without a required parameter is refused with 422.","source":"Call, parameter errors","lines":[278,407],"operation":"call","seen":"blackbox"},
  {"area":"call","id":"CALL-29","level":"must","text":"A Call with a parameter outside its enum, or the range that its definition shows, is refused with 422.","source":"Call, parameter errors","lines":[278,407],"operation":"call","seen":{"needs":["tool.enum"]}},
  {"area":"call","id":"CALL-30","level":"must","text":"A Call with a parameter of the wrong type is refused with 422.","source":"Call, parameter errors","lines":[278,407],"operation":"call","seen":"blackbox"},
  {"area":"call","id":"CALL-31","level":"must","text":"A Call with no field of a one-of group is refused with 422.","source":"Call, parameter errors","lines":[278,65],"operation":"call","seen":{"needs":["tool.one_of"]}},
  {"area":"call","id":"CALL-32","level":"must","text":"A Call with exactly one field of a one-of group, or with several, is accepted.","source":"Call, parameter errors","lines":[65],"operation":"call","seen":{"needs":["tool.one_of"]}},
  {"area":"call","id":"CALL-33","level":"must","text":"The 422 answer to an invalid parameter or projection names the field at fault.","source":"Call, parameter errors","lines":[278],"operation":"call","seen":"blackbox"},
  {"area":"call","id":"CALL-34","level":"must","text":"A Call that is refused for its parameters costs nothing.","source":"Call, parameter errors","lines":[407,160],"operation":"call","seen":"blackbox"},
  {"area":"call","id":"CALL-35","level":"must","text":"A Call that succeeds is answered with 200 and a Call response with `success` true.","source":"Call, statuses","lines":[226,278],"operation":"call","seen":"blackbox"},
  {"area":"call","id":"CALL-36","level":"must","text":"The 401 answer of a Call is the error object.","source":"Call, statuses","lines":[278],"operation":"call","seen":"blackbox"},
  {"area":"call","id":"CALL-37","level":"must","text":"A Call that the balance does not cover, and none that it covers, is answered with 402.","source":"Call, statuses","lines":[278,393],"operation":"call","seen":{"needs":["exhausted"]}},
  {"area":"call","id":"CALL-38","level":"must","text":"The 402 body is a Call response with `success` false and an `error_message` that is not empty.","source":"Call, statuses","lines":[278,279],"operation":"call","seen":{"needs":["exhausted"]}},
  {"area":"call","id":"CALL-39","level":"must","text":"The 402 body has `remaining_credits` 0.","source":"Call, statuses","lines":[278],"operation":"call","seen":{"needs":["exhausted"]}},
  {"area":"call","id":"CALL-40","level":"must","text":"A Call that is refused with 402 moves no credits.","source":"Call, statuses","lines":[278],"operation":"call","seen":{"needs":["exhausted"]}},
  {"area":"call","id":"CALL-41","level":"must","text":"A Call whose provider returns no usable result returns a Call response with `success` false and an `error_message`.","source":"Call, statuses","lines":[279],"operation":"call","seen":{"needs":["tool.empty_result"]}},
  {"area":"call","id":"CALL-42","level":"must","text":"The `billing` of a Call without a usable result, where it stands, shows a zero amount.","source":"Call, statuses","lines":[279],"operation":"call","seen":{"needs":["tool.empty_result"]}},
  {"area":"call","id":"CALL-43","level":"should","text":"A Call without a usable result is classified `failed_not_charged`.","source":"Call, statuses","lines":[279],"operation":"call","seen":{"needs":["tool.empty_result"]}},
  {"area":"capabilities","id":"CAPA-01","level":"must","text":"`execution_id` is a string, `capability_id` the capability that was asked for, `success` a boolean.","source":"Capability query response","lines":[106],"resource":"PublicCapabilityQueryResponse","seen":{"needs":["capability.query"]}},
  {"area":"capabilities","id":"CAPA-02","level":"must","text":"`result` of a successful query is an object with an integer `status_code` and `data`.","source":"Capability query response","lines":[106],"resource":"PublicCapabilityQueryResponse","seen":{"needs":["capability.query"]}},
  {"area":"capabilities","id":"CAPA-03","level":"must","text":"`contract_version` of a query that is no legacy record's is an integer.","source":"Capability query response","lines":[106],"resource":"PublicCapabilityQueryResponse","seen":{"needs":["capability.query"]}},
  {"area":"capabilities","id":"CAPA-04","level":"must","text":"`schema_hash` of a query that is no legacy record's is a string of 64 characters.","source":"Capability query response","lines":[106],"resource":"PublicCapabilityQueryResponse","seen":{"needs":["capability.query"]}},
  {"area":"capabilities","id":"CAPA-05","level":"must","text":"`cost` and `credits_used` are numbers of at least 0, `remaining_credits` is a number.","source":"Capability query response","lines":[106],"resource":"PublicCapabilityQueryResponse","seen":{"needs":["capability.query"]}},
  {"area":"capabilities","id":"CAPA-06","level":"must","text":"`contract_version` and `schema_hash` of a query equal those of the detail read before and after it, where these two agree.","source":"Capability query response","lines":[106],"resource":"PublicCapabilityQueryResponse","seen":{"needs":["capability.query","capability.detail"]}},
  {"area":"capabilities","id":"CAPA-07","level":"must","text":"A query with a valid key, capability, parameters and budget is answered with 200.","source":"Capability query","lines":[226,282],"operation":"queryCapability","seen":{"needs":["capability.query"]}},
  {"area":"capabilities","id":"CAPA-08","level":"must","text":"A query whose `max_credits` is below every candidate's price is answered with 422.","source":"Capability query","lines":[282,389],"operation":"queryCapability","seen":{"needs":["capability.query"]}},
  {"area":"capabilities","id":"CAPA-09","level":"must","text":"`credits_used` never exceeds `max_credits`.","source":"Capability query","lines":[282,21],"operation":"queryCapability","seen":{"needs":["capability.query"]}},
  {"area":"capabilities","id":"CAPA-10","level":"must","text":"A candidate whose upper-bound price exceeds `max_credits` is not executed: the refused query moves no credits.","source":"Capability query","lines":[282],"operation":"queryCapability","seen":{"needs":["capability.query"]}},
  {"area":"capabilities","id":"CAPA-11","level":"must","text":"A query whose `capability_id` is no string, `parameters` no object or `max_credits` no number is refused with 422.","source":"Capability query","lines":[282],"operation":"queryCapability","seen":{"needs":["capability.query"]}},
  {"area":"capabilities","id":"CAPA-12","level":"must","text":"`credits_used` equals the settled amount of the query's usage event.","source":"Capability query","lines":[106,132],"operation":"queryCapability","seen":{"needs":["capability.query"]}},
  {"area":"capabilities","id":"CAPA-13","level":"must","text":"A query leaves a usage event of type `capabilities_query` with its `execution_id`.","source":"Capability query","lines":[116],"operation":"queryCapability","seen":{"needs":["capability.query"]}},
  {"area":"capabilities","id":"CAPA-14","level":"must","text":"A query that the balance does not cover is answered with 402.","source":"Capability query","lines":[385],"operation":"queryCapability","seen":{"needs":["capability.query","exhausted"]}},
  {"area":"capabilities","id":"CAPA-15","level":"must","text":"A query that breaks the constraints of a delegation token is answered with 403.","source":"Capability query","lines":[386,367],"operation":"queryCapability","seen":{"needs":["capability.query","delegation"]}},
  {"area":"capabilities","id":"CAPA-16","level":"must","text":"A query whose account becomes unavailable during settlement is answered with 404.","source":"Capability query","lines":[387],"operation":"queryCapability","seen":{"not_observable":"a client cannot remove its account while a query settles"}},
  {"area":"capabilities","id":"CAPA-17","level":"must","text":"A query that times out is answered with 408.","source":"Capability query","lines":[388],"operation":"queryCapability","seen":{"not_observable":"the profile names no capability that times out"}},
  {"area":"capabilities","id":"CAPA-18","level":"must","text":"A query that fails inside the service is answered with 500.","source":"Capability query","lines":[390],"operation":"queryCapability","seen":{"not_observable":"a client cannot make the service fail"}},
  {"area":"capabilities","id":"CAPA-19","level":"must","text":"A query while capability routing is unavailable is answered with 503.","source":"Capability query","lines":[391],"operation":"queryCapability","seen":{"not_observable":"a client cannot switch capability routing off"}},
  {"area":"capabilities","id":"CAPA-20","level":"must","text":"A detail has the `capability_id` that was asked for, `name` and `description` as strings, and `remaining_credits` as a number.","source":"Capability detail response","lines":[109],"resource":"PublicCapabilityDetailResponse","seen":{"needs":["capability.detail"]}},
  {"area":"capabilities","id":"CAPA-21","level":"must","text":"A record that is no legacy one has an integer `contract_version` and a `schema_hash` string.","source":"Capability detail response","lines":[109,453],"resource":"PublicCapabilityDetailResponse","seen":{"needs":["capability.detail"]}},
  {"area":"capabilities","id":"CAPA-22","level":"must","text":"A legacy record that omits one of `contract_version` and `schema_hash` omits the other too.","source":"Capability detail response","lines":[109,453],"resource":"PublicCapabilityDetailResponse","seen":{"needs":["capability.legacy"]}},
  {"area":"capabilities","id":"CAPA-23","level":"must","text":"A detail of a published capability is answered with 200, for an API key without `run_id` and `provider_id`.","source":"Capability detail","lines":[285,226],"operation":"getCapability","seen":{"needs":["capability.detail"]}},
  {"area":"capabilities","id":"CAPA-24","level":"must","text":"A `capability_id` of whitespace alone is refused with 422.","source":"Capability detail","lines":[285],"operation":"getCapability","seen":"blackbox"},
  {"area":"capabilities","id":"CAPA-25","level":"must","text":"A delegation token with its own `run_id` and `provider_id` reads a detail.","source":"Capability detail","lines":[285,367],"operation":"getCapability","seen":{"needs":["capability.detail","delegation"]}},
  {"area":"capabilities","id":"CAPA-26","level":"must","text":"A delegation token without `run_id`, or without `provider_id`, is refused on a detail with 403 or 422.","source":"Capability detail","lines":[285,367],"operation":"getCapability","seen":{"needs":["capability.detail","delegation"]}},
  {"area":"capabilities","id":"CAPA-27","level":"must","text":"A delegation token with another `run_id` or `provider_id` is refused on a detail with 403.","source":"Capability detail","lines":[285,367,392],"operation":"getCapability","seen":{"needs":["capability.detail","delegation"]}},
  {"area":"capabilities","id":"CAPA-28","level":"must","text":"A detail that is refused for insufficient credits is answered with 402.","source":"Capability detail","lines":[285,392],"operation":"getCapability","seen":{"needs":["capability.detail","exhausted"]}},
  {"area":"discover","id":"DISC-01","level":"must","text":"`query` is a string and repeats the query that was asked.","source":"Discover response","lines":[77],"resource":"DiscoverResponse","seen":"blackbox"},
  {"area":"discover","id":"DISC-02","level":"must","text":"`search_id` is a string that is not empty.","source":"Discover response","lines":[77],"resource":"DiscoverResponse","seen":"blackbox"},
  {"area":"discover","id":"DISC-03","level":"must","text":"`total` is an integer of at least 0 and `results` an array.","source":"Discover response","lines":[77],"resource":"DiscoverResponse","seen":"blackbox"},
  {"area":"discover","id":"DISC-04","level":"must","text":"`elapsed_time_ms` is a number of milliseconds of at least 0, and no more than the client has waited.","source":"Discover response","lines":[77],"resource":"DiscoverResponse","seen":"blackbox"},
  {"area":"discover","id":"DISC-05","level":"must","text":"`remaining_credits` is a number or null, `error_message` a string or null.","source":"Discover response","lines":[77],"resource":"DiscoverResponse","seen":"blackbox"},
  {"area":"discover","id":"DISC-06","level":"should","text":"`total` is at least the number of results returned.","source":"Discover response","lines":[77],"resource":"DiscoverResponse","seen":"blackbox"},
  {"area":"discover","id":"DISC-07","level":"should","text":"Two searches have two different values of `search_id`.","source":"Discover response","lines":[77,33],"resource":"DiscoverResponse","seen":"blackbox"},
  {"area":"discover","id":"DISC-08","level":"must","text":"Every capability result of the full shape has a `tool_id` string that is not empty.","source":"Capability result","lines":[61],"resource":"CapabilityResult","seen":"blackbox"},
  {"area":"discover","id":"DISC-09","level":"must","text":"No `tool_id` appears twice among the results of one answer.","source":"Capability result","lines":[61],"resource":"CapabilityResult","seen":"blackbox"},
  {"area":"discover","id":"DISC-10","level":"must","text":"Every capability result of the full shape has `name`, `description` and `provider_name` as strings.","source":"Capability result","lines":[62,63,64],"resource":"CapabilityResult","seen":"blackbox"},
  {"area":"discover","id":"DISC-11","level":"must","text":"`params` of a capability result, where it stands, is an array or null.","source":"Capability result","lines":[65],"resource":"CapabilityResult","seen":"blackbox"},
  {"area":"discover","id":"DISC-12","level":"should","text":"A parameter definition's `name`, `type` and `description`, where they stand, are strings, its `required` a boolean, its `enum` an array or null.","source":"Capability result","lines":[65],"resource":"CapabilityResult","seen":"blackbox"},
  {"area":"discover","id":"DISC-13","level":"must","text":"`examples` and `examples.sample_parameters` of a capability result, where they stand, are objects or null.","source":"Capability result","lines":[66],"resource":"CapabilityResult","seen":"blackbox"},
  {"area":"discover","id":"DISC-14","level":"must","text":"`expected_cost` of a capability result, where it stands, is a string or null.","source":"Capability result","lines":[67],"resource":"CapabilityResult","seen":"blackbox"},
  {"area":"discover","id":"DISC-15","level":"must","text":"`billing_rule` of a capability result, where it stands, is an object or null; its `unit` a string or null, its `amount_credits` a number or null.","source":"Capability result","lines":[68],"resource":"CapabilityResult","seen":"blackbox"},
  {"area":"discover","id":"DISC-16","level":"must","text":"`stats.avg_execution_time_ms`, where there is a history, is a number of at least 0.","source":"Capability result","lines":[69],"resource":"CapabilityResult","seen":"blackbox"},
  {"area":"discover","id":"DISC-17","level":"must","text":"`stats.success_rate`, where there is a history, is a number from 0 to 1.","source":"Capability result","lines":[70],"resource":"CapabilityResult","seen":"blackbox"},
  {"area":"discover","id":"DISC-18","level":"should","text":"A capability result of the full shape carries a cost signal and `stats` with both historical figures.","source":"Capability result","lines":[26,67,68,72,13,69,70,14],"resource":"CapabilityResult","seen":"blackbox"},
  {"area":"discover","id":"DISC-19","level":"should","text":"A capability result of a tool that takes parameters carries `examples.sample_parameters`.","source":"Capability result","lines":[66],"resource":"CapabilityResult","seen":"blackbox"},
  {"area":"discover","id":"DISC-20","level":"should","text":"`examples.sample_parameters` keep the tool's required, enum and one-of constraints.","source":"Capability result","lines":[40,66],"resource":"CapabilityResult","seen":"blackbox"},
  {"area":"discover","id":"DISC-21","level":"must","text":"A Discover whose `query` is missing or no string is refused with 422.","source":"Discover, body","lines":[233],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-22","level":"must","text":"A `query` that is an exact tool id returns that tool among the results, whatever the `limit` and the `view`, and the same again when it is repeated.","source":"Discover, body","lines":[233],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-23","level":"should","text":"A natural-language `query` of the kind a tool's own description answers returns at least one result.","source":"Discover, body","lines":[233],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-24","level":"must","text":"Without `limit` a Discover returns at most 20 results.","source":"Discover, body","lines":[234,433],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-25","level":"must","text":"A Discover returns at most `limit` results.","source":"Discover, body","lines":[234,433],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-26","level":"must","text":"A `limit` of 1 and a `limit` of 100 are accepted.","source":"Discover, body","lines":[234,433],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-27","level":"must","text":"A `limit` below 1 is refused with 422.","source":"Discover, body","lines":[234,433],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-28","level":"must","text":"A `limit` above 100 is refused with 422.","source":"Discover, body","lines":[234,433],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-29","level":"must","text":"A `limit` that is no integer is refused with 422.","source":"Discover, body","lines":[234],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-30","level":"must","text":"A `limit` above 20 can return more than 20 results where more than 20 match.","source":"Discover, body","lines":[234,433],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-31","level":"must","text":"Discover and Inspect are accepted with and without `session_id`, and Inspect with and without `search_id`.","source":"Discover, body","lines":[235,247,248],"operation":["discover","inspect"],"seen":"blackbox"},
  {"area":"discover","id":"DISC-32","level":"must","text":"`view` `routing` returns cards that each carry `tool_id`, `capability`, `cost_class`, `reliability` and `as_of_support`.","source":"Discover, body","lines":[236],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-33","level":"must","text":"The `tool_id` of a routing card is a string with which Inspect finds the tool.","source":"Discover, body","lines":[236],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-34","level":"must","text":"A routing card is compact: it carries no `params`, `examples` or `description`.","source":"Discover, body","lines":[236],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-35","level":"must","text":"`view` `full` returns results of the same shape as an omitted `view`.","source":"Discover, body","lines":[236,454],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-36","level":"should","text":"A `view` or `lang` outside its listed values is refused with 422.","source":"Discover, body","lines":[236,237,249],"operation":["discover","inspect"],"seen":"blackbox"},
  {"area":"discover","id":"DISC-37","level":"must","text":"`lang` accepts `zh` and `en`.","source":"Discover, body","lines":[237],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-38","level":"must","text":"An explicit `lang` decides the language whatever Accept-Language says.","source":"Discover, body","lines":[237],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-39","level":"must","text":"Without `lang` the language follows Accept-Language.","source":"Discover, body","lines":[237],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-40","level":"must","text":"A Discover with a valid key and a valid body is answered with 200, also when nothing is found.","source":"Discover, response","lines":[226,239],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-41","level":"must","text":"A Discover with an invalid key, such as a revoked one, returns a body with `total` 0 and empty `results`.","source":"Discover, response","lines":[239],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-42","level":"must","text":"A Discover with an invalid key returns a body whose `search_id` is a string, the failure marker.","source":"Discover, response","lines":[239],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-43","level":"must","text":"A Discover that is refused for insufficient credits has `search_id` as a string, `total` 0, empty `results`, an `error_message` string and `remaining_credits` 0.","source":"Discover, response","lines":[239],"operation":"discover","seen":{"needs":["exhausted"]}},
  {"area":"discover","id":"DISC-44","level":"must","text":"A rate-limited Discover returns the error object with `status_code` 429.","source":"Discover, response","lines":[239],"operation":"discover","seen":"blackbox"},
  {"area":"discover","id":"DISC-45","level":"must","text":"A Discover moves no credits, unless the deployment charges it by an entry of type `consume_tool_search`.","source":"What the service does, steps and costs","lines":[13,185],"operation":"discover","seen":"blackbox"},
  {"area":"errors","id":"ERRO-01","level":"must","text":"An error object has `status` equal to `failure` and a `message` string that is not empty.","source":"Error object","lines":[55],"resource":"PublicApiError","seen":"blackbox"},
  {"area":"errors","id":"ERRO-02","level":"must","text":"The `status_code` of an error object, where it stands, is an integer, and its `data`, where it stands, is null.","source":"Error object","lines":[55],"resource":"PublicApiError","seen":"blackbox"},
  {"area":"errors","id":"ERRO-03","level":"must","text":"A rate-limited Discover, Inspect, Probe or Call is answered with HTTP 429 and the error object.","source":"Errors, statuses by operation","lines":[397,278,262,394],"operation":["discover","inspect","probe","call"],"seen":"blackbox"},
  {"area":"errors","id":"ERRO-04","level":"must","text":"A 429 answer always carries the header `Retry-After`.","source":"Errors, statuses by operation","lines":[397],"operation":["discover","inspect","probe","call"],"seen":"blackbox"},
  {"area":"errors","id":"ERRO-05","level":"must","text":"An invalid audit or ledger query is answered with HTTP 400.","source":"Errors, statuses by operation","lines":[395],"operation":["listUsage","listLedger"],"seen":"blackbox"},
  {"area":"errors","id":"ERRO-06","level":"must","text":"The body of an invalid audit or ledger query is the envelope with `status` `failure`, `status_code` -7 and `data` null.","source":"Errors, statuses by operation","lines":[395,51],"operation":["listUsage","listLedger"],"seen":"blackbox"},
  {"area":"errors","id":"ERRO-07","level":"must","text":"A parameter that breaks its type or stated range is answered with HTTP 422 and a JSON object that describes the validation error.","source":"Errors, statuses by operation","lines":[396],"operation":["discover","inspect","call","listUsage","listLedger","getUsageEvent","listUsageFeed","exportUsage","listSettlements","queryCapability","getCapability","registerAnonymous","startClaim","verifyClaim"],"seen":"blackbox"},
  {"area":"errors","id":"ERRO-08","level":"should","text":"The body of a 422 answer names the parameter or field at fault.","source":"Errors, statuses by operation","lines":[396],"operation":["discover","inspect","call","listUsage","listLedger","getUsageEvent","listUsageFeed","listSettlements","queryCapability","getCapability","registerAnonymous","startClaim","verifyClaim"],"seen":"blackbox"},
  {"area":"errors","id":"ERRO-09","level":"must","text":"A Call whose tool_id is badly formed carries `success` false and an `error_message`, and costs nothing.","source":"Errors, Call failure categories","lines":[401,405],"operation":"call","seen":"blackbox"},
  {"area":"errors","id":"ERRO-10","level":"must","text":"A Call of an unknown tool_id carries `success` false and an `error_message`, and costs nothing.","source":"Errors, Call failure categories","lines":[401,406],"operation":"call","seen":"blackbox"},
  {"area":"errors","id":"ERRO-11","level":"must","text":"A Call of a tool that is unavailable carries `success` false and an `error_message`.","source":"Errors, Call failure categories","lines":[401,406],"operation":"call","seen":{"needs":["tool.unavailable"]}},
  {"area":"errors","id":"ERRO-12","level":"must","text":"A Call with bad parameters, such as those of another tool, carries `success` false and an `error_message`.","source":"Errors, Call failure categories","lines":[401,407,408],"operation":"call","seen":"blackbox"},
  {"area":"errors","id":"ERRO-13","level":"must","text":"A Call that is refused for its region carries `success` false and an `error_message`.","source":"Errors, Call failure categories","lines":[401,409],"operation":"call","seen":{"needs":["tool.region_restricted"]}},
  {"area":"errors","id":"ERRO-14","level":"must","text":"A Call that lacks the OAuth sign-in of its tool carries `success` false and an `error_message`.","source":"Errors, Call failure categories","lines":[401,409],"operation":"call","seen":{"needs":["tool.oauth_required"]}},
  {"area":"errors","id":"ERRO-15","level":"must","text":"A Call that the provider refuses for lack of permission carries `success` false and an `error_message`.","source":"Errors, Call failure categories","lines":[401,409],"operation":"call","seen":{"needs":["tool.provider_auth"]}},
  {"area":"errors","id":"ERRO-16","level":"must","text":"A Call that fails at the provider, by error or HTTP error, carries `success` false, an `error_message` and its `execution_id`.","source":"Errors, Call failure categories","lines":[401,410,279],"operation":"call","seen":{"needs":["tool.provider_error"]}},
  {"area":"errors","id":"ERRO-17","level":"should","text":"An operation other than capability query and detail is not answered with 500, which the contract lists for these alone.","source":"Errors, statuses by operation","lines":["384-397",262,278,294,300],"operation":["discover","inspect","probe","call","registerAnonymous","startClaim","verifyClaim","getCredits","listLedger","exportLedger","getLedgerEntry","getLedgerReadiness","listSettlements","getCreditsSpent","listUsage","exportUsage","listUsageFeed","getUsageEvent","verifyToken"],"seen":"blackbox"},
  {"area":"flow","id":"FLOW-01","level":"should","party":"client","text":"A client's requests carry a `session_id`, one and the same for one user task.","source":"Recommended client flow","lines":[32,36],"operation":["discover","inspect","call"],"seen":"blackbox"},
  {"area":"flow","id":"FLOW-02","level":"should","party":"client","text":"A client discovers with a capability-level query before it calls a tool.","source":"Recommended client flow","lines":[33],"operation":["discover","call"],"seen":"blackbox"},
  {"area":"flow","id":"FLOW-03","level":"must","party":"client","text":"A client sends parameters that keep the current contract of the tool it calls, its required, enum and one-of constraints included.","source":"Recommended client flow","lines":[34,40],"operation":["discover","call"],"seen":"blackbox"},
  {"area":"flow","id":"FLOW-04","level":"must","party":"client","text":"A client sends no parameter that the tool's contract does not name.","source":"Recommended client flow","lines":[34],"operation":["discover","call"],"seen":"blackbox"},
  {"area":"flow","id":"FLOW-05","level":"must","party":"client","text":"A client whose Discover returned no contract, or an incomplete one, for a tool inspects it before it calls.","source":"Recommended client flow","lines":[34],"operation":["discover","call"],"seen":"blackbox"},
  {"area":"flow","id":"FLOW-06","level":"must","party":"client","text":"A client never sends to one tool the parameters of another tool's contract.","source":"Recommended client flow","lines":[34,408],"operation":["discover","call"],"seen":"blackbox"},
  {"area":"flow","id":"FLOW-07","level":"must","party":"client","text":"A client does not use a contract from a stale cache once a newer answer has shown another.","source":"Recommended client flow","lines":[34],"operation":["discover","call"],"seen":"blackbox"},
  {"area":"flow","id":"FLOW-08","level":"should","party":"client","text":"A client refreshes cached tool metadata whenever the tool appears in a new search.","source":"Recommended client flow","lines":[34,453],"operation":["discover","call"],"seen":"blackbox"},
  {"area":"flow","id":"FLOW-09","level":"must","party":"client","text":"A client replaces the business values of `sample_parameters` by the request's own.","source":"Recommended client flow","lines":[40],"operation":["discover","call"],"seen":"blackbox"},
  {"area":"flow","id":"FLOW-10","level":"should","party":"client","text":"A client probes only when it needs a schema validation or a current quote.","source":"Recommended client flow","lines":[35],"operation":"probe","seen":{"not_observable":"the client's need is not in its traffic"}},
  {"area":"flow","id":"FLOW-11","level":"must","party":"client","text":"A client takes a quote neither for a spending cap nor for a price reservation nor for an authorization.","source":"Recommended client flow","lines":[35],"operation":"probe","seen":{"not_observable":"what a client concludes is not in its traffic"}},
  {"area":"flow","id":"FLOW-12","level":"should","party":"client","text":"A client's Call carries the `search_id` of the Discover that returned its tool.","source":"Recommended client flow","lines":[36,271,33,412],"operation":"call","seen":"blackbox"},
  {"area":"flow","id":"FLOW-13","level":"should","party":"client","text":"An agent client's Call carries `model`.","source":"Recommended client flow","lines":[36,273],"operation":"call","seen":"blackbox"},
  {"area":"flow","id":"FLOW-14","level":"must","party":"client","text":"A client's `model` is not blank, has no whitespace or control characters and at most 128 characters.","source":"Recommended client flow","lines":[36,273],"operation":"call","seen":"blackbox"},
  {"area":"flow","id":"FLOW-15","level":"must","party":"client","text":"A client does not automatically repeat a paid Call whose outcome is unknown.","source":"Recommended client flow","lines":[37],"operation":"call","seen":"blackbox"},
  {"area":"flow","id":"FLOW-16","level":"must","party":"client","text":"A client uses the exact tool id that the service returned.","source":"Recommended client flow","lines":[405],"operation":"call","seen":"blackbox"},
  {"area":"flow","id":"FLOW-17","level":"should","party":"client","text":"A client runs Discover again after a tool_id was not found, and does not repeat the Call as it was.","source":"Recommended client flow","lines":[406],"operation":"call","seen":"blackbox"},
  {"area":"flow","id":"FLOW-18","level":"should","party":"client","text":"A client regenerates its parameters after a parameter error, and does not repeat the Call as it was.","source":"Recommended client flow","lines":[407],"operation":"call","seen":"blackbox"},
  {"area":"flow","id":"FLOW-19","level":"must","party":"client","text":"A client uses `full_content_file_url` exactly as returned.","source":"Recommended client flow","lines":[96],"operation":"call","seen":"blackbox"},
  {"area":"flow","id":"FLOW-20","level":"must","party":"client","text":"A client sends no API credential to the origin of `full_content_file_url`.","source":"Recommended client flow","lines":[96],"operation":"call","seen":"blackbox"},
  {"area":"flow","id":"FLOW-21","level":"should","party":"client","text":"A client does not take `success` of a Call for the final charge.","source":"Recommended client flow","lines":[28,29],"operation":"call","seen":{"not_observable":"what a client concludes is not in its traffic"}},
  {"area":"flow","id":"FLOW-22","level":"should","party":"client","text":"A client reconciles a Call through the usage audit, filtered by `execution_id`.","source":"Recommended client flow","lines":[38,330],"operation":["listUsage","listLedger"],"seen":"blackbox"},
  {"area":"flow","id":"FLOW-23","level":"should","party":"client","text":"A client reads the ledger after the usage audit, not instead of it.","source":"Recommended client flow","lines":[38],"operation":["listUsage","listLedger"],"seen":"blackbox"},
  {"area":"flow","id":"FLOW-24","level":"should","party":"client","text":"A machine client decides by `charge_outcome` and `reason_code`, not by texts.","source":"Recommended client flow","lines":[412],"operation":["listUsage","listLedger"],"seen":{"not_observable":"what a client concludes is not in its traffic"}},
  {"area":"flow","id":"FLOW-25","level":"must","party":"client","text":"A client sends its key in the header `Authorization` as a bearer token, and never in an address.","source":"Authentication","lines":[363],"operation":"all","seen":"blackbox"},
  {"area":"flow","id":"FLOW-26","level":"should","party":"client","text":"A client turns to another tool or provider, or reports the `execution_id`, when a Call keeps failing.","source":"Errors","lines":[409,410],"operation":"call","seen":{"not_observable":"what a client does next is its own affair, and not all of it crosses the wire"}},
  {"area":"flow","id":"FLOW-27","level":"should","party":"client","text":"For support a client quotes `execution_id`, `search_id`, `session_id`, `tool_id` and `model`.","source":"Errors","lines":[412],"operation":"call","seen":{"not_observable":"a request for support does not cross this API"}},
  {"area":"flow","id":"FLOW-28","level":"should","party":"client","text":"A client that is answered 429 repeats the operation only after `Retry-After` seconds.","source":"Errors","lines":[397,427],"operation":"all","seen":"blackbox"},
  {"area":"general","id":"HTTP-01","level":"must","text":"Every path of the contract is served below a base URL that ends in /api/v1.","source":"Introduction","lines":[3,226],"operation":"all","seen":"blackbox"},
  {"area":"general","id":"HTTP-02","level":"must","text":"An answer with a body, other than a CSV export, is JSON with a JSON content type.","source":"Introduction","lines":[3],"operation":"all","seen":"blackbox"},
  {"area":"general","id":"HTTP-03","level":"must","text":"A request that succeeds is answered with HTTP 200.","source":"Introduction","lines":[226,215,290,302,308,309,190,301,307],"operation":"all","seen":"blackbox"},
  {"area":"general","id":"HTTP-04","level":"must","text":"A JSON body that cannot be parsed, or that lacks what an operation needs, is refused with a 4xx status, not with a 5xx.","source":"Introduction","lines":[3],"operation":"all","seen":"blackbox"},
  {"area":"general","id":"HTTP-05","level":"must","text":"A successful JSON answer of an account, audit, ledger or agent-lifecycle endpoint is the envelope with `status`, `message`, `status_code` and `data`.","source":"Response envelope","lines":[45,357],"operation":["registerAnonymous","startClaim","verifyClaim","getCredits","listLedger","getLedgerEntry","getLedgerReadiness","listSettlements","getCreditsSpent","listUsage","listUsageFeed","getUsageEvent","verifyToken"],"seen":"blackbox"},
  {"area":"general","id":"HTTP-06","level":"must","text":"The envelope's `status` is `success` or `failure`, its `message` a string, its `status_code` an integer.","source":"Response envelope","lines":[49,50,51],"operation":["registerAnonymous","startClaim","verifyClaim","getCredits","listLedger","getLedgerEntry","getLedgerReadiness","listSettlements","getCreditsSpent","listUsage","listUsageFeed","getUsageEvent","verifyToken"],"seen":"blackbox"},
  {"area":"general","id":"HTTP-07","level":"must","text":"The envelope's `status_code` is 0 when `status` is `success`.","source":"Response envelope","lines":[51],"operation":["registerAnonymous","startClaim","verifyClaim","getCredits","listLedger","getLedgerEntry","getLedgerReadiness","listSettlements","getCreditsSpent","listUsage","listUsageFeed","getUsageEvent","verifyToken"],"seen":"blackbox"},
  {"area":"general","id":"HTTP-08","level":"must","text":"The envelope's `status_code` is not 0 when `status` is `failure`.","source":"Response envelope","lines":[51],"operation":["registerAnonymous","startClaim","verifyClaim","getCredits","listLedger","getLedgerEntry","getLedgerReadiness","listSettlements","getCreditsSpent","listUsage","listUsageFeed","getUsageEvent","verifyToken"],"seen":"blackbox"},
  {"area":"general","id":"HTTP-09","level":"must","text":"The envelope's `data` is an object when `status` is `success` and the operation returns a payload.","source":"Response envelope","lines":[52],"operation":["registerAnonymous","startClaim","verifyClaim","getCredits","listLedger","getLedgerEntry","getLedgerReadiness","listSettlements","getCreditsSpent","listUsage","listUsageFeed","getUsageEvent","verifyToken"],"seen":"blackbox"},
  {"area":"general","id":"HTTP-10","level":"must","text":"The envelope's `data` is null when `status` is `failure`.","source":"Response envelope","lines":[52],"operation":["registerAnonymous","startClaim","verifyClaim","getCredits","listLedger","getLedgerEntry","getLedgerReadiness","listSettlements","getCreditsSpent","listUsage","listUsageFeed","getUsageEvent","verifyToken"],"seen":"blackbox"},
  {"area":"inspect","id":"INSP-01","level":"must","text":"`search_id` is a string, `total` an integer of at least 0, `results` an array.","source":"Inspect response","lines":[80],"resource":"InspectResponse","seen":"blackbox"},
  {"area":"inspect","id":"INSP-02","level":"must","text":"`elapsed_time_ms`, where it stands, is a number of milliseconds of at least 0, and no more than the client has waited.","source":"Inspect response","lines":[80],"resource":"InspectResponse","seen":"blackbox"},
  {"area":"inspect","id":"INSP-03","level":"must","text":"`remaining_credits` is a number or null, `error_message` a string or null.","source":"Inspect response","lines":[80],"resource":"InspectResponse","seen":"blackbox"},
  {"area":"inspect","id":"INSP-04","level":"must","text":"The items of `results` in the full view have the shape of a capability result.","source":"Inspect response","lines":[80,61,62,63,64],"resource":"InspectResponse","seen":"blackbox"},
  {"area":"inspect","id":"INSP-05","level":"should","text":"An Inspect carries at least the fields that Discover returned for the same tool, and Discover says nothing else of its parameters and price.","source":"Inspect response","lines":[80],"resource":"InspectResponse","seen":"blackbox"},
  {"area":"inspect","id":"INSP-06","level":"must","text":"An Inspect whose `tool_ids` is missing or no array of strings is refused with 422.","source":"Inspect, body","lines":[246],"operation":"inspect","seen":"blackbox"},
  {"area":"inspect","id":"INSP-07","level":"must","text":"An Inspect of ids that Discover returned has one result for each of them.","source":"Inspect, body","lines":[246],"operation":"inspect","seen":"blackbox"},
  {"area":"inspect","id":"INSP-08","level":"must","text":"An Inspect returns no tool that was not asked for, and none for an id that no tool has.","source":"Inspect, body","lines":[246,406],"operation":"inspect","seen":"blackbox"},
  {"area":"inspect","id":"INSP-09","level":"should","text":"`total` counts the tools that an Inspect of known ids returns.","source":"Inspect, body","lines":[246,80],"operation":"inspect","seen":"blackbox"},
  {"area":"inspect","id":"INSP-10","level":"should","text":"An Inspect with `search_id` returns the same `search_id`.","source":"Inspect, body","lines":[247,80],"operation":"inspect","seen":"blackbox"},
  {"area":"inspect","id":"INSP-11","level":"must","text":"`view` `lean` returns the asked tools by their `tool_id` with less metadata than the full view, and nothing that contradicts it.","source":"Inspect, body","lines":[249],"operation":"inspect","seen":"blackbox"},
  {"area":"inspect","id":"INSP-12","level":"must","text":"`view` `full` returns results of the same shape as an omitted `view`.","source":"Inspect, body","lines":[249,454],"operation":"inspect","seen":"blackbox"},
  {"area":"inspect","id":"INSP-13","level":"must","text":"The full view of an Inspect carries `params` for every tool; the empty array, there and wherever it stands, for a tool without parameters alone.","source":"Inspect, body","lines":[14,34],"operation":"inspect","seen":"blackbox"},
  {"area":"inspect","id":"INSP-14","level":"must","text":"The members of a one-of group are marked `one_of_required`.","source":"Inspect, body","lines":[65],"operation":"inspect","seen":{"needs":["tool.one_of"]}},
  {"area":"inspect","id":"INSP-15","level":"must","text":"A parameter that takes listed values only carries them in `enum`.","source":"Inspect, body","lines":[65],"operation":"inspect","seen":{"needs":["tool.enum"]}},
  {"area":"inspect","id":"INSP-16","level":"must","text":"An Inspect with a valid key and a valid body is answered with 200 and an Inspect response.","source":"Inspect, response","lines":[226,251],"operation":"inspect","seen":"blackbox"},
  {"area":"inspect","id":"INSP-17","level":"must","text":"The failure body of an Inspect that times out or whose proxy fails is an object with an `error` string and a `remaining_credits` number.","source":"Inspect, response","lines":[251],"operation":"inspect","seen":{"not_observable":"a client cannot make the server's own look-up time out"}},
  {"area":"inspect","id":"INSP-18","level":"must","text":"An Inspect moves no credits.","source":"Inspect, response","lines":[14],"operation":"inspect","seen":"blackbox"},
  {"area":"ledger-export","id":"LEXP-01","level":"must","text":"The ledger export has the content type text/csv, and every row has the same number of cells.","source":"Ledger export","lines":[302],"operation":"exportLedger","seen":"blackbox"},
  {"area":"ledger-export","id":"LEXP-02","level":"must","text":"Without `scope`, and with `scope=account_history`, the ledger export has a row for each entry of that group, and for no other.","source":"Ledger export","lines":[302,348],"operation":"exportLedger","seen":{"needs":["tool.charged"]}},
  {"area":"ledger-export","id":"LEXP-03","level":"must","text":"The ledger export keeps to `start_date` and `end_date`.","source":"Ledger export","lines":[302],"operation":"exportLedger","seen":{"needs":["tool.charged"]}},
  {"area":"ledger-export","id":"LEXP-04","level":"must","text":"The ledger export holds entries of the own account alone.","source":"Ledger export","lines":[23,302],"operation":"exportLedger","seen":{"needs":["tool.charged"]}},
  {"area":"ledger-export","id":"LEXP-05","level":"must","text":"An invalid date in an export or in the feed is refused with 400 or 422.","source":"Ledger export","lines":[302,399,308,309],"operation":["exportLedger","exportUsage","listUsageFeed"],"seen":"blackbox"},
  {"area":"ledger-summary","id":"LSUM-01","level":"must","text":"`start_date` and `end_date` are ISO 8601 timestamps in order, and `bucket` is hour, day or week.","source":"Ledger summary","lines":[187,354],"resource":"LedgerSummary","seen":"blackbox"},
  {"area":"ledger-summary","id":"LSUM-02","level":"must","text":"`total_entries`, `consume_count` and `grant_count` are integers of at least 0, and the last two add up to the first.","source":"Ledger summary","lines":[187],"resource":"LedgerSummary","seen":"blackbox"},
  {"area":"ledger-summary","id":"LSUM-03","level":"must","text":"`total_entries` equals the list's `total` when the query gives both dates.","source":"Ledger summary","lines":[187],"resource":"LedgerSummary","seen":"blackbox"},
  {"area":"ledger-summary","id":"LSUM-04","level":"must","text":"`consume_count` and `grant_count` agree with the signs of the matching entries.","source":"Ledger summary","lines":[187],"resource":"LedgerSummary","seen":"blackbox"},
  {"area":"ledger-summary","id":"LSUM-05","level":"must","text":"`consumed_credits` is a number: the absolute total of the negative amounts.","source":"Ledger summary","lines":[187],"resource":"LedgerSummary","seen":{"needs":["tool.charged"]}},
  {"area":"ledger-summary","id":"LSUM-06","level":"must","text":"`granted_credits` is a number: the absolute total of the positive amounts.","source":"Ledger summary","lines":[187],"resource":"LedgerSummary","seen":"blackbox"},
  {"area":"ledger-summary","id":"LSUM-07","level":"must","text":"`net_amount_credits` is the signed sum of all matching amounts: `granted_credits` less `consumed_credits`.","source":"Ledger summary","lines":[187],"resource":"LedgerSummary","seen":"blackbox"},
  {"area":"ledger-summary","id":"LSUM-08","level":"must","text":"`max_amount_items` is an array that holds the largest absolute movements of the matching entries.","source":"Ledger summary","lines":[187],"resource":"LedgerSummary","seen":"blackbox"},
  {"area":"ledger-summary","id":"LSUM-09","level":"must","text":"`max_amount_items` holds at most `limit` items, 10 without `limit`, and never more than 50.","source":"Ledger summary","lines":[187,355,439],"resource":"LedgerSummary","seen":"blackbox"},
  {"area":"ledger-summary","id":"LSUM-10","level":"must","text":"`buckets` is an array of objects with a `bucket_start` timestamp, integer counts and credits as numbers.","source":"Ledger summary, buckets","lines":[187],"resource":"LedgerSummary","seen":"blackbox"},
  {"area":"ledger-summary","id":"LSUM-11","level":"must","text":"The buckets' counts add up to the summary's.","source":"Ledger summary, buckets","lines":[187],"resource":"LedgerSummary","seen":"blackbox"},
  {"area":"ledger-summary","id":"LSUM-12","level":"must","text":"The buckets' credits add up to the summary's.","source":"Ledger summary, buckets","lines":[187],"resource":"LedgerSummary","seen":"blackbox"},
  {"area":"ledger-summary","id":"LSUM-13","level":"must","text":"Each entry is counted in the bucket whose span holds its `created_at`.","source":"Ledger summary, buckets","lines":[187,354],"resource":"LedgerSummary","seen":"blackbox"},
  {"area":"ledger-summary","id":"LSUM-14","level":"must","text":"With `summary=true` and both dates omitted the summary's window is 24 hours long and ends now.","source":"Ledger query parameters","lines":[353,440],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger-summary","id":"LSUM-15","level":"must","text":"Without `bucket` a window of more than 3 days is summed by `day`, any other by `hour`.","source":"Ledger query parameters","lines":[354,441],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger-summary","id":"LSUM-16","level":"must","text":"`bucket` hour, day and week sum by that span, whatever the window.","source":"Ledger query parameters","lines":[354],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger-summary","id":"LSUM-17","level":"must","text":"The filters of the query hold for the summary as for the list.","source":"Ledger query parameters","lines":[353],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-01","level":"must","text":"`id` of a ledger entry is a string that no other entry has.","source":"Ledger entry","lines":[173],"resource":"LedgerEntry","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-02","level":"must","text":"`entry_type` is one of the seven types of the contract.","source":"Ledger entry","lines":[174,185,374],"resource":"LedgerEntry","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-03","level":"must","text":"A ledger entry never changes: read again, its type, amount, references and timestamp are the same.","source":"Ledger entry","lines":[174],"resource":"LedgerEntry","seen":{"needs":["tool.charged"]}},
  {"area":"ledger","id":"LEDG-04","level":"must","text":"`amount_credits` is a number other than 0.","source":"Ledger entry","lines":[175],"resource":"LedgerEntry","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-05","level":"must","text":"An entry of a `consume_` type has a negative amount.","source":"Ledger entry","lines":[175,185],"resource":"LedgerEntry","seen":{"needs":["tool.charged"]}},
  {"area":"ledger","id":"LEDG-06","level":"must","text":"An entry of a `grant_` type has a positive amount.","source":"Ledger entry","lines":[175,185],"resource":"LedgerEntry","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-07","level":"must","text":"A charged Call leaves an entry of type `consume_tool_execute`.","source":"Ledger entry","lines":[185],"resource":"LedgerEntry","seen":{"needs":["tool.charged"]}},
  {"area":"ledger","id":"LEDG-08","level":"must","text":"An entry of type `consume_tool_search` appears only where the deployment charges Discover.","source":"Ledger entry","lines":[185],"resource":"LedgerEntry","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-09","level":"must","text":"`source_system`, `source_ref_type`, `source_ref_id`, `execution_id` and `description` of an entry, where they stand, are strings or null; `source_ref_id` may be a number.","source":"Ledger entry","lines":[176,177,182],"resource":"LedgerEntry","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-10","level":"must","text":"`execution_id` of a Call's entry, where it stands, is the one that the Call returned.","source":"Ledger entry","lines":[177],"resource":"LedgerEntry","seen":{"needs":["tool.charged"]}},
  {"area":"ledger","id":"LEDG-11","level":"should","text":"The entry of a charged Call carries its `execution_id`, `balance_before` and `balance_after`.","source":"Ledger entry","lines":[177,180],"resource":"LedgerEntry","seen":{"needs":["tool.charged"]}},
  {"area":"ledger","id":"LEDG-12","level":"must","text":"`pre_settlement_bill`, `settlement_result`, `balance_before`, `balance_after` and `ledger_metadata`, where they stand, are objects or null, and the credits that they name are numbers.","source":"Ledger entry","lines":[178,179,181,180],"resource":"LedgerEntry","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-13","level":"must","text":"`settlement_result.settled_amount_credits` of a Call's entry, where it stands, is the absolute amount of the entry.","source":"Ledger entry","lines":[179,175],"resource":"LedgerEntry","seen":{"needs":["tool.charged"]}},
  {"area":"ledger","id":"LEDG-14","level":"must","text":"`balance_after` exceeds `balance_before` by exactly `amount_credits`, where both totals stand.","source":"Ledger entry","lines":[180,175],"resource":"LedgerEntry","seen":{"needs":["tool.charged"]}},
  {"area":"ledger","id":"LEDG-15","level":"should","text":"Balances chain: an entry's `balance_before` equals the `balance_after` before it, and the newest `balance_after` the remaining total.","source":"Ledger entry","lines":[180,300],"resource":"LedgerEntry","seen":{"needs":["tool.charged"]}},
  {"area":"ledger","id":"LEDG-16","level":"must","text":"`created_at` of an entry is a timestamp.","source":"Ledger entry","lines":[183],"resource":"LedgerEntry","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-17","level":"must","text":"The entry that a usage event links to carries the same amount, negated.","source":"Ledger entry","lines":[18,133],"resource":"LedgerEntry","seen":{"needs":["tool.charged"]}},
  {"area":"ledger","id":"LEDG-18","level":"must","text":"A ledger entry of the own account is read by its `id` with 200 and agrees with the list.","source":"Ledger entry, by id","lines":[226,303],"operation":"getLedgerEntry","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-19","level":"must","text":"An `entry_id` that no entry has is not answered with success.","source":"Ledger entry, by id","lines":[303],"operation":"getLedgerEntry","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-20","level":"must","text":"An entry of another account is not answered with success.","source":"Ledger entry, by id","lines":[303,23],"operation":"getLedgerEntry","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-21","level":"must","text":"The data holds `items` as an array and `total`, `page` and `page_size` as integers, the page being the one that was asked for.","source":"Ledger list","lines":[187],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-22","level":"must","text":"`items` are in reverse chronological order.","source":"Ledger list","lines":[187],"operation":"listLedger","seen":{"needs":["tool.charged"]}},
  {"area":"ledger","id":"LEDG-23","level":"must","text":"`total` is an integer: the number of entries that match, whatever the page.","source":"Ledger list","lines":[187],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-24","level":"must","text":"`items` never hold more than the effective `page_size`.","source":"Ledger list","lines":[187],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-25","level":"must","text":"`summary` is an object when `summary=true`, else null.","source":"Ledger list","lines":[187,353],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-26","level":"must","text":"The ledger holds entries of the own account alone.","source":"Ledger list","lines":[23,301],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-27","level":"must","text":"`start_date` as a date leaves out the entries before that day, and as a datetime those before that instant.","source":"Ledger query parameters","lines":[346,319],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-28","level":"must","text":"`end_date` leaves out the entries after that instant, or, as a date alone, after the end of that day, and no other.","source":"Ledger query parameters","lines":[346,320],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-29","level":"must","text":"A `start_date` or `end_date` of an invalid format is refused with 400 and -7.","source":"Ledger query parameters","lines":[346,399],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-30","level":"must","text":"`entry_type` selects exactly the entries of that type.","source":"Ledger query parameters","lines":[347],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-31","level":"must","text":"An `entry_type` that no entry has is refused or selects nothing.","source":"Ledger query parameters","lines":[347],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-32","level":"must","text":"`scope=account_history` selects exactly the entries of its four types.","source":"Ledger query parameters","lines":[348],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-33","level":"must","text":"`direction` `consume` selects exactly the negative entries, and `grant` exactly the positive ones.","source":"Ledger query parameters","lines":[349],"operation":"listLedger","seen":{"needs":["tool.charged"]}},
  {"area":"ledger","id":"LEDG-34","level":"must","text":"`direction=any`, and an omitted `direction`, select entries of both signs.","source":"Ledger query parameters","lines":[349],"operation":"listLedger","seen":{"needs":["tool.charged"]}},
  {"area":"ledger","id":"LEDG-35","level":"must","text":"A `direction` outside consume, grant and any is refused with 400 and -7.","source":"Ledger query parameters","lines":[349,399],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-36","level":"must","text":"`min_credits` leaves out exactly the entries of a smaller absolute amount, and `max_credits` those of a greater one.","source":"Ledger query parameters","lines":[350],"operation":"listLedger","seen":{"needs":["tool.charged"]}},
  {"area":"ledger","id":"LEDG-37","level":"must","text":"`min_credits` and `max_credits` of the same amount select both the entries of plus and of minus that amount.","source":"Ledger query parameters","lines":[350],"operation":"listLedger","seen":{"needs":["tool.charged"]}},
  {"area":"ledger","id":"LEDG-38","level":"must","text":"A `min_credits` or `max_credits` below 0 is refused with 400 and -7.","source":"Ledger query parameters","lines":[350,399],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-39","level":"must","text":"A `min_credits` greater than `max_credits` is refused with 400 and -7.","source":"Ledger query parameters","lines":[399],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-40","level":"must","text":"A `page` or `limit` below 1 and a `summary` that is no boolean are refused with 422.","source":"Ledger query parameters","lines":[351,355,439,353],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-41","level":"must","text":"The pages of a query, taken together, hold every matching entry exactly once.","source":"Ledger query parameters","lines":[351,187],"operation":"listLedger","seen":{"needs":["tool.charged"]}},
  {"area":"ledger","id":"LEDG-42","level":"must","text":"Without `page_size` and `limit` the effective `page_size` is 50.","source":"Ledger query parameters","lines":[352,437],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-43","level":"must","text":"A `page_size` of 1 and a `page_size` of 500 are accepted.","source":"Ledger query parameters","lines":[352,437],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-44","level":"must","text":"A `page_size` below 1 or above 500 is refused with 422.","source":"Ledger query parameters","lines":[352,437],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-45","level":"must","text":"A `bucket` outside hour, day and week is refused with 400 and -7.","source":"Ledger query parameters","lines":[354,399],"operation":"listLedger","seen":"blackbox"},
  {"area":"ledger","id":"LEDG-46","level":"must","text":"Several filters together select exactly the entries that satisfy each of them.","source":"Ledger query parameters","lines":["346-350"],"operation":"listLedger","seen":{"needs":["tool.charged"]}},
  {"area":"limits","id":"LIMI-01","level":"must","text":"Discover's quota is 120 requests a minute, unless the deployment declares another.","source":"Limits, quotas","lines":["420-422"],"operation":"discover","seen":"blackbox"},
  {"area":"limits","id":"LIMI-02","level":"must","text":"Inspect's quota is 120 requests a minute, unless the deployment declares another.","source":"Limits, quotas","lines":[423],"operation":"inspect","seen":"blackbox"},
  {"area":"limits","id":"LIMI-03","level":"must","text":"Probe's quota is 120 requests a minute, unless the deployment declares another.","source":"Limits, quotas","lines":[424],"operation":"probe","seen":"blackbox"},
  {"area":"limits","id":"LIMI-04","level":"must","text":"Call's quota is 200 requests a minute, unless the deployment declares another.","source":"Limits, quotas","lines":[425],"operation":"call","seen":"blackbox"},
  {"area":"limits","id":"LIMI-05","level":"must","text":"Requests beyond the quota of a window are answered with 429.","source":"Limits","lines":["420-425"],"operation":["discover","inspect","probe","call"],"seen":"blackbox"},
  {"area":"limits","id":"LIMI-06","level":"must","text":"Requests within the quota of a window are not answered with 429.","source":"Limits","lines":["420-425"],"operation":["discover","inspect","probe","call"],"seen":"blackbox"},
  {"area":"limits","id":"LIMI-07","level":"must","text":"All keys of one account share one quota.","source":"Limits","lines":[418],"operation":["discover","inspect","probe","call"],"seen":{"needs":["second_key"]}},
  {"area":"limits","id":"LIMI-08","level":"must","text":"One account's requests do not use up another account's quota.","source":"Limits","lines":[418],"operation":["discover","inspect","probe","call"],"seen":"blackbox"},
  {"area":"limits","id":"LIMI-09","level":"must","text":"Using up the quota of one operation does not limit another operation.","source":"Limits","lines":["420-425"],"operation":["discover","inspect","probe","call"],"seen":"blackbox"},
  {"area":"limits","id":"LIMI-10","level":"must","text":"Requests sent at the same time are counted each: no more than the quota is accepted in a window.","source":"Limits","lines":[418],"operation":["discover","inspect","probe","call"],"seen":"blackbox"},
  {"area":"limits","id":"LIMI-11","level":"must","text":"A rate-limited request is not executed: it moves no credits and leaves no execution.","source":"Limits","lines":[397,425],"operation":["discover","inspect","probe","call"],"seen":"blackbox"},
  {"area":"limits","id":"LIMI-12","level":"must","text":"Anonymous website traffic is limited for each client address.","source":"Limits","lines":[418],"operation":["discover","inspect","probe","call"],"seen":{"not_observable":"the website is no part of this API"}},
  {"area":"limits","id":"LIMI-13","level":"must","text":"`X-RateLimit-Limit`, where it stands, is a positive integer: the quota of the operation's window.","source":"Limits, headers","lines":[427],"operation":["discover","inspect","probe","call"],"seen":"blackbox"},
  {"area":"limits","id":"LIMI-14","level":"must","text":"`X-RateLimit-Remaining`, where it stands, is an integer from 0 to the limit.","source":"Limits, headers","lines":[427],"operation":["discover","inspect","probe","call"],"seen":"blackbox"},
  {"area":"limits","id":"LIMI-15","level":"must","text":"`X-RateLimit-Reset`, where it stands, is an integer of Unix epoch seconds, not in the past and no more than a window ahead.","source":"Limits, headers","lines":[427],"operation":["discover","inspect","probe","call"],"seen":"blackbox"},
  {"area":"limits","id":"LIMI-16","level":"must","text":"`Retry-After` of a 429 answer is a positive or zero integer of seconds.","source":"Limits, headers","lines":[427],"operation":["discover","inspect","probe","call"],"seen":"blackbox"},
  {"area":"limits","id":"LIMI-17","level":"must","text":"`X-RateLimit-Remaining` of a 429 answer, where it stands, is 0.","source":"Limits, headers","lines":[427],"operation":["discover","inspect","probe","call"],"seen":"blackbox"},
  {"area":"limits","id":"LIMI-18","level":"must","text":"While `X-RateLimit-Reset` stays the same, each further request lowers `X-RateLimit-Remaining`, until it is 0.","source":"Limits, headers","lines":[427],"operation":["discover","inspect","probe","call"],"seen":"blackbox"},
  {"area":"limits","id":"LIMI-19","level":"must","text":"A request after `Retry-After` seconds is accepted again.","source":"Limits, headers","lines":[427],"operation":["discover","inspect","probe","call"],"seen":"blackbox"},
  {"area":"limits","id":"LIMI-20","level":"should","text":"`Retry-After` asks to wait no longer than until `X-RateLimit-Reset`, give or take two seconds.","source":"Limits, headers","lines":[427],"operation":["discover","inspect","probe","call"],"seen":"blackbox"},
  {"area":"limits","id":"LIMI-21","level":"should","text":"The answers of the four operations, 429 included, carry `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`.","source":"Limits, headers","lines":[427],"operation":["discover","inspect","probe","call"],"seen":"blackbox"},
  {"area":"probe","id":"PROB-01","level":"must","text":"`schema` is an object with a boolean `valid` when the check `schema` was asked for.","source":"Probe response","lines":[101],"resource":"PublicToolProbeResponse","seen":"blackbox"},
  {"area":"probe","id":"PROB-02","level":"must","text":"`quote` is an object when the check `quote` was asked for.","source":"Probe response","lines":[102],"resource":"PublicToolProbeResponse","seen":"blackbox"},
  {"area":"probe","id":"PROB-03","level":"must","text":"`quote.estimate_credits` is a number of at least 0 for a tool with a known price.","source":"Probe response","lines":[102],"resource":"PublicToolProbeResponse","seen":"blackbox"},
  {"area":"probe","id":"PROB-04","level":"must","text":"`quote.currency` is `credits`, `quote.exact` a boolean, `quote.basis` a string.","source":"Probe response","lines":[102],"resource":"PublicToolProbeResponse","seen":"blackbox"},
  {"area":"probe","id":"PROB-05","level":"must","text":"The check `coverage` returns an explicit unknown verdict.","source":"Probe response","lines":[103,259],"resource":"PublicToolProbeResponse","seen":"blackbox"},
  {"area":"probe","id":"PROB-06","level":"must","text":"The check `sample` returns an explicit unknown verdict.","source":"Probe response","lines":[103,259],"resource":"PublicToolProbeResponse","seen":"blackbox"},
  {"area":"probe","id":"PROB-07","level":"must","text":"A Probe without `tool_id` in the query is refused with 422 or 400.","source":"Probe, parameters","lines":[254],"operation":"probe","seen":"blackbox"},
  {"area":"probe","id":"PROB-08","level":"must","text":"A Probe of a known tool in the query, with an empty object as body, is answered with 200.","source":"Probe, parameters","lines":[254,226,262],"operation":"probe","seen":"blackbox"},
  {"area":"probe","id":"PROB-09","level":"must","text":"`schema.valid` is true for parameters that keep the tool's contract.","source":"Probe, parameters","lines":[258,101],"operation":"probe","seen":"blackbox"},
  {"area":"probe","id":"PROB-10","level":"must","text":"`schema.valid` is false when a required parameter is missing.","source":"Probe, parameters","lines":[258,101],"operation":"probe","seen":"blackbox"},
  {"area":"probe","id":"PROB-11","level":"must","text":"`schema.valid` is false when a parameter is outside its enum, or the range that its definition shows.","source":"Probe, parameters","lines":[258,101],"operation":"probe","seen":{"needs":["tool.enum"]}},
  {"area":"probe","id":"PROB-12","level":"must","text":"`schema.valid` is false when a parameter has the wrong type.","source":"Probe, parameters","lines":[258,101],"operation":"probe","seen":"blackbox"},
  {"area":"probe","id":"PROB-13","level":"must","text":"`schema.valid` is false when no field of a one-of group is present.","source":"Probe, parameters","lines":[258,65],"operation":"probe","seen":{"needs":["tool.one_of"]}},
  {"area":"probe","id":"PROB-14","level":"must","text":"A `parameters` that is no object, a `checks` entry or a `live_budget` outside its values is refused with 422 or 400.","source":"Probe, parameters","lines":[258,259,260],"operation":"probe","seen":"blackbox"},
  {"area":"probe","id":"PROB-15","level":"must","text":"`checks` accepts `schema`, `quote`, `coverage` and `sample`, alone and together.","source":"Probe, parameters","lines":[259],"operation":"probe","seen":"blackbox"},
  {"area":"probe","id":"PROB-16","level":"must","text":"`live_budget` accepts `none`, `metadata` and `sampled`.","source":"Probe, parameters","lines":[260],"operation":"probe","seen":"blackbox"},
  {"area":"probe","id":"PROB-17","level":"must","text":"A Probe never executes the capability, whatever its `live_budget`: it leaves no event of type `tool_execute`.","source":"Probe, parameters","lines":[260,15,262],"operation":"probe","seen":"blackbox"},
  {"area":"probe","id":"PROB-18","level":"must","text":"A Probe that is refused with 400 carries the error object.","source":"Probe, statuses","lines":[262],"operation":"probe","seen":"blackbox"},
  {"area":"probe","id":"PROB-19","level":"must","text":"A Probe of a tool that does not exist is answered with 404.","source":"Probe, statuses","lines":[262,394],"operation":"probe","seen":"blackbox"},
  {"area":"probe","id":"PROB-20","level":"must","text":"A Probe whose upstream is unavailable is answered with 502, and one whose upstream times out with 504.","source":"Probe, statuses","lines":[262,394],"operation":"probe","seen":{"not_observable":"a client cannot make the upstream of a Probe unavailable"}},
  {"area":"probe","id":"PROB-21","level":"must","text":"A Probe never consumes credits, and a quote reserves none: the balance is unchanged after it.","source":"Probe, statuses","lines":[15,262,35],"operation":"probe","seen":"blackbox"},
  {"area":"probe","id":"PROB-22","level":"should","text":"An exact quote equals the pre-settlement amount of a Call made at once with the same parameters.","source":"Probe, statuses","lines":[26,28],"operation":"probe","seen":{"needs":["tool.charged"]}},
  {"area":"results","id":"RSLT-01","level":"must","text":"Without `max_response_size` a payload of clearly more than 20480 bytes is truncated.","source":"Call response, truncated result","lines":[275,434],"operation":"call","seen":{"needs":["tool.large_result"]}},
  {"area":"results","id":"RSLT-02","level":"must","text":"Without `max_response_size` a payload of clearly less than 20480 bytes is not truncated.","source":"Call response, truncated result","lines":[275,434],"operation":"call","seen":"blackbox"},
  {"area":"results","id":"RSLT-03","level":"must","text":"A payload of more than `max_response_size` bytes is truncated, whatever the default.","source":"Call response, truncated result","lines":[275],"operation":"call","seen":{"needs":["tool.large_result"]}},
  {"area":"results","id":"RSLT-04","level":"must","text":"A payload of fewer than `max_response_size` bytes is not truncated, even above the default.","source":"Call response, truncated result","lines":[275],"operation":"call","seen":{"needs":["tool.large_result"]}},
  {"area":"results","id":"RSLT-05","level":"must","text":"`max_response_size` -1 disables truncation.","source":"Call response, truncated result","lines":[275,434],"operation":"call","seen":{"needs":["tool.large_result"]}},
  {"area":"results","id":"RSLT-06","level":"must","text":"A truncated `result` has no `data`.","source":"Call response, truncated result","lines":[96],"operation":"call","seen":{"needs":["tool.large_result"]}},
  {"area":"results","id":"RSLT-07","level":"must","text":"A truncated `result` has a `message` string and a `truncated_content` string that is not empty.","source":"Call response, truncated result","lines":[96],"operation":"call","seen":{"needs":["tool.large_result"]}},
  {"area":"results","id":"RSLT-08","level":"must","text":"`truncated_content` is the beginning of the payload, apart from a last character that the cut broke.","source":"Call response, truncated result","lines":[96],"operation":"call","seen":{"needs":["tool.large_result"]}},
  {"area":"results","id":"RSLT-09","level":"must","text":"`truncated_content` holds no more bytes than `max_response_size` allows.","source":"Call response, truncated result","lines":[96,275],"operation":"call","seen":{"needs":["tool.large_result"]}},
  {"area":"results","id":"RSLT-10","level":"must","text":"A truncated `result` has a `full_content_file_url` with the scheme https.","source":"Call response, truncated result","lines":[96],"operation":"call","seen":{"needs":["tool.large_result"]}},
  {"area":"results","id":"RSLT-11","level":"must","text":"`full_content_file_url` does not share the origin of the API.","source":"Call response, truncated result","lines":[96],"operation":"call","seen":{"needs":["tool.large_result"]}},
  {"area":"results","id":"RSLT-12","level":"must","text":"`full_content_file_url`, used as returned and without a credential, delivers the whole payload.","source":"Call response, truncated result","lines":[96],"operation":"call","seen":{"needs":["tool.large_result","object_storage"]}},
  {"area":"results","id":"RSLT-13","level":"must","text":"`full_content_file_url` is signed: a changed signature is not served.","source":"Call response, truncated result","lines":[96],"operation":"call","seen":{"needs":["tool.large_result","object_storage"]}},
  {"area":"results","id":"RSLT-14","level":"must","text":"`full_content_file_url` expires.","source":"Call response, truncated result","lines":[96,444],"operation":"call","seen":{"not_observable":"only waiting until it has expired shows it, and the contract does not say how long it lives"}},
  {"area":"results","id":"RSLT-15","level":"must","text":"`content_schema` of a truncated result, where it stands, is a JSON schema object that the full content satisfies.","source":"Call response, truncated result","lines":[96],"operation":"call","seen":{"needs":["tool.large_result"]}},
  {"area":"results","id":"RSLT-16","level":"should","text":"A truncated `result` has a `content_schema`.","source":"Call response, truncated result","lines":[96],"operation":"call","seen":{"needs":["tool.large_result"]}},
  {"area":"results","id":"RSLT-17","level":"must","text":"A result that is not truncated has no `truncated_content` and no `full_content_file_url`.","source":"Call response, truncated result","lines":[96],"operation":"call","seen":"blackbox"},
  {"area":"results","id":"RSLT-18","level":"must","text":"Truncation changes neither the success nor the charge of a Call.","source":"Call response, truncated result","lines":[96,141],"operation":"call","seen":{"needs":["tool.large_result","tool.charged"]}},
  {"area":"results","id":"RSLT-19","level":"must","text":"`respond_with` `full` returns an answer of the same shape as an omitted `respond_with`.","source":"Call, respond_with","lines":[276,454],"operation":"call","seen":"blackbox"},
  {"area":"results","id":"RSLT-20","level":"must","text":"A `respond_with` other than `full`, `fields:` with expressions, and `summary` is refused with 422.","source":"Call, respond_with","lines":[276],"operation":"call","seen":"blackbox"},
  {"area":"results","id":"RSLT-21","level":"must","text":"`fields:` with no expression, or with one that is no JSONPath, is refused with 422.","source":"Call, respond_with","lines":[276,278],"operation":"call","seen":"blackbox"},
  {"area":"results","id":"RSLT-22","level":"must","text":"`fields:` returns the values that its expressions, separated by commas, select in result.data.","source":"Call, respond_with","lines":[276],"operation":"call","seen":"blackbox"},
  {"area":"results","id":"RSLT-23","level":"must","text":"`fields:` returns no value of result.data that no expression selects.","source":"Call, respond_with","lines":[276],"operation":"call","seen":"blackbox"},
  {"area":"results","id":"RSLT-24","level":"must","text":"A `fields:` answer carries `execution_id` and `success`, and no `billing` or other billing internals.","source":"Call, respond_with","lines":[98],"operation":"call","seen":"blackbox"},
  {"area":"results","id":"RSLT-25","level":"must","text":"A Call that is refused for its projection costs nothing.","source":"Call, respond_with","lines":[278],"operation":"call","seen":"blackbox"},
  {"area":"results","id":"RSLT-26","level":"must","text":"The top level of a `summary` answer carries `execution_id` and `success`, and is limited to identity and status, timing, `cost`, `remaining_credits` and `result`.","source":"Call response, projection summary","lines":[98],"operation":"call","seen":"blackbox"},
  {"area":"results","id":"RSLT-27","level":"must","text":"`result` of a `summary` answer is limited to `respond_with`, `content_schema`, `summary`, `full_content_file_url` and `message`.","source":"Call response, projection summary","lines":[98],"operation":"call","seen":"blackbox"},
  {"area":"results","id":"RSLT-28","level":"must","text":"`result.summary`, `cost` and `remaining_credits` of a `summary` answer, where they stand, are an object or a text, a number, and a number or null.","source":"Call response, projection summary","lines":[98],"operation":"call","seen":"blackbox"},
  {"area":"results","id":"RSLT-29","level":"should","text":"A `summary` answer carries `result.summary`.","source":"Call response, projection summary","lines":[98],"operation":"call","seen":"blackbox"},
  {"area":"results","id":"RSLT-30","level":"must","text":"A `summary` answer carries no raw billing, execution outcome, experiment metadata or status codes.","source":"Call response, projection summary","lines":[98],"operation":"call","seen":"blackbox"},
  {"area":"results","id":"RSLT-31","level":"must","text":"A `summary` answer does not repeat the parameters of the Call.","source":"Call response, projection summary","lines":[98],"operation":"call","seen":"blackbox"},
  {"area":"results","id":"RSLT-32","level":"must","text":"A `summary` answer carries no sample rows and no other value of the payload.","source":"Call response, projection summary","lines":[98],"operation":"call","seen":"blackbox"},
  {"area":"results","id":"RSLT-33","level":"must","text":"A projection changes neither the success nor the charge of a Call.","source":"Call response, projection summary","lines":[98,141],"operation":"call","seen":{"needs":["tool.charged"]}},
  {"area":"results","id":"RSLT-34","level":"should","text":"`content_schema` of a `summary` answer, where it stands, is a JSON schema that the full content satisfies, and shows no value of it as an example, a default or a constant.","source":"Call response, projection summary","lines":[96,98],"operation":"call","seen":"blackbox"},
  {"area":"trial","id":"TRIA-01","level":"must","text":"A registration with an `agent_name` string is accepted.","source":"Anonymous trial, register","lines":[193,290],"operation":"registerAnonymous","seen":"blackbox"},
  {"area":"trial","id":"TRIA-02","level":"must","text":"An `agent_name` that is no string, and a body that is no object, are refused with 422.","source":"Anonymous trial, register","lines":[193,294],"operation":"registerAnonymous","seen":"blackbox"},
  {"area":"trial","id":"TRIA-03","level":"must","text":"The answer's data holds an `api_key` and a `claim_code`, strings that are not empty.","source":"Anonymous trial, register","lines":[194,199],"operation":"registerAnonymous","seen":"blackbox"},
  {"area":"trial","id":"TRIA-04","level":"must","text":"The answer's data states the trial credits, 50.","source":"Anonymous trial, register","lines":[194,215,366,442],"operation":"registerAnonymous","seen":"blackbox"},
  {"area":"trial","id":"TRIA-05","level":"must","text":"Two registrations have two different keys and two different claim codes.","source":"Anonymous trial, register","lines":[194,363],"operation":"registerAnonymous","seen":"blackbox"},
  {"area":"trial","id":"TRIA-06","level":"must","text":"A fresh trial account has 50 credits.","source":"Anonymous trial, register","lines":[366,442,215],"operation":"registerAnonymous","seen":"blackbox"},
  {"area":"trial","id":"TRIA-07","level":"must","text":"A trial key may Discover, Inspect and Call.","source":"Anonymous trial, register","lines":[215,366],"operation":"registerAnonymous","seen":"blackbox"},
  {"area":"trial","id":"TRIA-08","level":"must","text":"A trial key is valid for 7 days.","source":"Anonymous trial, register","lines":[215,366,442],"operation":"registerAnonymous","seen":{"needs":["time"]}},
  {"area":"trial","id":"TRIA-09","level":"must","text":"A trial key may not use the model gateway.","source":"Anonymous trial, register","lines":[215,366,442],"operation":"registerAnonymous","seen":{"not_observable":"the model gateway is no operation of this contract"}},
  {"area":"trial","id":"TRIA-10","level":"must","text":"Two trial accounts are apart: each has its own balance and its own history.","source":"Anonymous trial, register","lines":[22,215],"operation":"registerAnonymous","seen":"blackbox"},
  {"area":"trial","id":"TRIA-11","level":"must","text":"A registration that is rate-limited is answered with 429, the error object with `status_code` 429 and a message.","source":"Anonymous trial, register","lines":[294],"operation":"registerAnonymous","seen":"blackbox"},
  {"area":"trial","id":"TRIA-12","level":"must","text":"A claim with a valid claim code and a free e-mail address is answered with 200 and the envelope.","source":"Anonymous trial, claim","lines":[216,291,226],"operation":"startClaim","seen":{"needs":["mailbox"]}},
  {"area":"trial","id":"TRIA-13","level":"must","text":"A started claim sends an e-mail to the address that was given.","source":"Anonymous trial, claim","lines":[216,375],"operation":"startClaim","seen":{"needs":["mailbox"]}},
  {"area":"trial","id":"TRIA-14","level":"must","text":"The e-mail of a claim holds a code of 6 digits.","source":"Anonymous trial, claim","lines":[216,375,366,443,196],"operation":"startClaim","seen":{"needs":["mailbox"]}},
  {"area":"trial","id":"TRIA-15","level":"must","text":"A claim with an unknown claim code sends no e-mail.","source":"Anonymous trial, claim","lines":[216],"operation":"startClaim","seen":{"needs":["mailbox"]}},
  {"area":"trial","id":"TRIA-16","level":"should","text":"A claim with an unknown claim code is not answered as a started claim is.","source":"Anonymous trial, claim","lines":[216],"operation":"startClaim","seen":"blackbox"},
  {"area":"trial","id":"TRIA-17","level":"must","text":"A claim code cannot be bound to the e-mail of a formal account.","source":"Anonymous trial, claim","lines":[216,366],"operation":"startClaim","seen":{"needs":["formal_email","mailbox"]}},
  {"area":"trial","id":"TRIA-18","level":"must","text":"A claim that the risk check blocks returns another answer than a started claim.","source":"Anonymous trial, claim","lines":[217],"operation":"startClaim","seen":{"needs":["blocked_domain"]}},
  {"area":"trial","id":"TRIA-19","level":"must","text":"A claim that the risk check blocks sends no e-mail.","source":"Anonymous trial, claim","lines":[217],"operation":"startClaim","seen":{"needs":["blocked_domain","mailbox"]}},
  {"area":"trial","id":"TRIA-20","level":"must","text":"After a blocked claim the account is still an anonymous trial, and its key works.","source":"Anonymous trial, claim","lines":[217],"operation":"startClaim","seen":{"needs":["blocked_domain"]}},
  {"area":"trial","id":"TRIA-21","level":"must","text":"A `claim_code`, `email` or `code` that is no string is refused with 422, and so is the start of a claim with an `email` that is no e-mail address.","source":"Anonymous trial, claim","lines":[195,294,196],"operation":["startClaim","verifyClaim"],"seen":"blackbox"},
  {"area":"trial","id":"TRIA-22","level":"must","text":"A claim step without one of its fields, and a verify of a claim that was not started, do not succeed.","source":"Anonymous trial, claim","lines":[195,196,218],"operation":["startClaim","verifyClaim"],"seen":"blackbox"},
  {"area":"trial","id":"TRIA-23","level":"must","text":"A claim verify with the e-mailed code is answered with 200 and `status` `success`.","source":"Anonymous trial, claim verify","lines":[218,292,226],"operation":"verifyClaim","seen":{"needs":["mailbox"]}},
  {"area":"trial","id":"TRIA-24","level":"must","text":"The trial's API key stays active after the verification.","source":"Anonymous trial, claim verify","lines":[218,366,216],"operation":"verifyClaim","seen":{"needs":["mailbox"]}},
  {"area":"trial","id":"TRIA-25","level":"must","text":"The balance and the history of the trial stay with the account after the verification.","source":"Anonymous trial, claim verify","lines":[218],"operation":"verifyClaim","seen":{"needs":["mailbox"]}},
  {"area":"trial","id":"TRIA-26","level":"must","text":"A verified address belongs to a formal account from then on: another trial cannot be bound to it, nor this account to another address.","source":"Anonymous trial, claim verify","lines":[218,216],"operation":"verifyClaim","seen":{"needs":["mailbox"]}},
  {"area":"trial","id":"TRIA-27","level":"must","text":"A wrong code does not verify a claim.","source":"Anonymous trial, claim verify","lines":[218],"operation":"verifyClaim","seen":{"needs":["mailbox"]}},
  {"area":"trial","id":"TRIA-28","level":"must","text":"The code of one claim verifies neither another claim nor another e-mail address.","source":"Anonymous trial, claim verify","lines":[218,196],"operation":"verifyClaim","seen":{"needs":["mailbox"]}},
  {"area":"trial","id":"TRIA-29","level":"should","text":"Discover, Inspect and Call with the key of a trial whose 7 days are over are answered with 401, as with any expired credential.","source":"Authentication","lines":[366,368,215],"operation":["discover","inspect","call"],"seen":{"needs":["expired_trial"]}},
  {"area":"usage-export","id":"UEXP-01","level":"must","text":"The usage export has the content type text/csv, and every row has the same number of cells.","source":"Usage export","lines":[308,302],"operation":"exportUsage","seen":"blackbox"},
  {"area":"usage-export","id":"UEXP-02","level":"must","text":"The usage export has one row for each matching event, beside at most one header row, however many there are.","source":"Usage export","lines":[308],"operation":"exportUsage","seen":"blackbox"},
  {"area":"usage-export","id":"UEXP-03","level":"must","text":"The usage export holds events of the own account alone.","source":"Usage export","lines":[23,308],"operation":"exportUsage","seen":"blackbox"},
  {"area":"usage-export","id":"UEXP-04","level":"must","text":"The usage export keeps to `start_date` and `end_date` as the query does.","source":"Usage export","lines":[308,319,320],"operation":"exportUsage","seen":"blackbox"},
  {"area":"usage-export","id":"UEXP-05","level":"must","text":"The usage export keeps to the filters by type, kind, success, outcome, reason, charge outcome and anomaly as the query does.","source":"Usage export","lines":[308,323,324,321,322,"325-327",328,329],"operation":"exportUsage","seen":"blackbox"},
  {"area":"usage-export","id":"UEXP-06","level":"must","text":"The usage export keeps to the filters by id, attribution and credits as the query does.","source":"Usage export","lines":[308,330,"331-333",334],"operation":"exportUsage","seen":"blackbox"},
  {"area":"usage-feed","id":"UFED-01","level":"must","text":"A page of the feed holds at most `page_size` events.","source":"Usage summary feed","lines":[190,309],"operation":"listUsageFeed","seen":"blackbox"},
  {"area":"usage-feed","id":"UFED-02","level":"must","text":"The feed's pages, followed by `cursor`, hold every matching event exactly once.","source":"Usage summary feed","lines":[190,309],"operation":"listUsageFeed","seen":"blackbox"},
  {"area":"usage-feed","id":"UFED-03","level":"must","text":"Events that arrive while the feed is read make it neither repeat nor skip an older event.","source":"Usage summary feed","lines":[190],"operation":"listUsageFeed","seen":"blackbox"},
  {"area":"usage-feed","id":"UFED-04","level":"must","text":"Without `page_size` a page of the feed holds at most 100 events.","source":"Usage summary feed","lines":[309,438],"operation":"listUsageFeed","seen":"blackbox"},
  {"area":"usage-feed","id":"UFED-05","level":"must","text":"A `page_size` of 1 and a `page_size` of 500 are accepted.","source":"Usage summary feed","lines":[309,438],"operation":"listUsageFeed","seen":"blackbox"},
  {"area":"usage-feed","id":"UFED-06","level":"must","text":"A `page_size` below 1 or above 500 is refused with 422.","source":"Usage summary feed","lines":[309,438],"operation":"listUsageFeed","seen":"blackbox"},
  {"area":"usage-feed","id":"UFED-07","level":"must","text":"The feed holds events of the own account alone.","source":"Usage summary feed","lines":[23,309],"operation":"listUsageFeed","seen":"blackbox"},
  {"area":"usage-feed","id":"UFED-08","level":"must","text":"The feed keeps to `start_date` and `end_date` as the query does.","source":"Usage summary feed","lines":[309,319,320],"operation":"listUsageFeed","seen":"blackbox"},
  {"area":"usage-feed","id":"UFED-09","level":"must","text":"The feed keeps to the filters by type, kind, success, outcome, reason, charge outcome and anomaly as the query does.","source":"Usage summary feed","lines":[309,323,324,321,322,"325-327",328,329],"operation":"listUsageFeed","seen":"blackbox"},
  {"area":"usage-feed","id":"UFED-10","level":"must","text":"The feed keeps to the filters by id, attribution and credits as the query does.","source":"Usage summary feed","lines":[309,330,"331-333",334],"operation":"listUsageFeed","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-01","level":"must","text":"`start_date` and `end_date` are ISO 8601 timestamps in order, and `bucket` is hour, day or week.","source":"Usage summary","lines":[167,339],"resource":"UsageSummary","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-02","level":"must","text":"The summary's window is that of the query, a date alone as end standing for the end of its day.","source":"Usage summary","lines":[167,320],"resource":"UsageSummary","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-03","level":"must","text":"`total_count`, `success_count` and `failure_count` are integers of at least 0, and the last two add up to the first.","source":"Usage summary","lines":[167],"resource":"UsageSummary","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-04","level":"must","text":"`charge_outcome_counts` has the four charge outcomes as keys and integers that add up to `total_count`.","source":"Usage summary","lines":[167,222],"resource":"UsageSummary","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-05","level":"must","text":"`charge_outcome_counts` agree with the events of the list for the same window and filters.","source":"Usage summary","lines":[167],"resource":"UsageSummary","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-06","level":"must","text":"`total_count` equals the list's `total` when the query gives both dates.","source":"Usage summary","lines":[167,165],"resource":"UsageSummary","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-07","level":"must","text":"`success_count` agrees with the recorded success of the matching events.","source":"Usage summary","lines":[167],"resource":"UsageSummary","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-08","level":"must","text":"`pre_settlement_credits` is a number: the sum of the requested amounts of the matching events.","source":"Usage summary","lines":[167],"resource":"UsageSummary","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-09","level":"must","text":"`settled_credits` is a number: the sum of the settled amounts of the matching events.","source":"Usage summary","lines":[167],"resource":"UsageSummary","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-10","level":"must","text":"`max_charge_items` is an array of at most `limit` items, 10 without `limit`, and never more than 50.","source":"Usage summary","lines":[167,340,439],"resource":"UsageSummary","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-11","level":"should","text":"`max_charge_items` holds the events with the largest settled amounts.","source":"Usage summary","lines":[167],"resource":"UsageSummary","seen":{"needs":["tool.charged"]}},
  {"area":"usage-summary","id":"USUM-12","level":"must","text":"`buckets` is an array of objects, each with a `bucket_start` timestamp that no other has.","source":"Usage summary, buckets","lines":[167],"resource":"UsageSummary","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-13","level":"must","text":"Each bucket has its seven counts as integers and its two credit sums as numbers.","source":"Usage summary, buckets","lines":[167],"resource":"UsageSummary","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-14","level":"must","text":"The buckets' `total_count`, `success_count` and `failure_count` add up to the summary's.","source":"Usage summary, buckets","lines":[167],"resource":"UsageSummary","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-15","level":"must","text":"The buckets' counts of each charge outcome add up to the summary's.","source":"Usage summary, buckets","lines":[167],"resource":"UsageSummary","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-16","level":"must","text":"The buckets' `pre_settlement_credits` and `settled_credits` add up to the summary's.","source":"Usage summary, buckets","lines":[167],"resource":"UsageSummary","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-17","level":"must","text":"Each event is counted in the bucket whose span holds its `created_at`.","source":"Usage summary, buckets","lines":[167,339],"resource":"UsageSummary","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-18","level":"must","text":"With `summary=true` and both dates omitted the summary's window is 24 hours long and ends now.","source":"Usage audit query parameters","lines":[338,440],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-19","level":"must","text":"Without `bucket` a window of more than 3 days is summed by `day`, any other by `hour`.","source":"Usage audit query parameters","lines":[339,441],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-20","level":"must","text":"`bucket` hour, day and week sum by that span, whatever the window.","source":"Usage audit query parameters","lines":[339],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-21","level":"must","text":"The filters of the query hold for the summary as for the list.","source":"Usage audit query parameters","lines":[338],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-22","level":"must","text":"The summary counts events of the own account alone.","source":"Usage audit query parameters","lines":[23,338],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage-summary","id":"USUM-23","level":"must","text":"The summary does not depend on `page` and `page_size`.","source":"Usage audit query parameters","lines":[338,335],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-01","level":"must","text":"`id` of a usage event is a UUID that no other event has.","source":"Usage event","lines":[115],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-02","level":"must","text":"`event_type` is one of search, search_by_ids, tool_execute, capabilities_query and model_call.","source":"Usage event","lines":[116,374],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-03","level":"must","text":"A Discover leaves an event of type `search`.","source":"Usage event","lines":[116,374],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-04","level":"must","text":"An Inspect leaves an event of type `search_by_ids`.","source":"Usage event","lines":[116,374],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-05","level":"must","text":"An executed Call leaves an event of type `tool_execute`.","source":"Usage event","lines":[116,374],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-06","level":"must","text":"The references, correlation ids, `error_message`, `billing_snapshot_status`, `display_target` and `billing_summary` of an event, where they stand, are strings or null; `source_ref_id` may be a number.","source":"Usage event","lines":[117,118,123,134,127],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-07","level":"must","text":"The event of a Call carries the `execution_id` that the Call returned.","source":"Usage event","lines":[118],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-08","level":"must","text":"The event of a Call carries the `session_id` that the Call was given.","source":"Usage event","lines":[118,272],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-09","level":"must","text":"The event of a Call carries the `search_id` that the Call was given.","source":"Usage event","lines":[118,271],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-10","level":"must","text":"The event of a Discover carries the `search_id` that was returned, and those of Discover and Inspect the `session_id` that was given.","source":"Usage event","lines":[118,77,235,248],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-11","level":"must","text":"`tool_id` of a Call's event is the tool that was called.","source":"Usage event","lines":[119],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-12","level":"must","text":"`success` of a Call's event is a boolean.","source":"Usage event","lines":[120],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-13","level":"should","text":"The event of a failed Call carries an `error_message`.","source":"Usage event","lines":[123],"resource":"UsageEvent","seen":{"needs":["tool.provider_error"]}},
  {"area":"usage","id":"USAG-14","level":"must","text":"`duration_ms` of an event, where it stands, is a number of at least 0 or null.","source":"Usage event","lines":[124],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-15","level":"must","text":"`execution_outcome`, `billing_rule_snapshot`, `pre_settlement_bill` and `settlement_result` of an event, where they stand, are objects or null.","source":"Usage event","lines":[126,128,129,130],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-16","level":"should","text":"`billing_rule_snapshot` of a Call's event, where it stands, equals the tool's `billing_rule` at the time of the Call.","source":"Usage event","lines":[128],"resource":"UsageEvent","seen":{"needs":["tool.charged"]}},
  {"area":"usage","id":"USAG-17","level":"must","text":"`settlement_result.settled_amount_credits`, where it stands, equals the event's settled amount.","source":"Usage event","lines":[130,132],"resource":"UsageEvent","seen":{"needs":["tool.charged"]}},
  {"area":"usage","id":"USAG-18","level":"must","text":"The event of a charged Call carries its requested and its settled amount, each under at least one of its two names, as a number.","source":"Usage event","lines":[131,132],"resource":"UsageEvent","seen":{"needs":["tool.charged"]}},
  {"area":"usage","id":"USAG-19","level":"must","text":"The two names of the requested amount, where both stand, hold equal values, and so do those of the settled amount.","source":"Usage event","lines":[131,132],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-20","level":"must","text":"The settled amount of an event is never negative.","source":"Usage event","lines":[132],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-21","level":"must","text":"The event of a charged Call carries `credits_ledger_entry_id`.","source":"Usage event","lines":[133,357],"resource":"UsageEvent","seen":{"needs":["tool.charged"]}},
  {"area":"usage","id":"USAG-22","level":"must","text":"An event without a balance movement carries no `credits_ledger_entry_id`, or null.","source":"Usage event","lines":[133],"resource":"UsageEvent","seen":{"needs":["tool.provider_error"]}},
  {"area":"usage","id":"USAG-23","level":"must","text":"`credits_ledger_entry_id` is the id of a ledger entry that can be read.","source":"Usage event","lines":[133],"resource":"UsageEvent","seen":{"needs":["tool.charged"]}},
  {"area":"usage","id":"USAG-24","level":"must","text":"`created_at` of an event is an ISO 8601 timestamp.","source":"Usage event","lines":[135],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-25","level":"should","text":"`created_at` of an event lies between the sending of its request and the receipt of its answer, give or take the clocks' difference.","source":"Usage event","lines":[135],"resource":"UsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-26","level":"must","text":"A usage event of the own account is read by its `id` with 200 and agrees with the list.","source":"Usage event, by id","lines":[226,310],"operation":"getUsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-27","level":"must","text":"An `event_id` that is no UUID is refused with 422.","source":"Usage event, by id","lines":[310],"operation":"getUsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-28","level":"must","text":"An `event_id` that no event has is not answered with success.","source":"Usage event, by id","lines":[310],"operation":"getUsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-29","level":"must","text":"An event of another account is not answered with success.","source":"Usage event, by id","lines":[310,23],"operation":"getUsageEvent","seen":"blackbox"},
  {"area":"usage","id":"USAG-30","level":"must","text":"The data holds `items` as an array and `total`, `page` and `page_size` as integers, the page being the one that was asked for.","source":"Usage list","lines":[165],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-31","level":"must","text":"`items` are in reverse chronological order.","source":"Usage list","lines":[165],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-32","level":"must","text":"`total` is an integer: the number of events that match, whatever the page.","source":"Usage list","lines":[165],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-33","level":"must","text":"`items` never hold more than the effective `page_size`.","source":"Usage list","lines":[165],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-34","level":"must","text":"`summary` is an object when `summary=true`, else null.","source":"Usage list","lines":[165,338],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-35","level":"must","text":"The list holds events of the own account alone.","source":"Usage list","lines":[23,307],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-36","level":"must","text":"A `page` or `limit` that is below 1 or no integer is refused with 422.","source":"Usage list","lines":[335,340,439],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-37","level":"must","text":"The pages of a query, taken together, hold every matching event exactly once.","source":"Usage list","lines":[335,165],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-38","level":"must","text":"Without `page_size` and `limit` the effective `page_size` is 50.","source":"Usage list","lines":[336,436],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-39","level":"must","text":"A `page_size` of 50000 is accepted.","source":"Usage list","lines":[336,436],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-40","level":"must","text":"A `page_size` below 1 or above 50000 is refused with 422.","source":"Usage list","lines":[336,436],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-41","level":"must","text":"`page_size` decides the number of items when `limit` is absent.","source":"Usage list","lines":[336],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-42","level":"must","text":"`limit` overrides `page_size`.","source":"Usage list","lines":[165,340,439],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-43","level":"must","text":"Whatever `limit` is asked for, the effective size is at most 50, unless the request is refused.","source":"Usage list","lines":[165,340,439],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-44","level":"must","text":"With `include_details=true` the event of a Call carries `request_payload` and `response_payload_summary`.","source":"Usage list","lines":[125,337],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-45","level":"must","text":"Without `include_details`, or with false, list items carry no `request_payload` and no `response_payload_summary`, or null.","source":"Usage list","lines":[125,337],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-46","level":"must","text":"`start_date` as a YYYY-MM-DD date leaves out the events before that day.","source":"Usage audit query parameters","lines":[319],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-47","level":"must","text":"`start_date` as an ISO 8601 datetime leaves out the events before that instant, and no other.","source":"Usage audit query parameters","lines":[319],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-48","level":"must","text":"`end_date` as an ISO 8601 datetime leaves out the events after that instant, and none before it.","source":"Usage audit query parameters","lines":[320],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-49","level":"must","text":"`end_date` as a date alone keeps the events up to the end of that day.","source":"Usage audit query parameters","lines":[320],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-50","level":"must","text":"A datetime with a zone offset means the same instant as its UTC form.","source":"Usage audit query parameters","lines":[319,320],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-51","level":"must","text":"A `start_date` or `end_date` of an invalid format is refused with 400 and -7.","source":"Usage audit query parameters","lines":[319,399,320],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-52","level":"must","text":"`event_type` selects exactly the events of that type.","source":"Usage audit query parameters","lines":[321],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-53","level":"must","text":"An `event_type`, `kind`, `charge_outcome` or `anomaly` outside its listed values is refused or selects nothing.","source":"Usage audit query parameters","lines":[321,322,328,329],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-54","level":"must","text":"`kind` selects exactly the events of its types: discover, call and model.","source":"Usage audit query parameters","lines":[322],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-55","level":"must","text":"`success` selects exactly the events with that recorded success.","source":"Usage audit query parameters","lines":[323],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-56","level":"must","text":"A boolean parameter that holds no boolean is refused with 422.","source":"Usage audit query parameters","lines":[323,337,338,324,327],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-57","level":"must","text":"No event is selected both by `billable_success=true` and by `billable_success=false`.","source":"Usage audit query parameters","lines":[324],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-58","level":"should","text":"`billable_success=true` selects no event with a failed charge outcome, and false none that is charged or included.","source":"Usage audit query parameters","lines":[324,"141-144"],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-59","level":"must","text":"`outcome` selects exactly the events whose `execution_outcome.outcome` has that value.","source":"Usage audit query parameters","lines":[325],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-60","level":"must","text":"`reason_code` selects exactly the events with that outcome reason.","source":"Usage audit query parameters","lines":[326],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-61","level":"must","text":"`has_execution_outcome` selects exactly the events with, or without, a structured outcome.","source":"Usage audit query parameters","lines":[327],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-62","level":"must","text":"`charge_outcome` selects exactly the events with that charge outcome.","source":"Usage audit query parameters","lines":[17,328],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-63","level":"must","text":"`anomaly=failed_charged_review` selects exactly the events with that charge outcome.","source":"Usage audit query parameters","lines":[329],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-64","level":"must","text":"`anomaly=missing_ledger_link` selects no event that carries `credits_ledger_entry_id`, and none that moved no balance.","source":"Usage audit query parameters","lines":[329],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-65","level":"must","text":"`anomaly=missing_billing_snapshot` selects no event that carries a billing snapshot.","source":"Usage audit query parameters","lines":[329],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-66","level":"must","text":"`search_id` selects exactly the events with that search id.","source":"Usage audit query parameters","lines":[330],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-67","level":"must","text":"`execution_id` selects exactly the event of that Call, and nothing where no event has it.","source":"Usage audit query parameters","lines":[330,37],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-68","level":"must","text":"An `api_key_id`, `oauth_client_id` or `credential_type` that no event has selects nothing; an unknown `credential_type` may be refused instead.","source":"Usage audit query parameters","lines":[331,369,332,333],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-69","level":"must","text":"`api_key_id` selects exactly the events of that key.","source":"Usage audit query parameters","lines":[331,369],"operation":"listUsage","seen":{"needs":["second_key"]}},
  {"area":"usage","id":"USAG-70","level":"must","text":"An `api_key_id` that is no UUID is refused with 422.","source":"Usage audit query parameters","lines":[331],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-71","level":"must","text":"An `oauth_client_id` of 2048 characters is accepted, a longer one refused with 422.","source":"Usage audit query parameters","lines":[332],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-72","level":"must","text":"A `credential_type` of more than 32 characters is refused with 422.","source":"Usage audit query parameters","lines":[333],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-73","level":"must","text":"`min_credits` leaves out exactly the events of a smaller amount, and `max_credits` those of a greater one.","source":"Usage audit query parameters","lines":[334],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-74","level":"must","text":"A `min_credits` or `max_credits` below 0 is refused with 400 and -7.","source":"Usage audit query parameters","lines":[334,399],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-75","level":"must","text":"A `min_credits` greater than `max_credits` is refused with 400 and -7.","source":"Usage audit query parameters","lines":[399],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-76","level":"must","text":"A `bucket` outside hour, day and week is refused with 400 and -7.","source":"Usage audit query parameters","lines":[339,399],"operation":"listUsage","seen":"blackbox"},
  {"area":"usage","id":"USAG-77","level":"must","text":"Several filters together select exactly the events that satisfy each of them.","source":"Usage audit query parameters","lines":["319-334"],"operation":"listUsage","seen":"blackbox"},
  {"area":"versioning","id":"VERS-01","level":"must","text":"A successful answer carries the header `X-Service-Api-Version` with the value 2026-09-12.1.","source":"Versioning","lines":[226,450],"operation":"all","seen":"blackbox"},
  {"area":"versioning","id":"VERS-02","level":"must","text":"A 401 answer carries the version header.","source":"Versioning","lines":[226,450],"operation":"all","seen":"blackbox"},
  {"area":"versioning","id":"VERS-03","level":"must","text":"A 422 answer carries the version header.","source":"Versioning","lines":[226,450],"operation":"all","seen":"blackbox"},
  {"area":"versioning","id":"VERS-04","level":"must","text":"A 429 answer carries the version header.","source":"Versioning","lines":[226,450],"operation":"all","seen":"blackbox"},
  {"area":"versioning","id":"VERS-05","level":"must","text":"An answer to a body that is no JSON carries the version header.","source":"Versioning","lines":[226,450],"operation":"all","seen":"blackbox"},
  {"area":"versioning","id":"VERS-06","level":"must","text":"Any other answer below the base URL carries the version header: to an unknown path or a wrong method, to a path or a body that cannot be read, and whatever its status.","source":"Versioning","lines":[226,450],"operation":"all","seen":"blackbox"},
  {"area":"versioning","id":"VERS-07","level":"must","text":"A 400 answer carries the version header.","source":"Versioning","lines":[226,450],"operation":["listUsage","listLedger"],"seen":"blackbox"},
  {"area":"versioning","id":"VERS-08","level":"must","text":"A 402 answer carries the version header.","source":"Versioning","lines":[226,450],"operation":"call","seen":{"needs":["exhausted"]}},
  {"area":"versioning","id":"VERS-09","level":"must","text":"A 404 answer carries the version header.","source":"Versioning","lines":[226,450],"operation":"probe","seen":"blackbox"},
  {"area":"versioning","id":"VERS-10","level":"must","text":"A CSV answer carries the version header.","source":"Versioning","lines":[226,450],"operation":["exportUsage","exportLedger"],"seen":"blackbox"},
  {"area":"versioning","id":"VERS-11","level":"must","text":"The description is OpenAPI 3.1 in JSON and YAML, at stable addresses and at addresses that name the version.","source":"Versioning","lines":[451],"operation":"all","seen":{"not_observable":"the contract names no address of the description"}},
  {"area":"versioning","id":"VERS-12","level":"must","text":"The description holds released operations only.","source":"Versioning","lines":[451,452],"operation":"all","seen":{"not_observable":"which operations are unreleased cannot be known from outside"}},
  {"area":"versioning","id":"VERS-13","level":"must","text":"The default `respond_with` and the default `view` are byte-identical to earlier releases.","source":"Versioning","lines":[454],"operation":["call","discover"],"seen":{"not_observable":"earlier releases cannot be asked any more"}},
  {"area":"versioning","id":"VERS-14","level":"must","text":"A 403 answer carries the version header.","source":"Versioning","lines":[226,450],"operation":"getCapability","seen":{"needs":["capability.detail","delegation"]}},
] as const satisfies readonly Clause[];

/** Every clause by its id. */
export const clauseById: ReadonlyMap<ClauseId, Clause> = new Map(
  clauses.map((clause: Clause) => [clause.id, clause] as const),
);
