// Written by `npm run generate` from spec/. Do not edit.

export interface paths {
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find capabilities
         * @description Ranks capabilities for a query in natural language, or finds an exact tool id. Free where the deployment does not charge Discover.
         */
        post: operations["discover"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/by-ids": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Describe capabilities
         * @description Returns the full contracts, examples, quality signals and cost signals of tools that Discover returned. Free.
         */
        post: operations["inspect"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/probe": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Validate and quote without executing
         * @description Validates candidate parameters against the tool's contract and quotes a price. Nothing is executed and no credits are consumed.
         */
        post: operations["probe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/execute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Execute a capability
         * @description Executes a tool. The tool's id stands in the query or in the body. A Call may consume credits by the capability's `billing_rule`; what it did consume is read from usage audit and from the ledger. Do not replay a paid Call whose outcome is unknown.
         */
        post: operations["call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/capabilities/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Execute a capability within a budget
         * @description Runs the best candidate of a capability whose upper-bound price provably fits `max_credits`. The contract named in the answer is the one that was executed.
         */
        post: operations["queryCapability"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/capabilities/{capability_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a capability's published contract
         * @description Returns the current published contract of a capability. Constrained delegation tokens need `run_id` and `provider_id`.
         */
        get: operations["getCapability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/anonymous-register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open an anonymous trial
         * @description Gives an agent a trial without a verified e-mail: an API key, shown this once, trial credits and a claim code. The trial is valid for 7 days.
         */
        post: operations["registerAnonymous"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/claim": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start to claim a trial
         * @description Sends a code of six digits to the e-mail address that the trial is to be bound to. A risk check may block the claim; an address of a formal account is refused.
         */
        post: operations["startClaim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/agent/claim-verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a claim
         * @description Makes the trial a formal account once the mailed code is correct. The trial's API key stays active.
         */
        post: operations["verifyClaim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/credits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the credit balance
         * @description Current credit detail of each category and the remaining total. Accepts an API key or a JWT.
         */
        get: operations["getCredits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/credits/ledger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Query the credits ledger
         * @description Final signed balance movements, newest first. With `summary=true` the answer also carries aggregates and samples of what the filters select.
         */
        get: operations["listLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/credits/ledger/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the credits ledger
         * @description The ledger entries of the window as CSV.
         */
        get: operations["exportLedger"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/credits/ledger/{entry_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one ledger entry
         * @description One entry of the account's own ledger.
         */
        get: operations["getLedgerEntry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/credits/ledger-readiness": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the readiness of the ledger
         * @description Whether account history can safely use the ledger.
         */
        get: operations["getLedgerReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/account/settlement-history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Page through settlements
         * @description A lightweight settlement feed, newest first, paged by a cursor.
         */
        get: operations["listSettlements"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/usage/credits-spent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the credits spent
         * @description Total credits spent in the window, as a single aggregate without paging.
         */
        get: operations["getCreditsSpent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/usage/history/v2": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Query the usage audit
         * @description Final request status and charge outcome of each event, newest first. `include_details=true` adds the full audit detail to the items; `summary=true` adds aggregates and samples of what the filters select.
         */
        get: operations["listUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/usage/history/v2/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the usage audit
         * @description The usage events that the filters select, as CSV.
         */
        get: operations["exportUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/usage/history/v2/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Page through usage events
         * @description A lightweight events feed, newest first, paged by a cursor.
         */
        get: operations["listUsageFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/usage/history/v2/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one usage event
         * @description One event of the account's own usage audit, with its full detail.
         */
        get: operations["getUsageEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/verify-token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a token
         * @description Says whether the JWT in `Authorization` is valid and has not expired.
         */
        post: operations["verifyToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The envelope of the account, audit, ledger and agent-lifecycle endpoints. */
        APIResponse: {
            /** @description Whether the request was carried out. */
            status: components["schemas"]["EnvelopeStatus"];
            /** @description Text for a human reader. */
            message: string;
            /** @description A stable key for the message, where the server has one. */
            message_key?: string | null;
            /** @description 0 on success, negative on a validation failure, -7 for an invalid audit or ledger query. */
            status_code?: number;
            /** @description The payload. Null on failure. */
            data?: Record<string, unknown> | null;
        };
        /**
         * @description An irregularity of an event: a failed request that was charged, a settled amount without a ledger entry, or no billing snapshot.
         * @enum {string}
         */
        Anomaly: "failed_charged_review" | "missing_ledger_link" | "missing_billing_snapshot";
        /** @description Who registers. */
        AnonymousRegisterRequest: {
            agent_name?: string & unknown;
        };
        /** @description A trial was opened. */
        AnonymousRegisterResponse: {
            data: components["schemas"]["TrialAccount"];
        } & WithRequired<components["schemas"]["SuccessEnvelope"], "data">;
        /** @description The API key that an event is attributed to, never in full. */
        ApiKeyAttribution: {
            /** Format: uuid */
            id: string;
            name: string | null;
            /** @description The key with all but its ends hidden. */
            masked_value: string;
        };
        /** @description The account's balance at one side of a movement. */
        Balance: {
            /** @description Credits that the account could spend. */
            total_available_credits?: number;
        };
        /** @description The structured cost signal of a tool. */
        BillingRule: {
            /** @description What is counted, e.g. `request`. */
            unit?: string;
            /** @description Price of one unit, in credits. */
            amount_credits?: number;
        } & {
            [key: string]: unknown;
        };
        /** @description The billing rule as it stood at request time. Its fields are those of the tool's own rule. */
        BillingRuleSnapshot: {
            /** @description What is billed. */
            unit?: string;
            /** @description Credits for one unit. */
            amount_credits?: number;
        } & {
            [key: string]: unknown;
        };
        /** @description The compact statement before settlement. The final charge stands in usage audit and in the ledger. */
        BillingStatement: {
            summary: string;
            list_amount_credits: number;
        };
        /**
         * @description Width of the buckets of a summary.
         * @enum {string}
         */
        Bucket: "hour" | "day" | "week";
        /** @description Start of a bucket, a date alone or a moment. The contract gives it no form; the reference writes a moment in UTC. */
        BucketStart: ((string) | (number & string)) & string;
        /** @description An execution that did not succeed. `success` alone does not decide the charge. */
        CallFailure: {
            /** @description Unique id of this execution, where there was one. */
            execution_id?: string;
            /** @constant */
            success: false;
            error_message: string;
            result?: Record<string, unknown> | null;
            /** @description Seconds; a legacy field. */
            execution_time?: number;
            /** @description Milliseconds, when available. */
            elapsed_time_ms?: number;
            billing?: components["schemas"]["BillingStatement"];
            /** @description Legacy cost signal before settlement, in credits. */
            cost?: number;
            remaining_credits?: number | null;
        };
        /** @description The Call response of an account whose credits do not suffice. */
        CallInsufficientCredits: {
            execution_id?: string;
            /** @constant */
            success: false;
            error_message: string;
            result?: Record<string, unknown> | null;
            execution_time?: number;
            elapsed_time_ms?: number;
            billing?: components["schemas"]["BillingStatement"];
            cost?: number;
            /** @constant */
            remaining_credits: 0;
        };
        /** @description The Call response of invalid parameters or an invalid projection, with details for each field. */
        CallInvalid: {
            execution_id?: string;
            /** @constant */
            success: false;
            error_message: string;
            details?: components["schemas"]["ValidationIssue"][];
            result?: Record<string, unknown> | null;
            execution_time?: number;
            elapsed_time_ms?: number;
            billing?: components["schemas"]["BillingStatement"];
            cost?: number;
            remaining_credits?: number | null;
        };
        /** @description The tool's payload in full. */
        CallResult: {
            /** @description Any JSON value. */
            data: unknown;
            /** @description The HTTP status of the provider. */
            status_code?: number;
        };
        /** @description A successful execution. Projections leave out what they do not name. */
        CallSuccess: {
            /** @description Unique id of this execution. */
            execution_id: string;
            /** @constant */
            success: true;
            result: components["schemas"]["CallResult"] | components["schemas"]["TruncatedCallResult"] | components["schemas"]["SummarizedCallResult"] | components["schemas"]["ProjectedCallResult"];
            error_message?: string | null;
            /** @description Seconds; a legacy field. */
            execution_time?: number;
            /** @description Milliseconds, when available. */
            elapsed_time_ms?: number;
            billing?: components["schemas"]["BillingStatement"];
            /** @description Legacy cost signal before settlement, in credits. */
            cost?: number;
            remaining_credits?: number | null;
        };
        /** @description A capability as Discover and Inspect return it. */
        CapabilityResult: {
            /** @description Unique id, used by Inspect, Probe and Call. */
            tool_id: string;
            name: string;
            description: string;
            provider_name: string;
            /** @description The tool's parameter contract. Empty means a tool without parameters; absent means that Inspect must be asked. */
            params?: components["schemas"]["ParameterDefinition"][];
            examples?: components["schemas"]["ParameterExamples"];
            /** @description The cost signal for a human reader. */
            expected_cost?: string;
            billing_rule?: components["schemas"]["BillingRule"];
            /** @description Legacy cost signal, in credits. */
            cost?: number;
            stats?: components["schemas"]["CapabilityStats"];
            input_summary?: components["schemas"]["ParameterDefinition"][];
            /** @description What the tool answers, or `Not available`. */
            output_summary?: string;
            billing_amount_credits?: number;
            /** @description How fresh the tool's data are, or `Not available`. */
            freshness?: string;
            /** @description How the tool was verified, or `Not available`. */
            verification?: string;
        };
        /** @description Quality signals from the tool's past executions. */
        CapabilityStats: {
            /** @description Historical average execution time, in milliseconds. */
            avg_execution_time_ms?: number;
            /** @description Historical share of successful executions. */
            success_rate?: number;
        };
        /**
         * @description Final charge classification. `charged`: effective success, amount above zero. `included`: effective success, amount zero. `failed_not_charged`: no effective success, amount zero. `failed_charged_review`: no effective success, amount above zero, a case for support.
         * @enum {string}
         */
        ChargeOutcome: "charged" | "included" | "failed_not_charged" | "failed_charged_review";
        /** @description Number of events for each charge outcome. */
        ChargeOutcomeCounts: {
            charged: number;
            included: number;
            failed_not_charged: number;
            failed_charged_review: number;
        };
        /** @description A risk check keeps the claim from going on. No mail is sent. */
        ClaimBlocked: {
            /** @constant */
            claim_status: "blocked";
            reason: string;
        };
        /** @description The trial to claim, and the e-mail address to bind it to. */
        ClaimStartRequest: {
            claim_code: string & unknown;
            /** Format: email */
            email: string & unknown;
        };
        /** @description A claim was started, or blocked by a risk check. */
        ClaimStartResponse: {
            data: components["schemas"]["ClaimStarted"] | components["schemas"]["ClaimBlocked"];
        } & WithRequired<components["schemas"]["SuccessEnvelope"], "data">;
        /** @description A code of six digits is on its way. */
        ClaimStarted: {
            /** @constant */
            claim_status: "code_sent";
            email_masked: string;
            /** Format: date-time */
            code_expires_at: string;
        };
        /** @description The code that was mailed, with the claim that it belongs to. */
        ClaimVerifyRequest: {
            claim_code: string & unknown;
            email: string & unknown;
            /** @description The six digits sent by e-mail. */
            code: string;
        };
        /** @description The trial is a formal account. */
        ClaimVerifyResponse: {
            data: components["schemas"]["ClaimedAccount"];
        } & WithRequired<components["schemas"]["SuccessEnvelope"], "data">;
        /** @description The formal account. The trial's key stays active. */
        ClaimedAccount: {
            account_id: string;
            /** @constant */
            account_type: "local";
            email: string;
        };
        /** @description Credits of one category. The contract does not show its fields. */
        CreditBucket: {
            /** @description Credits left. */
            remaining: number;
            /** @description Credits ever granted in this category. */
            total: number;
        };
        /** @description The credits of each category and the remaining total. The contract does not show the names of its fields. */
        Credits: {
            /** @description Remaining total. */
            remaining_credits: number;
            /** @description Credits given anew each day. */
            daily_free: components["schemas"]["CreditBucket"];
            /** @description Credits earned by invitations. */
            invite_reward: components["schemas"]["CreditBucket"];
            /** @description Credits bought. */
            purchased: components["schemas"]["CreditBucket"];
            /** @description Credits given at registration. */
            welcome_bonus: components["schemas"]["WelcomeBonus"];
        };
        /** @description The credit balance. */
        CreditsResponse: {
            data: components["schemas"]["Credits"];
        } & WithRequired<components["schemas"]["SuccessEnvelope"], "data">;
        /** @description Credits spent in the window, as one aggregate. The contract does not show the names of its fields. */
        CreditsSpent: {
            /** @description Credits spent. */
            total_credits: number;
            /** @description Start of the window; null when it is unbounded. */
            start_date: components["schemas"]["Timestamp"] | null;
            /** @description End of the window; null when it is unbounded. */
            end_date: components["schemas"]["Timestamp"] | null;
        };
        /** @description Credits spent. */
        CreditsSpentResponse: {
            data: components["schemas"]["CreditsSpent"];
        } & WithRequired<components["schemas"]["SuccessEnvelope"], "data">;
        /** @description The Discover body of an invalid key. The reference adds the fields of the error object. */
        DiscoverFailure: {
            /** @description A marker that says that the search failed. */
            search_id: string;
            /** @constant */
            total: 0;
            results: unknown[];
            error_message?: string | null;
            remaining_credits?: number | null;
            /** @constant */
            status?: "failure";
            message?: string;
            status_code?: number;
            data?: null;
        };
        /** @description The Discover body where the credits do not suffice. The reference adds the fields of the error object. */
        DiscoverInsufficientCredits: {
            /** @description A marker that says that the search failed. */
            search_id: string;
            /** @constant */
            total: 0;
            results: unknown[];
            error_message: string;
            /** @constant */
            remaining_credits: 0;
            /** @constant */
            status?: "failure";
            message?: string;
            status_code?: number;
            data?: null;
        };
        /** @description What Discover looks for. */
        DiscoverRequest: {
            /** @description A capability in natural language, or an exact tool id, which is found deterministically. */
            query: string & unknown;
            /**
             * @description Largest number of results.
             * @default 20
             */
            limit: number;
            /** @description One stable id for the user's task or conversation; tracking and pricing context. */
            session_id?: ((string & unknown) | null) & unknown;
            /**
             * @description `routing` asks for compact cards, `full` for the complete shape.
             * @default full
             */
            view: components["schemas"]["DiscoverView"];
            /** @description Language of the texts. Without it Accept-Language is negotiated. */
            lang?: components["schemas"]["Language"];
        };
        /** @description Ranked capabilities. */
        DiscoverResponse: {
            /** @description The query that was asked. */
            query?: string;
            /** @description Id of this search, to be sent along with Inspect and Call. */
            search_id: string;
            /** @description Number of results. */
            total: number;
            results: (components["schemas"]["CapabilityResult"] | components["schemas"]["RoutingCard"])[];
            elapsed_time_ms?: number;
            remaining_credits: number | null;
            error_message?: string | null;
        };
        /**
         * @description Shape of the capabilities that Discover returns.
         * @enum {string}
         */
        DiscoverView: "routing" | "full";
        /**
         * @description Immutable ledger event type. `consume_tool_search` occurs only where a deployment charges Discover.
         * @enum {string}
         */
        EntryType: "grant_payment_recharge" | "grant_welcome_bonus" | "grant_invitation_reward" | "consume_tool_search" | "consume_tool_execute" | "consume_model_call" | "consume_payment_refund";
        /**
         * @description Whether the request was carried out.
         * @enum {string}
         */
        EnvelopeStatus: "success" | "failure";
        /**
         * @description What was requested: `search` (Discover), `search_by_ids` (Inspect), `tool_execute` or `capabilities_query` (Call), `model_call` (model usage).
         * @enum {string}
         */
        EventType: "search" | "search_by_ids" | "tool_execute" | "capabilities_query" | "model_call";
        /** @description Structured outcome of the provider or of its result. */
        ExecutionOutcome: {
            /** @description The outcome that the `outcome` filter selects by. */
            outcome?: string;
            /** @description Why the outcome is what it is. */
            reason_code?: string;
            /** @description The outcome in words. */
            message?: string | null;
        } & {
            [key: string]: unknown;
        };
        /** @description The envelope of a request that was refused. */
        FailureEnvelope: {
            /** @constant */
            status: "failure";
            message: string;
            message_key?: string | null;
            status_code?: number;
            data?: null;
        };
        /** @description A request that does not have the form that the operation asks for. */
        HTTPValidationError: {
            /** @description One entry for each thing that is wrong. */
            detail: components["schemas"]["ValidationIssue"][];
        };
        /** @description The Inspect body of a timeout or of an unexpected failure on the way. */
        InspectFailure: {
            /** @description What failed. */
            error: string;
            remaining_credits: number;
        };
        /** @description The tools to describe. */
        InspectRequest: {
            /** @description Ids that Discover returned. */
            tool_ids: (string & unknown)[] & unknown;
            /** @description The search that returned them. */
            search_id?: ((string & unknown) | null) & unknown;
            /** @description One stable id for the user's task or conversation. */
            session_id?: ((string & unknown) | null) & unknown;
            /**
             * @description `lean` trims the metadata of each capability, `full` returns everything.
             * @default full
             */
            view: components["schemas"]["InspectView"];
        };
        /** @description Capabilities with their full contracts. */
        InspectResponse: {
            search_id: string;
            total: number;
            results: (components["schemas"]["InspectedCapability"] | components["schemas"]["LeanCapability"])[];
            /** @description Present when available. */
            elapsed_time_ms?: number;
            remaining_credits: number | null;
            error_message?: string | null;
        };
        /**
         * @description Shape of the capabilities that Inspect returns.
         * @enum {string}
         */
        InspectView: "lean" | "full";
        /** @description A capability as Inspect returns it, with its parameter contract. */
        InspectedCapability: WithRequired<components["schemas"]["CapabilityResult"], "params">;
        /** @description The envelope of an audit or ledger query that cannot be answered as it was put. */
        InvalidQueryError: {
            /** @constant */
            status: "failure";
            /** @description Names the parameter at fault and the forms that it accepts. */
            message: string;
            message_key?: string | null;
            /** @constant */
            status_code: -7;
            data: null;
        };
        /**
         * @description Language of texts.
         * @enum {string}
         */
        Language: "zh" | "en";
        /** @description A capability without its metadata, as Inspect returns it for `view=lean`. Which metadata goes is the server's choice. */
        LeanCapability: {
            /** @description Unique id, used by Inspect, Probe and Call. */
            tool_id: string;
            name?: string;
            params?: components["schemas"]["ParameterDefinition"][];
            expected_cost?: string;
            billing_rule?: components["schemas"]["BillingRule"];
        };
        /** @description Aggregates over one stretch of the window. */
        LedgerBucket: {
            /** @description Start of the bucket. */
            bucket_start: components["schemas"]["BucketStart"];
            /** @description Entries. */
            entry_count: number;
            /** @description Negative movements. */
            consume_count: number;
            /** @description Positive movements. */
            grant_count: number;
            /** @description Absolute total of the credits consumed. */
            consumed_credits: ((number) | (string & number)) & number;
            /** @description Absolute total of the credits granted. */
            granted_credits: ((number) | (string & number)) & number;
            /** @description Signed net of all movements. */
            net_amount_credits: ((number) | (string & number)) & number;
        };
        /** @description One immutable, signed movement of the account's credits. */
        LedgerEntry: {
            /** @description Ledger entry id. */
            id: ((string) | (number & string)) & string;
            entry_type: components["schemas"]["EntryType"];
            /** @description Signed movement; negative consumes credits, positive grants credits. */
            amount_credits: number;
            /** @description System that the entry comes from. */
            source_system?: string | null;
            /** @description Kind of thing that source_ref_id names. */
            source_ref_type?: string | null;
            /** @description Id of what the entry comes from. */
            source_ref_id?: string | null;
            /** @description Call execution, for Call rows when available. */
            execution_id?: string | null;
            /** @description Billing snapshot before settlement. */
            pre_settlement_bill?: components["schemas"]["PreSettlementBill"] | null;
            /** @description Final settlement. */
            settlement_result?: components["schemas"]["SettlementResult"] | null;
            /** @description Balance before the movement, when available. */
            balance_before?: components["schemas"]["Balance"] | null;
            /** @description Balance after the movement, when available. */
            balance_after?: components["schemas"]["Balance"] | null;
            /** @description Additional audit metadata. */
            ledger_metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description Human-readable text. */
            description?: string | null;
            /** @description When the entry was written. The contract gives it no form. */
            created_at: ((string & components["schemas"]["Timestamp"]) | (number & components["schemas"]["Timestamp"])) & components["schemas"]["Timestamp"];
        };
        /** @description One ledger entry. */
        LedgerEntryResponse: {
            data: components["schemas"]["LedgerEntry"];
        } & WithRequired<components["schemas"]["SuccessEnvelope"], "data">;
        /** @description One page of the credits ledger, newest first. */
        LedgerList: {
            /** @description Rows of the page, in reverse chronological order. */
            items: components["schemas"]["LedgerEntry"][];
            /** @description Rows that match the filters. */
            total: number;
            /** @description Number of this page. */
            page: number;
            /** @description Effective size of a page; `limit` overrides it and is capped at 50. */
            page_size: number;
            /** @description An object only when `summary=true`, else null. */
            summary: components["schemas"]["LedgerSummary"] | null;
        };
        /** @description A page of the credits ledger. */
        LedgerListResponse: {
            data: components["schemas"]["LedgerList"];
        } & WithRequired<components["schemas"]["SuccessEnvelope"], "data">;
        /** @description Whether account history can safely use the ledger. The contract does not show its fields. */
        LedgerReadiness: {
            /** @description When the comparison was made. */
            checked_at: components["schemas"]["Timestamp"];
            /** @description Start of the window; null when it is unbounded. */
            start_date: components["schemas"]["Timestamp"] | null;
            /** @description End of the window; null when it is unbounded. */
            end_date: components["schemas"]["Timestamp"] | null;
            /** @description Preset group that was compared. */
            scope: string;
            /** @description Where account history should be read from. */
            recommended_read_mode: string;
            /** @description Whether the ledger agrees with the legacy records. */
            ready: boolean;
            /** @description Legacy records. */
            legacy_total_count: number;
            /** @description Sum of the legacy records. */
            legacy_total_amount_credits: number;
            /** @description Ledger entries. */
            ledger_total_count: number;
            /** @description Sum of the ledger entries. */
            ledger_total_amount_credits: number;
            /** @description The comparison for each type of record. */
            entities: components["schemas"]["LedgerReadinessEntity"][];
        };
        /** @description One type of record, in the legacy records and in the ledger. The contract does not show its fields. */
        LedgerReadinessEntity: {
            /** @description Type of record. */
            entity_type: string;
            /** @description Legacy records. */
            legacy_count: number;
            /** @description Sum of the legacy records. */
            legacy_amount_credits: number;
            /** @description Ledger entries. */
            ledger_count: number;
            /** @description Sum of the ledger entries. */
            ledger_amount_credits: number;
            /** @description Legacy records without an entry. */
            missing_count: number;
            /** @description Entries without a legacy record. */
            extra_count: number;
            /** @description Difference of the two sums. */
            amount_delta_credits: number;
            /** @description Whether both sides agree. */
            ready: boolean;
        };
        /** @description The readiness of the ledger. */
        LedgerReadinessResponse: {
            data: components["schemas"]["LedgerReadiness"];
        } & WithRequired<components["schemas"]["SuccessEnvelope"], "data">;
        /**
         * @description A preset group of entry types.
         * @enum {string}
         */
        LedgerScope: "account_history";
        /** @description Aggregates over the ledger entries that match the filters in the window. */
        LedgerSummary: {
            /** @description Start of the window. */
            start_date: components["schemas"]["Timestamp"];
            /** @description End of the window. */
            end_date: components["schemas"]["Timestamp"];
            bucket: components["schemas"]["Bucket"];
            /** @description Entries. */
            total_entries: number;
            /** @description Negative movements. */
            consume_count: number;
            /** @description Positive movements. */
            grant_count: number;
            /** @description Absolute total of the credits consumed. */
            consumed_credits: ((number) | (string & number)) & number;
            /** @description Absolute total of the credits granted. */
            granted_credits: ((number) | (string & number)) & number;
            /** @description Signed net of all movements. */
            net_amount_credits: ((number) | (string & number)) & number;
            /** @description Entries of the largest absolute movements, at most `limit` (10 without it). */
            max_amount_items: components["schemas"]["LedgerEntry"][];
            /** @description The window cut into buckets, oldest first. The reference returns those that hold something. */
            buckets: components["schemas"]["LedgerBucket"][];
        };
        /**
         * @description How much a Probe may ask upstream. No value executes anything there.
         * @enum {string}
         */
        LiveBudget: "none" | "metadata" | "sampled";
        /** @description One parameter of a tool. */
        ParameterDefinition: {
            name?: string;
            /** @description JSON type of the value, e.g. `string`. */
            type?: string;
            required?: boolean;
            description?: string;
            /** @description The values that are accepted. */
            enum?: unknown[];
            /** @description Label of a one-of group; at least one member of the group must be given. */
            one_of_required?: string;
            /** @description The value that is used where none is given. */
            default?: unknown;
            /** @description A format in the sense of JSON Schema, e.g. `date`. */
            format?: string;
            pattern?: string;
            minimum?: number;
            maximum?: number;
        };
        /** @description Examples of parameters. */
        ParameterExamples: {
            /** @description A starter shape only. Required, enum and one-of constraints hold; replace the values by the request's own. */
            sample_parameters?: Record<string, unknown>;
        };
        /** @description The statement before discounts and no-charge rules. It does not decide the final charge. */
        PreSettlementBill: {
            /** @description The statement in words. */
            summary?: string;
            /** @description List price of the request. */
            list_amount_credits?: number;
            /** @description Credits asked for before settlement. */
            requested_amount_credits?: number;
            /** @description What is counted. */
            unit?: string;
            /** @description How many units were counted. */
            quantity?: number;
            /** @description List price of one unit. */
            unit_price_credits?: number;
        } & {
            [key: string]: unknown;
        };
        /**
         * @description What a Probe can find out.
         * @enum {string}
         */
        ProbeCheck: "schema" | "quote" | "coverage" | "sample";
        /** @description A quote before the call. It is no spending cap, no price reservation and no authorization. */
        ProbeQuote: {
            /** @description The estimate; null where none can be given. */
            estimate_credits?: number | null;
            /** @constant */
            currency: "credits";
            /** @description Whether the estimate is the price itself. */
            exact: boolean;
            /** @description What the estimate rests on, e.g. `per_call`. */
            basis: string;
            detail?: Record<string, unknown> | null;
        };
        /** @description Whether the candidate parameters keep to the tool's contract. */
        ProbeSchemaCheck: {
            valid: boolean;
            violations?: components["schemas"]["ProbeViolation"][] | null;
            note?: string;
        };
        /** @description The explicit unknown verdict of a check that is not carried out. */
        ProbeUnknownVerdict: {
            /** @constant */
            verdict: "unknown";
            reason: string;
        };
        /** @description One way in which candidate parameters break the tool's contract. */
        ProbeViolation: {
            param: string | null;
            type: string;
            message: string;
        };
        /** @description What `respond_with=fields:` leaves of a payload. Its form is the reference's choice. */
        ProjectedCallResult: {
            respond_with?: string;
            /** @description One key for each expression. */
            data?: Record<string, unknown>;
        };
        /** @description The error object. Nothing but `status` and `message` is promised. */
        PublicApiError: {
            /** @constant */
            status: "failure";
            /** @description Text for a human reader. */
            message: string;
            /** @description A number for the failure; on the core path the HTTP status. */
            status_code?: number;
            data?: null;
            /** @description A short name of the failure. */
            error?: string;
            error_message?: string | null;
            remaining_credits?: number | null;
            search_id?: string;
            execution_id?: string;
            total?: number;
            results?: Record<string, unknown>[];
        };
        /** @description The current published contract of a capability. */
        PublicCapabilityDetailResponse: {
            capability_id: string;
            name: string;
            description: string;
            /** @description Absent, with the hash, for a legacy record. */
            contract_version?: number;
            schema_hash?: string & unknown;
            remaining_credits: number;
        };
        /** @description The capability to execute, and the most that it may cost. The reference refuses unknown fields. */
        PublicCapabilityQueryRequest: {
            capability_id: string & unknown;
            parameters?: Record<string, unknown>;
            /** @description Forwarded unchanged. A candidate whose upper-bound price cannot be proven within it is excluded. */
            max_credits?: number & unknown;
            run_id?: string & unknown;
            provider_id?: string & unknown;
            session_id?: ((string & unknown) | null) & unknown;
            search_id?: ((string & unknown) | null) & unknown;
        };
        /** @description The execution of a capability. The contract that it names is the one that was executed. */
        PublicCapabilityQueryResponse: {
            execution_id: string;
            capability_id: string;
            success: boolean;
            result: {
                status_code: number;
                /** @description Any JSON value. */
                data: unknown;
            } | (Record<string, unknown> | null);
            /** @description Absent, with the hash, for a legacy record. */
            contract_version?: number;
            schema_hash?: string;
            cost: number;
            credits_used: number;
            remaining_credits: number;
        };
        /** @description What to execute. The tool's id stands here or in the query. */
        PublicExecuteToolRequest: {
            /** @description The tool, where the query does not name it. */
            tool_id?: string & unknown;
            /** @description The search that returned the tool. Recommended. */
            search_id?: ((string & unknown) | null) & unknown;
            /** @description One stable id for the user's task or conversation. Without it the server may use the execution id. */
            session_id?: ((string & unknown) | null) & unknown;
            /** @description The model that asks. Recommended for agents. No whitespace and no control characters. */
            model?: string;
            /** @description Built from the selected tool's current contract. */
            parameters: Record<string, unknown>;
            /**
             * @description Bytes before the result is truncated; -1 disables truncation.
             * @default 20480
             */
            max_response_size: number & unknown;
            /**
             * @description `full`, `summary`, or `fields:` with JSONPath expressions rooted at result.data, separated by commas, at least one of them not empty.
             * @default full
             */
            respond_with: string & unknown;
        };
        /** @description The Call response. */
        PublicExecuteToolResponse: components["schemas"]["CallSuccess"] | components["schemas"]["CallFailure"];
        /** @description What to probe. Everything is optional. */
        PublicToolProbeRequest: {
            /** @description Candidate parameters to validate. */
            parameters?: Record<string, unknown>;
            /** @description What to find out. `coverage` and `sample` answer with an unknown verdict. */
            checks?: components["schemas"]["ProbeCheck"][] & unknown;
            /** @description No value executes anything upstream; use `none` for validation only. */
            live_budget?: components["schemas"]["LiveBudget"];
        };
        /** @description One member for each check that was asked for. */
        PublicToolProbeResponse: {
            schema?: components["schemas"]["ProbeSchemaCheck"];
            quote?: components["schemas"]["ProbeQuote"];
            coverage?: components["schemas"]["ProbeUnknownVerdict"];
            sample?: components["schemas"]["ProbeUnknownVerdict"];
        };
        /** @description The error object of a rate-limited request. */
        RateLimitError: {
            /** @constant */
            status: "failure";
            /** @description Says that the rate limit was reached. */
            message: string;
            /** @constant */
            status_code: 429;
            data?: null;
        };
        /**
         * @description Normalized outcome reason, stable for automation. `x-members` names its typical charge outcomes.
         * @enum {string}
         */
        ReasonCode: "result.valid" | "result.partial_success" | "result.empty" | "provider.error" | "provider.http_error" | "provider.rate_limited" | "provider.auth_or_permission" | "transport.timeout" | "transport.no_response" | "transport.execution_failed" | "validation_error" | "tool_unavailable" | "region_restricted" | "oauth_signin_required";
        /** @description A capability as a compact card, for `view=routing`. The contract names the fields; their types are the reference's. */
        RoutingCard: {
            /** @description Unique id, used by Inspect, Probe and Call. */
            tool_id: string;
            /** @description What the tool can do, in a few words. */
            capability: string;
            /** @description Price class. */
            cost_class: "free" | "low" | "medium" | "high";
            /** @description Class of the historical success rate, `A` best. */
            reliability: "A" | "B" | "C" | "D";
            /** @description Whether the tool can answer as of a past moment. */
            as_of_support: boolean;
        };
        /** @description One page of the lightweight settlement feed. The contract does not show its fields. */
        SettlementHistory: {
            /** @description Rows of the page, newest first. */
            items: components["schemas"]["SettlementItem"][];
            /** @description The `cursor` of the next page; null at the end. */
            next_cursor: string | null;
            /** @description Whether another page follows. */
            has_more: boolean;
            /** @description Effective size of a page. */
            page_size: number;
        };
        /** @description A page of the settlement feed. */
        SettlementHistoryResponse: {
            data: components["schemas"]["SettlementHistory"];
        } & WithRequired<components["schemas"]["SuccessEnvelope"], "data">;
        /** @description One settled movement in the feed. The contract does not show its fields. */
        SettlementItem: {
            /** @description Id of the row. */
            id: string;
            /** @description Where the row was read from. */
            source: string;
            entry_type: components["schemas"]["EntryType"];
            /** @description Signed movement. */
            amount_credits: number;
            /** @description System that the row comes from. */
            source_system: string;
            created_at: components["schemas"]["Timestamp"];
            /** @description Kind of thing that source_ref_id names. */
            source_ref_type?: string | null;
            /** @description Id of what the row comes from. */
            source_ref_id?: string | null;
            /** @description Call execution. */
            execution_id?: string | null;
            /** @description Human-readable text. */
            description?: string | null;
            /** @description Name of the target, safe to show to a user. */
            display_target?: string | null;
            /** @description Billing in words, safe to show to a user. */
            billing_summary?: string | null;
            /** @description Status of the captured billing snapshot. */
            billing_snapshot_status?: string | null;
            /** @description Whether a lookup by id returns more than this item. */
            details_available?: boolean;
        };
        /** @description The final settlement. */
        SettlementResult: {
            /** @description Credits that were settled. */
            settled_amount_credits?: number;
            charge_outcome?: components["schemas"]["ChargeOutcome"];
            reason_code?: components["schemas"]["ReasonCode"];
        };
        /** @description The envelope of a request that was carried out. What `data` holds is each operation's own. */
        SuccessEnvelope: {
            /** @constant */
            status: "success";
            /** @description Text for a human reader. */
            message: string;
            /** @description A stable key for the message, where the server has one. */
            message_key?: string | null;
            /** @constant */
            status_code: 0;
            data: unknown;
        };
        /** @description What `respond_with=summary` leaves of a payload. */
        SummarizedCallResult: {
            respond_with?: string;
            /** @description Statistics of size and rows. */
            summary: {
                size_bytes?: number;
                /** @description How many rows there are, where the payload is a list of rows. */
                row_count?: number;
                fields?: string[];
            } & Record<string, unknown>;
            content_schema?: Record<string, unknown>;
            /** Format: uri */
            full_content_file_url?: string;
            message?: string;
        };
        /** @description A moment in ISO 8601. The reference writes UTC with a trailing Z; another server may write another offset. */
        Timestamp: string;
        /** @description What the server thinks of a token. */
        TokenVerification: {
            is_valid: boolean;
            is_expired: boolean;
            /** @description The claims of a valid token. */
            payload: Record<string, unknown> | null;
        };
        /** @description An anonymous trial, valid for 7 days. The key is shown this once. */
        TrialAccount: {
            /** @description The API key. It is not shown again. */
            api_key: string;
            /** @description Binds the trial to an e-mail address. */
            claim_code: string;
            agent_id: string;
            /** @description The credits of the trial. */
            trial_credits: number;
            /** Format: date-time */
            expires_at: string;
        };
        /** @description A payload that is larger than `max_response_size`. It holds no `data`. */
        TruncatedCallResult: {
            message: string;
            /** @description The first bytes of the payload. */
            truncated_content: string;
            /**
             * Format: uri
             * @description A signed URL of the whole payload. It expires, is used exactly as returned, and is not on the API's origin.
             */
            full_content_file_url: string;
            /** @description JSON schema of the whole payload, when available. */
            content_schema?: Record<string, unknown>;
            /** @description The HTTP status of the provider. */
            status_code?: number;
        };
        /** @description Aggregates over one stretch of the window. */
        UsageBucket: {
            /** @description Start of the bucket. */
            bucket_start: components["schemas"]["BucketStart"];
            total_count: number;
            success_count: number;
            failure_count: number;
            charged_count: number;
            included_count: number;
            failed_not_charged_count: number;
            failed_charged_review_count: number;
            /** @description Credits before settlement. */
            pre_settlement_credits: number;
            /** @description Settled credits. */
            settled_credits: number;
        };
        /** @description One audited request: its final status and charge. Fields that are not required are there when available; the full audit detail of a list's items comes with `include_details=true`. */
        UsageEvent: {
            /**
             * Format: uuid
             * @description Event id, for lookup by id.
             */
            id: string;
            event_type: components["schemas"]["EventType"];
            /** @description System that the event comes from. */
            source_system?: string | null;
            /** @description Kind of thing that source_ref_id names. */
            source_ref_type?: string | null;
            /** @description Id of what the event comes from. */
            source_ref_id?: string | null;
            /** @description Session that the client named. */
            session_id?: string | null;
            /** @description Search that the request belongs to. */
            search_id?: string | null;
            /** @description Execution that the request made. */
            execution_id?: string | null;
            /** @description Tool used. */
            tool_id?: string | null;
            /** @description Recorded success flag. */
            success: boolean;
            charge_outcome: components["schemas"]["ChargeOutcome"];
            reason_code: components["schemas"]["ReasonCode"];
            /** @description Error detail, when available. */
            error_message?: string | null;
            /** @description Request duration in milliseconds. */
            duration_ms?: number | null;
            /** @description Stored summary of the request, with `include_details=true`. */
            request_payload?: {
                [key: string]: unknown;
            } | null;
            /** @description Stored summary of the answer, with `include_details=true`. */
            response_payload_summary?: {
                [key: string]: unknown;
            } | null;
            /** @description Structured provider or result outcome, when available. */
            execution_outcome?: components["schemas"]["ExecutionOutcome"] | null;
            /** @description Status of the captured billing snapshot. */
            billing_snapshot_status?: string | null;
            /** @description Billing rule at request time. */
            billing_rule_snapshot?: components["schemas"]["BillingRuleSnapshot"] | null;
            /** @description Statement before final settlement. */
            pre_settlement_bill?: components["schemas"]["PreSettlementBill"] | null;
            /** @description Final settlement details. */
            settlement_result?: components["schemas"]["SettlementResult"] | null;
            /** @description Requested credits, before discounts and no-charge rules. */
            pre_settlement_amount_credits?: number | null;
            /** @description The same amount as pre_settlement_amount_credits. */
            requested_amount_credits?: number | null;
            /** @description Settled credits. */
            settled_amount_credits?: number | null;
            /** @description Effective credits, the same amount as settled_amount_credits. */
            actual_amount_credits?: number | null;
            /** @description Id of the ledger entry, when the event produced a balance movement. */
            credits_ledger_entry_id?: string | null;
            /** @description Name of the target, safe to show to a user. */
            display_target?: string | null;
            /** @description Billing in words, safe to show to a user. */
            billing_summary?: string | null;
            created_at: components["schemas"]["Timestamp"];
            kind?: components["schemas"]["UsageKind"];
            /** @description Whether the API key of the event is known. */
            api_key_attribution_status?: string | null;
            /** @description Type of the credential that made the request. */
            credential_type?: string | null;
            /** @description OAuth client that made the request. */
            oauth_client_id?: string | null;
            /** @description Model that the client named. */
            model?: string | null;
            /** @description Query of a Discover. */
            query?: string | null;
            /** @description Billing-specific success; may differ from success. */
            billable_success?: boolean | null;
            /** @description The outcome of execution_outcome. */
            outcome?: string | null;
            /** @description The outcome in words. */
            outcome_message?: string | null;
            /** @description What the billing rule counts. */
            billing_unit?: string | null;
            /** @description List price of one unit. */
            unit_price_credits?: number | null;
            /** @description Units that were counted. */
            quantity?: number | null;
            /** @description List price of the request. */
            list_amount_credits?: number | null;
            /** @description The API key that made the request, or null. */
            api_key?: components["schemas"]["ApiKeyAttribution"] | null;
        };
        /** @description One usage event. */
        UsageEventResponse: {
            data: components["schemas"]["UsageEvent"];
        } & WithRequired<components["schemas"]["SuccessEnvelope"], "data">;
        /** @description One page of the lightweight events feed. The contract does not show its fields. */
        UsageFeed: {
            /** @description Rows of the page, newest first. */
            items: components["schemas"]["UsageFeedItem"][];
            /** @description The `cursor` of the next page; null at the end. */
            next_cursor: string | null;
            /** @description Whether another page follows. */
            has_more: boolean;
            /** @description Effective size of a page. */
            page_size: number;
        };
        /** @description A usage event in the lightweight feed: without the fields that hold JSON objects. The contract does not show its fields. */
        UsageFeedItem: {
            /**
             * Format: uuid
             * @description Event id, for lookup by id.
             */
            id: string;
            event_type: components["schemas"]["EventType"];
            /** @description System that the event comes from. */
            source_system?: string | null;
            /** @description Kind of thing that source_ref_id names. */
            source_ref_type?: string | null;
            /** @description Id of what the event comes from. */
            source_ref_id?: string | null;
            /** @description Session that the client named. */
            session_id?: string | null;
            /** @description Search that the request belongs to. */
            search_id?: string | null;
            /** @description Execution that the request made. */
            execution_id?: string | null;
            /** @description Tool used. */
            tool_id?: string | null;
            /** @description Recorded success flag. */
            success: boolean;
            charge_outcome: components["schemas"]["ChargeOutcome"];
            reason_code: components["schemas"]["ReasonCode"];
            /** @description Error detail, when available. */
            error_message?: string | null;
            /** @description Request duration in milliseconds. */
            duration_ms?: number | null;
            /** @description Status of the captured billing snapshot. */
            billing_snapshot_status?: string | null;
            /** @description Requested credits, before discounts and no-charge rules. */
            pre_settlement_amount_credits?: number | null;
            /** @description The same amount as pre_settlement_amount_credits. */
            requested_amount_credits?: number | null;
            /** @description Settled credits. */
            settled_amount_credits?: number | null;
            /** @description Effective credits, the same amount as settled_amount_credits. */
            actual_amount_credits?: number | null;
            /** @description Id of the ledger entry, when the event produced a balance movement. */
            credits_ledger_entry_id?: string | null;
            /** @description Name of the target, safe to show to a user. */
            display_target?: string | null;
            /** @description Billing in words, safe to show to a user. */
            billing_summary?: string | null;
            created_at: components["schemas"]["Timestamp"];
            kind?: components["schemas"]["UsageKind"];
            /** @description Whether the API key of the event is known. */
            api_key_attribution_status?: string | null;
            /** @description Type of the credential that made the request. */
            credential_type?: string | null;
            /** @description OAuth client that made the request. */
            oauth_client_id?: string | null;
            /** @description Model that the client named. */
            model?: string | null;
            /** @description Query of a Discover. */
            query?: string | null;
            /** @description Billing-specific success; may differ from success. */
            billable_success?: boolean | null;
            /** @description The outcome of execution_outcome. */
            outcome?: string | null;
            /** @description The outcome in words. */
            outcome_message?: string | null;
            /** @description What the billing rule counts. */
            billing_unit?: string | null;
            /** @description List price of one unit. */
            unit_price_credits?: number | null;
            /** @description Units that were counted. */
            quantity?: number | null;
            /** @description List price of the request. */
            list_amount_credits?: number | null;
            /** @description Whether a lookup by id returns more than this item. */
            details_available: boolean;
        };
        /** @description A page of the usage feed. */
        UsageFeedResponse: {
            data: components["schemas"]["UsageFeed"];
        } & WithRequired<components["schemas"]["SuccessEnvelope"], "data">;
        /**
         * @description A group of event types.
         * @enum {string}
         */
        UsageKind: "discover" | "call" | "model";
        /** @description One page of the usage audit, newest first. */
        UsageList: {
            /** @description Rows of the page, in reverse chronological order. */
            items: components["schemas"]["UsageEvent"][];
            /** @description Rows that match the filters. */
            total: number;
            /** @description Number of this page. */
            page: number;
            /** @description Effective size of a page; `limit` overrides it and is capped at 50. */
            page_size: number;
            /** @description An object only when `summary=true`, else null. */
            summary: components["schemas"]["UsageSummary"] | null;
        };
        /** @description A page of the usage audit. */
        UsageListResponse: {
            data: components["schemas"]["UsageList"];
        } & WithRequired<components["schemas"]["SuccessEnvelope"], "data">;
        /** @description Aggregates over the usage events that match the filters in the window. */
        UsageSummary: {
            /** @description Start of the window. */
            start_date: components["schemas"]["Timestamp"];
            /** @description End of the window. */
            end_date: components["schemas"]["Timestamp"];
            bucket: components["schemas"]["Bucket"];
            /** @description Events. */
            total_count: number;
            /** @description Events with success. */
            success_count: number;
            /** @description Events without success. */
            failure_count: number;
            charge_outcome_counts: components["schemas"]["ChargeOutcomeCounts"];
            /** @description Credits before settlement. */
            pre_settlement_credits: number;
            /** @description Settled credits. */
            settled_credits: number;
            /** @description Events of the largest charges, at most `limit` (10 without it). */
            max_charge_items: components["schemas"]["UsageEvent"][];
            /** @description The window cut into buckets, oldest first. The reference returns those that hold something. */
            buckets: components["schemas"]["UsageBucket"][];
        };
        /** @description One thing that is wrong with a request. Its fields are the reference's choice. */
        ValidationIssue: {
            /** @description Where it is wrong, from the outside in, e.g. `body`, `parameters`, `city`. */
            loc: (string | number)[];
            /** @description What is wrong, and what would be right. */
            msg: string;
            /** @description The kind of fault, stable for automation. */
            type: string;
            /** @description The value that was refused, where it can be shown. */
            input?: unknown;
            /** @description The limits that the value broke. */
            ctx?: Record<string, unknown>;
        };
        /** @description The verdict on a token. */
        VerifyTokenResponse: {
            data: components["schemas"]["TokenVerification"];
        } & WithRequired<components["schemas"]["SuccessEnvelope"], "data">;
        /** @description Credits of the welcome bonus. The contract does not show its fields. */
        WelcomeBonus: {
            /** @description Credits left. */
            remaining: number;
            /** @description Credits granted at the start. */
            initial: number;
        };
    };
    responses: {
        /** @description The request failed. The contract names the status, the error object is the reference's body. */
        Failure: {
            headers: {
                "X-Service-Api-Version": components["headers"]["ApiVersion"];
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "status": "failure",
                 *       "message": "The request could not be carried out.",
                 *       "status_code": 500,
                 *       "data": null
                 *     }
                 */
                "application/json": components["schemas"]["PublicApiError"];
            };
        };
        /** @description An audit or ledger query that cannot be answered as it was put (a date, a bucket, a range of credits or a direction). */
        InvalidQuery: {
            headers: {
                "X-Service-Api-Version": components["headers"]["ApiVersion"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "status": "failure",
                 *       "message": "start_date must be YYYY-MM-DD or an ISO 8601 datetime.",
                 *       "status_code": -7,
                 *       "data": null
                 *     }
                 */
                "application/json": components["schemas"]["InvalidQueryError"];
            };
        };
        /** @description A read whose dates or filters cannot be understood. Only the two lists promise the body. */
        InvalidRead: {
            headers: {
                "X-Service-Api-Version": components["headers"]["ApiVersion"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "status": "failure",
                 *       "message": "start_date must be YYYY-MM-DD or an ISO 8601 datetime.",
                 *       "status_code": -7,
                 *       "data": null
                 *     }
                 */
                "application/json": components["schemas"]["InvalidQueryError"];
            };
        };
        /** @description The code could not be mailed, or the server cannot serve at present. The claim can be started again later. */
        MailUnavailable: {
            headers: {
                "X-Service-Api-Version": components["headers"]["ApiVersion"];
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "status": "failure",
                 *       "message": "The code could not be mailed. Try again in a minute.",
                 *       "status_code": 503,
                 *       "data": null
                 *     }
                 */
                "application/json": components["schemas"]["PublicApiError"];
            };
        };
        /** @description Nothing of this id belongs to the account. */
        NotFoundEnvelope: {
            headers: {
                "X-Service-Api-Version": components["headers"]["ApiVersion"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "status": "failure",
                 *       "message": "No such record belongs to this account.",
                 *       "status_code": 404,
                 *       "data": null
                 *     }
                 */
                "application/json": components["schemas"]["APIResponse"];
            };
        };
        /** @description The request failed in a way that the contract does not name. */
        OpenFailure: {
            headers: {
                "X-Service-Api-Version": components["headers"]["ApiVersion"];
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "status": "failure",
                 *       "message": "The request could not be carried out.",
                 *       "status_code": 500,
                 *       "data": null
                 *     }
                 */
                "application/json": components["schemas"]["PublicApiError"];
            };
        };
        /** @description The body is larger than the server accepts. */
        PayloadTooLarge: {
            headers: {
                "X-Service-Api-Version": components["headers"]["ApiVersion"];
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "status": "failure",
                 *       "message": "The body is larger than 1048576 bytes.",
                 *       "status_code": 413,
                 *       "data": null
                 *     }
                 */
                "application/json": components["schemas"]["PublicApiError"];
            };
        };
        /** @description The account has used up the requests of the current window. */
        RateLimited: {
            headers: {
                "X-Service-Api-Version": components["headers"]["ApiVersion"];
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "status": "failure",
                 *       "message": "The rate limit of 120 requests a minute is reached. Try again in 17 seconds.",
                 *       "status_code": 429,
                 *       "data": null
                 *     }
                 */
                "application/json": components["schemas"]["PublicApiError"];
            };
        };
        /** @description Too many requests. The error object carries status_code 429. */
        RateLimitedWithCode: {
            headers: {
                "X-Service-Api-Version": components["headers"]["ApiVersion"];
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "status": "failure",
                 *       "message": "The rate limit of 60 requests a minute is reached. Try again in 17 seconds.",
                 *       "status_code": 429,
                 *       "data": null
                 *     }
                 */
                "application/json": components["schemas"]["RateLimitError"];
            };
        };
        /** @description The credential is missing, malformed, expired or unknown. */
        Unauthorized: {
            headers: {
                "X-Service-Api-Version": components["headers"]["ApiVersion"];
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "status": "failure",
                 *       "message": "The API key is not known. Send a valid key as `Authorization: Bearer <API_KEY>`.",
                 *       "status_code": 401,
                 *       "data": null
                 *     }
                 */
                "application/json": components["schemas"]["PublicApiError"];
            };
        };
        /** @description The server cannot serve at present: its database is gone, or too much is under way. Nothing was charged, unless the message says that the outcome is not known. */
        Unavailable: {
            headers: {
                "X-Service-Api-Version": components["headers"]["ApiVersion"];
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "status": "failure",
                 *       "message": "The server cannot reach its database at present. Nothing was charged. Try again in a few seconds.",
                 *       "status_code": 503,
                 *       "data": null
                 *     }
                 */
                "application/json": components["schemas"]["PublicApiError"];
            };
        };
        /** @description The body did not arrive whole, or could not be decompressed. */
        Unreadable: {
            headers: {
                "X-Service-Api-Version": components["headers"]["ApiVersion"];
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "status": "failure",
                 *       "message": "The body could not be read to its end.",
                 *       "status_code": 400,
                 *       "data": null
                 *     }
                 */
                "application/json": components["schemas"]["PublicApiError"];
            };
        };
        /** @description The body has a Content-Encoding or a charset that the server does not read. */
        UnsupportedEncoding: {
            headers: {
                "X-Service-Api-Version": components["headers"]["ApiVersion"];
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "status": "failure",
                 *       "message": "The body's Content-Encoding must be gzip, deflate, br or absent.",
                 *       "status_code": 415,
                 *       "data": null
                 *     }
                 */
                "application/json": components["schemas"]["PublicApiError"];
            };
        };
        /** @description The request does not have the form that the operation asks for. */
        ValidationError: {
            headers: {
                "X-Service-Api-Version": components["headers"]["ApiVersion"];
                "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "detail": [
                 *         {
                 *           "loc": [
                 *             "query",
                 *             "page_size"
                 *           ],
                 *           "msg": "page_size must be an integer from 1 to 500",
                 *           "type": "int_parsing",
                 *           "input": "many"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["HTTPValidationError"];
            };
        };
    };
    parameters: {
        /**
         * @description Only events with this irregularity: a failed request that was charged, a settled amount without a ledger entry, or an event without a billing snapshot.
         * @example failed_charged_review
         */
        Anomaly: components["schemas"]["Anomaly"];
        /**
         * @description Only events made with this API key.
         * @example 6f0c2d1e-8a4b-4c57-9a3e-2f1b7d90c5a1
         */
        ApiKeyId: string;
        /**
         * @description Only events with this billing-specific success, which may differ from the recorded one.
         * @example true
         */
        BillableSuccess: boolean;
        /**
         * @description Width of the summary's buckets: hour, day or week. Without it, day for a window of more than 3 days, otherwise hour. Any other value is answered with 400 and status_code -7.
         * @example day
         */
        Bucket: string;
        /**
         * @description Only events with this final charge classification.
         * @example charged
         */
        ChargeOutcomeFilter: components["schemas"]["ChargeOutcome"];
        /**
         * @description Only events made with this type of credential. At most 32 characters.
         * @example api_key
         */
        CredentialType: string;
        /**
         * @description Where the feed goes on, as an earlier answer named it. Without it the feed begins at its newest row.
         * @example MTc5NTE4ODMwMDAwMDAwMDoxMg
         */
        Cursor: string;
        /**
         * @description Which movements: consume (negative), grant (positive) or any. Any other value is answered with 400 and status_code -7.
         * @example any
         */
        Direction: string;
        /**
         * @description End of the window, inclusive: YYYY-MM-DD or an ISO 8601 datetime. A date alone expands to the end of that day; without a zone the time is UTC. Any other form is answered with 400 and status_code -7.
         * @example 2026-11-20
         */
        EndDate: string;
        /**
         * @description Id of the ledger entry.
         * @example 2b7e9c44-1f0d-4e6a-8c35-90d2a6f1b7e3
         */
        EntryId: string;
        /**
         * @description Only entries of exactly this type.
         * @example consume_tool_execute
         */
        EntryTypeFilter: components["schemas"]["EntryType"];
        /**
         * @description Id of the usage event.
         * @example 0e4f6a52-7b31-4d8c-a1f9-5c2d8e7b6a40
         */
        EventId: string;
        /**
         * @description Only events of this type.
         * @example tool_execute
         */
        EventTypeFilter: components["schemas"]["EventType"];
        /**
         * @description Only events of this execution. The best filter for whether a call was charged.
         * @example exec_01JCZ7N8KD
         */
        ExecutionId: string;
        /**
         * @description Rows on a page of the feed.
         * @example 100
         */
        FeedPageSize: number;
        /**
         * @description Only events with (true) or without (false) a structured outcome.
         * @example true
         */
        HasExecutionOutcome: boolean;
        /**
         * @description Preset group of entry types.
         * @example account_history
         */
        HistoryScope: components["schemas"]["LedgerScope"];
        /**
         * @description Whether the items carry their full audit detail fields.
         * @example false
         */
        IncludeDetails: boolean;
        /**
         * @description Largest absolute amount, inclusive: 5 matches movements of -5 and of +5. At least 0 and not below min_credits; a negative bound or an inverted pair is answered with 400 and status_code -7.
         * @example 5
         */
        LedgerMaxCredits: number;
        /**
         * @description Smallest absolute amount, inclusive: 5 matches movements of -5 and of +5. At least 0 and not above max_credits; a negative bound or an inverted pair is answered with 400 and status_code -7.
         * @example 0.5
         */
        LedgerMinCredits: number;
        /**
         * @description Rows on a page. `limit` overrides it.
         * @example 50
         */
        LedgerPageSize: number;
        /**
         * @description Preset group of entry types. Without it every type is listed.
         * @example account_history
         */
        LedgerScope: components["schemas"]["LedgerScope"];
        /**
         * @description Size of the returned sample, 1 to 50: it overrides page_size, and caps the samples of a summary, which hold 10 without it. A larger value is not refused but clamped to 50, so the schema names no maximum.
         * @example 10
         */
        Limit: number;
        /**
         * @description Only events made by this OAuth client. At most 2048 characters.
         * @example desktop-assistant
         */
        OauthClientId: string;
        /**
         * @description Only events whose execution_outcome.outcome is this.
         * @example valid
         */
        Outcome: string;
        /**
         * @description Page of the list, counted from 1.
         * @example 1
         */
        Page: number;
        /**
         * @description Only events with this outcome reason. A code that no event carries selects nothing.
         * @example provider.rate_limited
         */
        ReasonCodeFilter: string;
        /**
         * @description Only events of this search.
         * @example srch_01JCZ7M4Q2
         */
        SearchId: string;
        /**
         * @description Start of the window, inclusive: YYYY-MM-DD or an ISO 8601 datetime. A date alone means the start of that day; without a zone the time is UTC. Any other form is answered with 400 and status_code -7.
         * @example 2026-11-01
         */
        StartDate: string;
        /**
         * @description Only events with this recorded success flag.
         * @example true
         */
        Success: boolean;
        /**
         * @description Whether the answer carries aggregates and samples. With both dates omitted the summary's window is the last 24 hours; the items are not narrowed by it.
         * @example true
         */
        Summary: boolean;
        /**
         * @description Only events of this group of event types.
         * @example call
         */
        UsageKindFilter: components["schemas"]["UsageKind"];
        /**
         * @description Largest amount, inclusive, of the effective settled credits, or of the requested ones where nothing is settled. At least 0 and not below min_credits; a negative bound or an inverted pair is answered with 400 and status_code -7.
         * @example 5
         */
        UsageMaxCredits: number;
        /**
         * @description Smallest amount, inclusive, of the effective settled credits, or of the requested ones where nothing is settled. At least 0 and not above max_credits; a negative bound or an inverted pair is answered with 400 and status_code -7.
         * @example 0.5
         */
        UsageMinCredits: number;
        /**
         * @description Rows on a page, used when `limit` is absent.
         * @example 50
         */
        UsagePageSize: number;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The contract version that the server implements. It stands on every answer, errors included.
         * @example 2026-09-12.1
         */
        ApiVersion: "2026-09-12.1";
        /**
         * @description Largest number of requests that the account may send in the current window.
         * @example 120
         */
        RateLimitLimit: number;
        /**
         * @description Requests that are left in the current window.
         * @example 119
         */
        RateLimitRemaining: number;
        /**
         * @description The moment at which the window resets, in Unix epoch seconds.
         * @example 1795190460
         */
        RateLimitReset: number;
        /**
         * @description Seconds to wait before the next request. Always present on 429.
         * @example 17
         */
        RetryAfter: number;
    };
    pathItems: never;
}
export type ApiResponse = components['schemas']['APIResponse'];
export type Anomaly = components['schemas']['Anomaly'];
export type AnonymousRegisterRequest = components['schemas']['AnonymousRegisterRequest'];
export type AnonymousRegisterResponse = components['schemas']['AnonymousRegisterResponse'];
export type ApiKeyAttribution = components['schemas']['ApiKeyAttribution'];
export type Balance = components['schemas']['Balance'];
export type BillingRule = components['schemas']['BillingRule'];
export type BillingRuleSnapshot = components['schemas']['BillingRuleSnapshot'];
export type BillingStatement = components['schemas']['BillingStatement'];
export type Bucket = components['schemas']['Bucket'];
export type BucketStart = components['schemas']['BucketStart'];
export type CallFailure = components['schemas']['CallFailure'];
export type CallInsufficientCredits = components['schemas']['CallInsufficientCredits'];
export type CallInvalid = components['schemas']['CallInvalid'];
export type CallResult = components['schemas']['CallResult'];
export type CallSuccess = components['schemas']['CallSuccess'];
export type CapabilityResult = components['schemas']['CapabilityResult'];
export type CapabilityStats = components['schemas']['CapabilityStats'];
export type ChargeOutcome = components['schemas']['ChargeOutcome'];
export type ChargeOutcomeCounts = components['schemas']['ChargeOutcomeCounts'];
export type ClaimBlocked = components['schemas']['ClaimBlocked'];
export type ClaimStartRequest = components['schemas']['ClaimStartRequest'];
export type ClaimStartResponse = components['schemas']['ClaimStartResponse'];
export type ClaimStarted = components['schemas']['ClaimStarted'];
export type ClaimVerifyRequest = components['schemas']['ClaimVerifyRequest'];
export type ClaimVerifyResponse = components['schemas']['ClaimVerifyResponse'];
export type ClaimedAccount = components['schemas']['ClaimedAccount'];
export type CreditBucket = components['schemas']['CreditBucket'];
export type Credits = components['schemas']['Credits'];
export type CreditsResponse = components['schemas']['CreditsResponse'];
export type CreditsSpent = components['schemas']['CreditsSpent'];
export type CreditsSpentResponse = components['schemas']['CreditsSpentResponse'];
export type DiscoverFailure = components['schemas']['DiscoverFailure'];
export type DiscoverInsufficientCredits = components['schemas']['DiscoverInsufficientCredits'];
export type DiscoverRequest = components['schemas']['DiscoverRequest'];
export type DiscoverResponse = components['schemas']['DiscoverResponse'];
export type DiscoverView = components['schemas']['DiscoverView'];
export type EntryType = components['schemas']['EntryType'];
export type EnvelopeStatus = components['schemas']['EnvelopeStatus'];
export type EventType = components['schemas']['EventType'];
export type ExecutionOutcome = components['schemas']['ExecutionOutcome'];
export type FailureEnvelope = components['schemas']['FailureEnvelope'];
export type HttpValidationError = components['schemas']['HTTPValidationError'];
export type InspectFailure = components['schemas']['InspectFailure'];
export type InspectRequest = components['schemas']['InspectRequest'];
export type InspectResponse = components['schemas']['InspectResponse'];
export type InspectView = components['schemas']['InspectView'];
export type InspectedCapability = components['schemas']['InspectedCapability'];
export type InvalidQueryError = components['schemas']['InvalidQueryError'];
export type Language = components['schemas']['Language'];
export type LeanCapability = components['schemas']['LeanCapability'];
export type LedgerBucket = components['schemas']['LedgerBucket'];
export type LedgerEntry = components['schemas']['LedgerEntry'];
export type LedgerEntryResponse = components['schemas']['LedgerEntryResponse'];
export type LedgerList = components['schemas']['LedgerList'];
export type LedgerListResponse = components['schemas']['LedgerListResponse'];
export type LedgerReadiness = components['schemas']['LedgerReadiness'];
export type LedgerReadinessEntity = components['schemas']['LedgerReadinessEntity'];
export type LedgerReadinessResponse = components['schemas']['LedgerReadinessResponse'];
export type LedgerScope = components['schemas']['LedgerScope'];
export type LedgerSummary = components['schemas']['LedgerSummary'];
export type LiveBudget = components['schemas']['LiveBudget'];
export type ParameterDefinition = components['schemas']['ParameterDefinition'];
export type ParameterExamples = components['schemas']['ParameterExamples'];
export type PreSettlementBill = components['schemas']['PreSettlementBill'];
export type ProbeCheck = components['schemas']['ProbeCheck'];
export type ProbeQuote = components['schemas']['ProbeQuote'];
export type ProbeSchemaCheck = components['schemas']['ProbeSchemaCheck'];
export type ProbeUnknownVerdict = components['schemas']['ProbeUnknownVerdict'];
export type ProbeViolation = components['schemas']['ProbeViolation'];
export type ProjectedCallResult = components['schemas']['ProjectedCallResult'];
export type PublicApiError = components['schemas']['PublicApiError'];
export type PublicCapabilityDetailResponse = components['schemas']['PublicCapabilityDetailResponse'];
export type PublicCapabilityQueryRequest = components['schemas']['PublicCapabilityQueryRequest'];
export type PublicCapabilityQueryResponse = components['schemas']['PublicCapabilityQueryResponse'];
export type PublicExecuteToolRequest = components['schemas']['PublicExecuteToolRequest'];
export type PublicExecuteToolResponse = components['schemas']['PublicExecuteToolResponse'];
export type PublicToolProbeRequest = components['schemas']['PublicToolProbeRequest'];
export type PublicToolProbeResponse = components['schemas']['PublicToolProbeResponse'];
export type RateLimitError = components['schemas']['RateLimitError'];
export type ReasonCode = components['schemas']['ReasonCode'];
export type RoutingCard = components['schemas']['RoutingCard'];
export type SettlementHistory = components['schemas']['SettlementHistory'];
export type SettlementHistoryResponse = components['schemas']['SettlementHistoryResponse'];
export type SettlementItem = components['schemas']['SettlementItem'];
export type SettlementResult = components['schemas']['SettlementResult'];
export type SuccessEnvelope = components['schemas']['SuccessEnvelope'];
export type SummarizedCallResult = components['schemas']['SummarizedCallResult'];
export type Timestamp = components['schemas']['Timestamp'];
export type TokenVerification = components['schemas']['TokenVerification'];
export type TrialAccount = components['schemas']['TrialAccount'];
export type TruncatedCallResult = components['schemas']['TruncatedCallResult'];
export type UsageBucket = components['schemas']['UsageBucket'];
export type UsageEvent = components['schemas']['UsageEvent'];
export type UsageEventResponse = components['schemas']['UsageEventResponse'];
export type UsageFeed = components['schemas']['UsageFeed'];
export type UsageFeedItem = components['schemas']['UsageFeedItem'];
export type UsageFeedResponse = components['schemas']['UsageFeedResponse'];
export type UsageKind = components['schemas']['UsageKind'];
export type UsageList = components['schemas']['UsageList'];
export type UsageListResponse = components['schemas']['UsageListResponse'];
export type UsageSummary = components['schemas']['UsageSummary'];
export type ValidationIssue = components['schemas']['ValidationIssue'];
export type VerifyTokenResponse = components['schemas']['VerifyTokenResponse'];
export type WelcomeBonus = components['schemas']['WelcomeBonus'];
export type ResponseFailure = components['responses']['Failure'];
export type ResponseInvalidQuery = components['responses']['InvalidQuery'];
export type ResponseInvalidRead = components['responses']['InvalidRead'];
export type ResponseMailUnavailable = components['responses']['MailUnavailable'];
export type ResponseNotFoundEnvelope = components['responses']['NotFoundEnvelope'];
export type ResponseOpenFailure = components['responses']['OpenFailure'];
export type ResponsePayloadTooLarge = components['responses']['PayloadTooLarge'];
export type ResponseRateLimited = components['responses']['RateLimited'];
export type ResponseRateLimitedWithCode = components['responses']['RateLimitedWithCode'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ResponseUnavailable = components['responses']['Unavailable'];
export type ResponseUnreadable = components['responses']['Unreadable'];
export type ResponseUnsupportedEncoding = components['responses']['UnsupportedEncoding'];
export type ResponseValidationError = components['responses']['ValidationError'];
export type ParameterAnomaly = components['parameters']['Anomaly'];
export type ParameterApiKeyId = components['parameters']['ApiKeyId'];
export type ParameterBillableSuccess = components['parameters']['BillableSuccess'];
export type ParameterBucket = components['parameters']['Bucket'];
export type ParameterChargeOutcomeFilter = components['parameters']['ChargeOutcomeFilter'];
export type ParameterCredentialType = components['parameters']['CredentialType'];
export type ParameterCursor = components['parameters']['Cursor'];
export type ParameterDirection = components['parameters']['Direction'];
export type ParameterEndDate = components['parameters']['EndDate'];
export type ParameterEntryId = components['parameters']['EntryId'];
export type ParameterEntryTypeFilter = components['parameters']['EntryTypeFilter'];
export type ParameterEventId = components['parameters']['EventId'];
export type ParameterEventTypeFilter = components['parameters']['EventTypeFilter'];
export type ParameterExecutionId = components['parameters']['ExecutionId'];
export type ParameterFeedPageSize = components['parameters']['FeedPageSize'];
export type ParameterHasExecutionOutcome = components['parameters']['HasExecutionOutcome'];
export type ParameterHistoryScope = components['parameters']['HistoryScope'];
export type ParameterIncludeDetails = components['parameters']['IncludeDetails'];
export type ParameterLedgerMaxCredits = components['parameters']['LedgerMaxCredits'];
export type ParameterLedgerMinCredits = components['parameters']['LedgerMinCredits'];
export type ParameterLedgerPageSize = components['parameters']['LedgerPageSize'];
export type ParameterLedgerScope = components['parameters']['LedgerScope'];
export type ParameterLimit = components['parameters']['Limit'];
export type ParameterOauthClientId = components['parameters']['OauthClientId'];
export type ParameterOutcome = components['parameters']['Outcome'];
export type ParameterPage = components['parameters']['Page'];
export type ParameterReasonCodeFilter = components['parameters']['ReasonCodeFilter'];
export type ParameterSearchId = components['parameters']['SearchId'];
export type ParameterStartDate = components['parameters']['StartDate'];
export type ParameterSuccess = components['parameters']['Success'];
export type ParameterSummary = components['parameters']['Summary'];
export type ParameterUsageKindFilter = components['parameters']['UsageKindFilter'];
export type ParameterUsageMaxCredits = components['parameters']['UsageMaxCredits'];
export type ParameterUsageMinCredits = components['parameters']['UsageMinCredits'];
export type ParameterUsagePageSize = components['parameters']['UsagePageSize'];
export type HeaderApiVersion = components['headers']['ApiVersion'];
export type HeaderRateLimitLimit = components['headers']['RateLimitLimit'];
export type HeaderRateLimitRemaining = components['headers']['RateLimitRemaining'];
export type HeaderRateLimitReset = components['headers']['RateLimitReset'];
export type HeaderRetryAfter = components['headers']['RetryAfter'];
export type $defs = Record<string, never>;
export interface operations {
    discover: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Languages of the client, in its order. Used where the body has no `lang`.
                 * @example zh-CN, en;q=0.8
                 */
                "Accept-Language"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DiscoverRequest"];
            };
        };
        responses: {
            /** @description The capabilities, best first. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiscoverResponse"];
                };
            };
            400: components["responses"]["Unreadable"];
            /** @description The key is invalid. The body is a failed search. */
            401: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "search_id": "srch_failed",
                     *       "total": 0,
                     *       "results": [],
                     *       "error_message": "The API key is not known.",
                     *       "status": "failure",
                     *       "message": "The API key is not known.",
                     *       "status_code": 401,
                     *       "data": null
                     *     }
                     */
                    "application/json": components["schemas"]["DiscoverFailure"];
                };
            };
            /** @description The credits do not suffice, where Discover is charged. */
            402: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "search_id": "srch_failed",
                     *       "total": 0,
                     *       "results": [],
                     *       "error_message": "This search costs 1 credit, more than the account has left.",
                     *       "remaining_credits": 0,
                     *       "status": "failure",
                     *       "message": "This search costs 1 credit, more than the account has left.",
                     *       "status_code": 402,
                     *       "data": null
                     *     }
                     */
                    "application/json": components["schemas"]["DiscoverInsufficientCredits"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimitedWithCode"];
            500: components["responses"]["OpenFailure"];
            503: components["responses"]["Unavailable"];
        };
    };
    inspect: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "tool_ids": [
                 *         "weather.current"
                 *       ],
                 *       "search_id": "srch_4b1c0a9e",
                 *       "session_id": "sess_7f2d",
                 *       "view": "full"
                 *     }
                 */
                "application/json": components["schemas"]["InspectRequest"];
            };
        };
        responses: {
            /** @description The capabilities that were found. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InspectResponse"];
                };
            };
            400: components["responses"]["Unreadable"];
            401: components["responses"]["Unauthorized"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["OpenFailure"];
            /** @description An unexpected failure on the way. */
            502: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The catalogue could not be read.",
                     *       "remaining_credits": 48
                     *     }
                     */
                    "application/json": components["schemas"]["InspectFailure"];
                };
            };
            503: components["responses"]["Unavailable"];
            /** @description The catalogue did not answer in time. */
            504: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "error": "The catalogue did not answer in time.",
                     *       "remaining_credits": 48
                     *     }
                     */
                    "application/json": components["schemas"]["InspectFailure"];
                };
            };
        };
    };
    probe: {
        parameters: {
            query: {
                /**
                 * @description The tool to probe.
                 * @example weather.current
                 */
                tool_id: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "parameters": {
                 *         "city": "Lisbon",
                 *         "units": "metric"
                 *       },
                 *       "checks": [
                 *         "schema",
                 *         "quote"
                 *       ],
                 *       "live_budget": "none"
                 *     }
                 */
                "application/json": components["schemas"]["PublicToolProbeRequest"];
            };
        };
        responses: {
            /** @description The checks that were asked for. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicToolProbeResponse"];
                };
            };
            /** @description The probe is well-formed, but pointless or impossible. */
            400: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "failure",
                     *       "message": "checks is empty: name at least one of schema, quote, coverage or sample.",
                     *       "status_code": 400,
                     *       "data": null
                     *     }
                     */
                    "application/json": components["schemas"]["PublicApiError"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["Failure"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["OpenFailure"];
            502: components["responses"]["Failure"];
            503: components["responses"]["Unavailable"];
            504: components["responses"]["Failure"];
        };
    };
    call: {
        parameters: {
            query?: {
                /**
                 * @description The tool to execute, where the body does not name it.
                 * @example weather.current
                 */
                tool_id?: string;
            };
            header?: {
                /**
                 * @description How cached results may be used. The reference understands `default` and `bypass` and ignores any other value.
                 * @example bypass
                 */
                "X-Service-Cache-Mode"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PublicExecuteToolRequest"];
            };
        };
        responses: {
            /** @description The execution, whether it succeeded or not. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicExecuteToolResponse"];
                };
            };
            400: components["responses"]["Unreadable"];
            /** @description The credential is missing, malformed, expired or unknown. */
            401: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "failure",
                     *       "message": "The API key is not known.",
                     *       "status_code": 401,
                     *       "data": null
                     *     }
                     */
                    "application/json": components["schemas"]["PublicApiError"];
                };
            };
            /** @description The credits do not suffice. */
            402: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error_message": "This call costs up to 2 credits, more than the account has left.",
                     *       "remaining_credits": 0
                     *     }
                     */
                    "application/json": components["schemas"]["CallInsufficientCredits"];
                };
            };
            /** @description The tool is unknown. */
            404: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "execution_id": "exec_91d7c4",
                     *       "success": false,
                     *       "error_message": "No tool has the id weather.yesterday. Run Discover again.",
                     *       "remaining_credits": 46
                     *     }
                     */
                    "application/json": components["schemas"]["CallFailure"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            /** @description The tool id is missing, or the parameters or the projection are invalid. */
            422: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": false,
                     *       "error_message": "units must be one of metric or imperial.",
                     *       "details": [
                     *         {
                     *           "loc": [
                     *             "body",
                     *             "parameters",
                     *             "units"
                     *           ],
                     *           "msg": "units must be one of metric or imperial",
                     *           "type": "enum",
                     *           "input": "kelvin"
                     *         }
                     *       ],
                     *       "remaining_credits": 46
                     *     }
                     */
                    "application/json": components["schemas"]["CallInvalid"] | components["schemas"]["HTTPValidationError"];
                };
            };
            429: components["responses"]["RateLimited"];
            500: components["responses"]["OpenFailure"];
            503: components["responses"]["Unavailable"];
        };
    };
    queryCapability: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "capability_id": "weather",
                 *       "parameters": {
                 *         "city": "Lisbon"
                 *       },
                 *       "max_credits": 5
                 *     }
                 */
                "application/json": components["schemas"]["PublicCapabilityQueryRequest"];
            };
        };
        responses: {
            /** @description The execution. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicCapabilityQueryResponse"];
                };
            };
            400: components["responses"]["Unreadable"];
            401: components["responses"]["Unauthorized"];
            /** @description The credits do not suffice. */
            402: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "failure",
                     *       "message": "This capability costs up to 2 credits, more than the account has left.",
                     *       "status_code": 402,
                     *       "data": null
                     *     }
                     */
                    "application/json": components["schemas"]["PublicApiError"];
                };
            };
            /** @description A constraint of the delegation token rejects the request. */
            403: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "failure",
                     *       "message": "The delegation token does not allow this run_id and provider_id.",
                     *       "status_code": 403,
                     *       "data": null
                     *     }
                     */
                    "application/json": components["schemas"]["PublicApiError"];
                };
            };
            /** @description The account is unavailable during credit settlement; in the reference also an unknown capability. */
            404: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "failure",
                     *       "message": "No capability has the id wether.",
                     *       "status_code": 404,
                     *       "data": null
                     *     }
                     */
                    "application/json": components["schemas"]["PublicApiError"];
                };
            };
            /** @description The request took too long. */
            408: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "failure",
                     *       "message": "The capability did not answer in time.",
                     *       "status_code": 408,
                     *       "data": null
                     *     }
                     */
                    "application/json": components["schemas"]["PublicApiError"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            /** @description No candidate fits `max_credits`, or the request does not have the form asked for. */
            422: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicApiError"] | components["schemas"]["HTTPValidationError"];
                };
            };
            429: components["responses"]["RateLimited"];
            /** @description The query failed. */
            500: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "failure",
                     *       "message": "The query failed.",
                     *       "status_code": 500,
                     *       "data": null
                     *     }
                     */
                    "application/json": components["schemas"]["PublicApiError"];
                };
            };
            /** @description Capability routing is unavailable. */
            503: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "failure",
                     *       "message": "Capability routing is unavailable.",
                     *       "status_code": 503,
                     *       "data": null
                     *     }
                     */
                    "application/json": components["schemas"]["PublicApiError"];
                };
            };
        };
    };
    getCapability: {
        parameters: {
            query?: {
                /**
                 * @description Required by constrained delegation tokens.
                 * @example run_12
                 */
                run_id?: string;
                /**
                 * @description Required by constrained delegation tokens.
                 * @example skyline
                 */
                provider_id?: string;
            };
            header?: never;
            path: {
                /**
                 * @description At least one character that is not whitespace.
                 * @example weather
                 */
                capability_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The capability. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicCapabilityDetailResponse"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /** @description The credits do not suffice. */
            402: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "failure",
                     *       "message": "This capability costs up to 2 credits, more than the account has left.",
                     *       "status_code": 402,
                     *       "data": null
                     *     }
                     */
                    "application/json": components["schemas"]["PublicApiError"];
                };
            };
            /** @description A constraint of the delegation token rejects the request. */
            403: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "failure",
                     *       "message": "The delegation token does not allow this run_id and provider_id.",
                     *       "status_code": 403,
                     *       "data": null
                     *     }
                     */
                    "application/json": components["schemas"]["PublicApiError"];
                };
            };
            /** @description The account is unavailable; in the reference also an unknown capability. */
            404: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "failure",
                     *       "message": "No capability has the id wether.",
                     *       "status_code": 404,
                     *       "data": null
                     *     }
                     */
                    "application/json": components["schemas"]["PublicApiError"];
                };
            };
            /** @description The request took too long. */
            408: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "failure",
                     *       "message": "The request took too long.",
                     *       "status_code": 408,
                     *       "data": null
                     *     }
                     */
                    "application/json": components["schemas"]["PublicApiError"];
                };
            };
            /** @description A parameter does not have the form asked for. */
            422: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "detail": [
                     *         {
                     *           "loc": [
                     *             "path",
                     *             "capability_id"
                     *           ],
                     *           "msg": "capability_id must hold at least one character that is not whitespace",
                     *           "type": "string_pattern_mismatch",
                     *           "input": " "
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["HTTPValidationError"];
                };
            };
            429: components["responses"]["RateLimited"];
            /** @description The query failed. */
            500: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "failure",
                     *       "message": "The query failed.",
                     *       "status_code": 500,
                     *       "data": null
                     *     }
                     */
                    "application/json": components["schemas"]["PublicApiError"];
                };
            };
            /** @description Capability routing is unavailable. */
            503: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "failure",
                     *       "message": "Capability routing is unavailable.",
                     *       "status_code": 503,
                     *       "data": null
                     *     }
                     */
                    "application/json": components["schemas"]["PublicApiError"];
                };
            };
        };
    };
    registerAnonymous: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "agent_name": "research-agent"
                 *     }
                 */
                "application/json": components["schemas"]["AnonymousRegisterRequest"];
            };
        };
        responses: {
            /** @description The trial. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "success",
                     *       "message": "The trial is open. Keep the API key, it is not shown again.",
                     *       "status_code": 0,
                     *       "data": {
                     *         "api_key": "ck_example_not_a_real_key",
                     *         "claim_code": "claim_example_not_a_real_code",
                     *         "agent_id": "agent_2f6b",
                     *         "trial_credits": 50,
                     *         "expires_at": "2026-11-27T09:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AnonymousRegisterResponse"];
                };
            };
            400: components["responses"]["Unreadable"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimitedWithCode"];
            500: components["responses"]["OpenFailure"];
            503: components["responses"]["Unavailable"];
        };
    };
    startClaim: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "claim_code": "claim_example_not_a_real_code",
                 *       "email": "agent@mail.example"
                 *     }
                 */
                "application/json": components["schemas"]["ClaimStartRequest"];
            };
        };
        responses: {
            /** @description The claim was started, blocked or refused. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClaimStartResponse"] | components["schemas"]["FailureEnvelope"];
                };
            };
            /** @description The claim cannot go on. */
            400: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "failure",
                     *       "message": "This claim cannot go on with this claim code and e-mail address.",
                     *       "status_code": 400,
                     *       "data": null
                     *     }
                     */
                    "application/json": components["schemas"]["FailureEnvelope"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimitedWithCode"];
            500: components["responses"]["OpenFailure"];
            503: components["responses"]["MailUnavailable"];
        };
    };
    verifyClaim: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "claim_code": "claim_example_not_a_real_code",
                 *       "email": "agent@mail.example",
                 *       "code": "402913"
                 *     }
                 */
                "application/json": components["schemas"]["ClaimVerifyRequest"];
            };
        };
        responses: {
            /** @description The trial is a formal account, or the code was refused. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    "X-RateLimit-Limit": components["headers"]["RateLimitLimit"];
                    "X-RateLimit-Remaining": components["headers"]["RateLimitRemaining"];
                    "X-RateLimit-Reset": components["headers"]["RateLimitReset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "success",
                     *       "message": "The account is verified. The API key goes on working.",
                     *       "status_code": 0,
                     *       "data": {
                     *         "account_id": "acct_71",
                     *         "account_type": "local",
                     *         "email": "agent@mail.example"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ClaimVerifyResponse"] | components["schemas"]["FailureEnvelope"];
                };
            };
            /** @description The code is wrong, used or expired. */
            400: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "failure",
                     *       "message": "The code is wrong or has expired.",
                     *       "status_code": 400,
                     *       "data": null
                     *     }
                     */
                    "application/json": components["schemas"]["FailureEnvelope"];
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedEncoding"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimitedWithCode"];
            500: components["responses"]["OpenFailure"];
            503: components["responses"]["Unavailable"];
        };
    };
    getCredits: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The balance. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreditsResponse"];
                };
            };
            401: components["responses"]["Unauthorized"];
            default: components["responses"]["OpenFailure"];
        };
    };
    listLedger: {
        parameters: {
            query?: {
                /**
                 * @description Start of the window, inclusive: YYYY-MM-DD or an ISO 8601 datetime. A date alone means the start of that day; without a zone the time is UTC. Any other form is answered with 400 and status_code -7.
                 * @example 2026-11-01
                 */
                start_date?: components["parameters"]["StartDate"];
                /**
                 * @description End of the window, inclusive: YYYY-MM-DD or an ISO 8601 datetime. A date alone expands to the end of that day; without a zone the time is UTC. Any other form is answered with 400 and status_code -7.
                 * @example 2026-11-20
                 */
                end_date?: components["parameters"]["EndDate"];
                /**
                 * @description Only entries of exactly this type.
                 * @example consume_tool_execute
                 */
                entry_type?: components["parameters"]["EntryTypeFilter"];
                /**
                 * @description Preset group of entry types. Without it every type is listed.
                 * @example account_history
                 */
                scope?: components["parameters"]["LedgerScope"];
                /**
                 * @description Which movements: consume (negative), grant (positive) or any. Any other value is answered with 400 and status_code -7.
                 * @example any
                 */
                direction?: components["parameters"]["Direction"];
                /**
                 * @description Smallest absolute amount, inclusive: 5 matches movements of -5 and of +5. At least 0 and not above max_credits; a negative bound or an inverted pair is answered with 400 and status_code -7.
                 * @example 0.5
                 */
                min_credits?: components["parameters"]["LedgerMinCredits"];
                /**
                 * @description Largest absolute amount, inclusive: 5 matches movements of -5 and of +5. At least 0 and not below min_credits; a negative bound or an inverted pair is answered with 400 and status_code -7.
                 * @example 5
                 */
                max_credits?: components["parameters"]["LedgerMaxCredits"];
                /**
                 * @description Page of the list, counted from 1.
                 * @example 1
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description Rows on a page. `limit` overrides it.
                 * @example 50
                 */
                page_size?: components["parameters"]["LedgerPageSize"];
                /**
                 * @description Whether the answer carries aggregates and samples. With both dates omitted the summary's window is the last 24 hours; the items are not narrowed by it.
                 * @example true
                 */
                summary?: components["parameters"]["Summary"];
                /**
                 * @description Width of the summary's buckets: hour, day or week. Without it, day for a window of more than 3 days, otherwise hour. Any other value is answered with 400 and status_code -7.
                 * @example day
                 */
                bucket?: components["parameters"]["Bucket"];
                /**
                 * @description Size of the returned sample, 1 to 50: it overrides page_size, and caps the samples of a summary, which hold 10 without it. A larger value is not refused but clamped to 50, so the schema names no maximum.
                 * @example 10
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerListResponse"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["ValidationError"];
            default: components["responses"]["OpenFailure"];
        };
    };
    exportLedger: {
        parameters: {
            query?: {
                /**
                 * @description Start of the window, inclusive: YYYY-MM-DD or an ISO 8601 datetime. A date alone means the start of that day; without a zone the time is UTC. Any other form is answered with 400 and status_code -7.
                 * @example 2026-11-01
                 */
                start_date?: components["parameters"]["StartDate"];
                /**
                 * @description End of the window, inclusive: YYYY-MM-DD or an ISO 8601 datetime. A date alone expands to the end of that day; without a zone the time is UTC. Any other form is answered with 400 and status_code -7.
                 * @example 2026-11-20
                 */
                end_date?: components["parameters"]["EndDate"];
                /**
                 * @description Preset group of entry types.
                 * @example account_history
                 */
                scope?: components["parameters"]["HistoryScope"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries as CSV. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    /**
                     * @description Suggests a file name to the client.
                     * @example attachment; filename="ledger.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id,entry_type,amount_credits,created_at
                     *     2b7e9c44-1f0d-4e6a-8c35-90d2a6f1b7e3,consume_tool_execute,-2.5,2026-11-20T09:15:02.418000Z
                     */
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidRead"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["ValidationError"];
            default: components["responses"]["OpenFailure"];
        };
    };
    getLedgerEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the ledger entry.
                 * @example 2b7e9c44-1f0d-4e6a-8c35-90d2a6f1b7e3
                 */
                entry_id: components["parameters"]["EntryId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entry. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerEntryResponse"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFoundEnvelope"];
            422: components["responses"]["ValidationError"];
            default: components["responses"]["OpenFailure"];
        };
    };
    getLedgerReadiness: {
        parameters: {
            query?: {
                /**
                 * @description Start of the window, inclusive: YYYY-MM-DD or an ISO 8601 datetime. A date alone means the start of that day; without a zone the time is UTC. Any other form is answered with 400 and status_code -7.
                 * @example 2026-11-01
                 */
                start_date?: components["parameters"]["StartDate"];
                /**
                 * @description End of the window, inclusive: YYYY-MM-DD or an ISO 8601 datetime. A date alone expands to the end of that day; without a zone the time is UTC. Any other form is answered with 400 and status_code -7.
                 * @example 2026-11-20
                 */
                end_date?: components["parameters"]["EndDate"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The comparison. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LedgerReadinessResponse"];
                };
            };
            400: components["responses"]["InvalidRead"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["ValidationError"];
            default: components["responses"]["OpenFailure"];
        };
    };
    listSettlements: {
        parameters: {
            query?: {
                /**
                 * @description Start of the window, inclusive: YYYY-MM-DD or an ISO 8601 datetime. A date alone means the start of that day; without a zone the time is UTC. Any other form is answered with 400 and status_code -7.
                 * @example 2026-11-01
                 */
                start_date?: components["parameters"]["StartDate"];
                /**
                 * @description End of the window, inclusive: YYYY-MM-DD or an ISO 8601 datetime. A date alone expands to the end of that day; without a zone the time is UTC. Any other form is answered with 400 and status_code -7.
                 * @example 2026-11-20
                 */
                end_date?: components["parameters"]["EndDate"];
                /**
                 * @description Preset group of entry types.
                 * @example account_history
                 */
                scope?: components["parameters"]["HistoryScope"];
                /**
                 * @description Where the feed goes on, as an earlier answer named it. Without it the feed begins at its newest row.
                 * @example MTc5NTE4ODMwMDAwMDAwMDoxMg
                 */
                cursor?: components["parameters"]["Cursor"];
                /**
                 * @description Rows on a page of the feed.
                 * @example 100
                 */
                page_size?: components["parameters"]["FeedPageSize"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettlementHistoryResponse"];
                };
            };
            400: components["responses"]["InvalidRead"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["ValidationError"];
            default: components["responses"]["OpenFailure"];
        };
    };
    getCreditsSpent: {
        parameters: {
            query?: {
                /**
                 * @description Start of the window, inclusive: YYYY-MM-DD or an ISO 8601 datetime. A date alone means the start of that day; without a zone the time is UTC. Any other form is answered with 400 and status_code -7.
                 * @example 2026-11-01
                 */
                start_date?: components["parameters"]["StartDate"];
                /**
                 * @description End of the window, inclusive: YYYY-MM-DD or an ISO 8601 datetime. A date alone expands to the end of that day; without a zone the time is UTC. Any other form is answered with 400 and status_code -7.
                 * @example 2026-11-20
                 */
                end_date?: components["parameters"]["EndDate"];
                /**
                 * @description Only events of this group of event types.
                 * @example call
                 */
                kind?: components["parameters"]["UsageKindFilter"];
                /**
                 * @description Only events with this final charge classification.
                 * @example charged
                 */
                charge_outcome?: components["parameters"]["ChargeOutcomeFilter"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The total. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreditsSpentResponse"];
                };
            };
            400: components["responses"]["InvalidRead"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["ValidationError"];
            default: components["responses"]["OpenFailure"];
        };
    };
    listUsage: {
        parameters: {
            query?: {
                /**
                 * @description Start of the window, inclusive: YYYY-MM-DD or an ISO 8601 datetime. A date alone means the start of that day; without a zone the time is UTC. Any other form is answered with 400 and status_code -7.
                 * @example 2026-11-01
                 */
                start_date?: components["parameters"]["StartDate"];
                /**
                 * @description End of the window, inclusive: YYYY-MM-DD or an ISO 8601 datetime. A date alone expands to the end of that day; without a zone the time is UTC. Any other form is answered with 400 and status_code -7.
                 * @example 2026-11-20
                 */
                end_date?: components["parameters"]["EndDate"];
                /**
                 * @description Only events of this type.
                 * @example tool_execute
                 */
                event_type?: components["parameters"]["EventTypeFilter"];
                /**
                 * @description Only events of this group of event types.
                 * @example call
                 */
                kind?: components["parameters"]["UsageKindFilter"];
                /**
                 * @description Only events with this recorded success flag.
                 * @example true
                 */
                success?: components["parameters"]["Success"];
                /**
                 * @description Only events with this billing-specific success, which may differ from the recorded one.
                 * @example true
                 */
                billable_success?: components["parameters"]["BillableSuccess"];
                /**
                 * @description Only events whose execution_outcome.outcome is this.
                 * @example valid
                 */
                outcome?: components["parameters"]["Outcome"];
                /**
                 * @description Only events with this outcome reason. A code that no event carries selects nothing.
                 * @example provider.rate_limited
                 */
                reason_code?: components["parameters"]["ReasonCodeFilter"];
                /**
                 * @description Only events with (true) or without (false) a structured outcome.
                 * @example true
                 */
                has_execution_outcome?: components["parameters"]["HasExecutionOutcome"];
                /**
                 * @description Only events with this final charge classification.
                 * @example charged
                 */
                charge_outcome?: components["parameters"]["ChargeOutcomeFilter"];
                /**
                 * @description Only events with this irregularity: a failed request that was charged, a settled amount without a ledger entry, or an event without a billing snapshot.
                 * @example failed_charged_review
                 */
                anomaly?: components["parameters"]["Anomaly"];
                /**
                 * @description Only events of this search.
                 * @example srch_01JCZ7M4Q2
                 */
                search_id?: components["parameters"]["SearchId"];
                /**
                 * @description Only events of this execution. The best filter for whether a call was charged.
                 * @example exec_01JCZ7N8KD
                 */
                execution_id?: components["parameters"]["ExecutionId"];
                /**
                 * @description Only events made with this API key.
                 * @example 6f0c2d1e-8a4b-4c57-9a3e-2f1b7d90c5a1
                 */
                api_key_id?: components["parameters"]["ApiKeyId"];
                /**
                 * @description Only events made by this OAuth client. At most 2048 characters.
                 * @example desktop-assistant
                 */
                oauth_client_id?: components["parameters"]["OauthClientId"];
                /**
                 * @description Only events made with this type of credential. At most 32 characters.
                 * @example api_key
                 */
                credential_type?: components["parameters"]["CredentialType"];
                /**
                 * @description Smallest amount, inclusive, of the effective settled credits, or of the requested ones where nothing is settled. At least 0 and not above max_credits; a negative bound or an inverted pair is answered with 400 and status_code -7.
                 * @example 0.5
                 */
                min_credits?: components["parameters"]["UsageMinCredits"];
                /**
                 * @description Largest amount, inclusive, of the effective settled credits, or of the requested ones where nothing is settled. At least 0 and not below min_credits; a negative bound or an inverted pair is answered with 400 and status_code -7.
                 * @example 5
                 */
                max_credits?: components["parameters"]["UsageMaxCredits"];
                /**
                 * @description Page of the list, counted from 1.
                 * @example 1
                 */
                page?: components["parameters"]["Page"];
                /**
                 * @description Rows on a page, used when `limit` is absent.
                 * @example 50
                 */
                page_size?: components["parameters"]["UsagePageSize"];
                /**
                 * @description Whether the items carry their full audit detail fields.
                 * @example false
                 */
                include_details?: components["parameters"]["IncludeDetails"];
                /**
                 * @description Whether the answer carries aggregates and samples. With both dates omitted the summary's window is the last 24 hours; the items are not narrowed by it.
                 * @example true
                 */
                summary?: components["parameters"]["Summary"];
                /**
                 * @description Width of the summary's buckets: hour, day or week. Without it, day for a window of more than 3 days, otherwise hour. Any other value is answered with 400 and status_code -7.
                 * @example day
                 */
                bucket?: components["parameters"]["Bucket"];
                /**
                 * @description Size of the returned sample, 1 to 50: it overrides page_size, and caps the samples of a summary, which hold 10 without it. A larger value is not refused but clamped to 50, so the schema names no maximum.
                 * @example 10
                 */
                limit?: components["parameters"]["Limit"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageListResponse"];
                };
            };
            400: components["responses"]["InvalidQuery"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["ValidationError"];
            default: components["responses"]["OpenFailure"];
        };
    };
    exportUsage: {
        parameters: {
            query?: {
                /**
                 * @description Start of the window, inclusive: YYYY-MM-DD or an ISO 8601 datetime. A date alone means the start of that day; without a zone the time is UTC. Any other form is answered with 400 and status_code -7.
                 * @example 2026-11-01
                 */
                start_date?: components["parameters"]["StartDate"];
                /**
                 * @description End of the window, inclusive: YYYY-MM-DD or an ISO 8601 datetime. A date alone expands to the end of that day; without a zone the time is UTC. Any other form is answered with 400 and status_code -7.
                 * @example 2026-11-20
                 */
                end_date?: components["parameters"]["EndDate"];
                /**
                 * @description Only events of this type.
                 * @example tool_execute
                 */
                event_type?: components["parameters"]["EventTypeFilter"];
                /**
                 * @description Only events of this group of event types.
                 * @example call
                 */
                kind?: components["parameters"]["UsageKindFilter"];
                /**
                 * @description Only events with this recorded success flag.
                 * @example true
                 */
                success?: components["parameters"]["Success"];
                /**
                 * @description Only events with this billing-specific success, which may differ from the recorded one.
                 * @example true
                 */
                billable_success?: components["parameters"]["BillableSuccess"];
                /**
                 * @description Only events whose execution_outcome.outcome is this.
                 * @example valid
                 */
                outcome?: components["parameters"]["Outcome"];
                /**
                 * @description Only events with this outcome reason. A code that no event carries selects nothing.
                 * @example provider.rate_limited
                 */
                reason_code?: components["parameters"]["ReasonCodeFilter"];
                /**
                 * @description Only events with (true) or without (false) a structured outcome.
                 * @example true
                 */
                has_execution_outcome?: components["parameters"]["HasExecutionOutcome"];
                /**
                 * @description Only events with this final charge classification.
                 * @example charged
                 */
                charge_outcome?: components["parameters"]["ChargeOutcomeFilter"];
                /**
                 * @description Only events with this irregularity: a failed request that was charged, a settled amount without a ledger entry, or an event without a billing snapshot.
                 * @example failed_charged_review
                 */
                anomaly?: components["parameters"]["Anomaly"];
                /**
                 * @description Only events of this search.
                 * @example srch_01JCZ7M4Q2
                 */
                search_id?: components["parameters"]["SearchId"];
                /**
                 * @description Only events of this execution. The best filter for whether a call was charged.
                 * @example exec_01JCZ7N8KD
                 */
                execution_id?: components["parameters"]["ExecutionId"];
                /**
                 * @description Only events made with this API key.
                 * @example 6f0c2d1e-8a4b-4c57-9a3e-2f1b7d90c5a1
                 */
                api_key_id?: components["parameters"]["ApiKeyId"];
                /**
                 * @description Only events made by this OAuth client. At most 2048 characters.
                 * @example desktop-assistant
                 */
                oauth_client_id?: components["parameters"]["OauthClientId"];
                /**
                 * @description Only events made with this type of credential. At most 32 characters.
                 * @example api_key
                 */
                credential_type?: components["parameters"]["CredentialType"];
                /**
                 * @description Smallest amount, inclusive, of the effective settled credits, or of the requested ones where nothing is settled. At least 0 and not above max_credits; a negative bound or an inverted pair is answered with 400 and status_code -7.
                 * @example 0.5
                 */
                min_credits?: components["parameters"]["UsageMinCredits"];
                /**
                 * @description Largest amount, inclusive, of the effective settled credits, or of the requested ones where nothing is settled. At least 0 and not below min_credits; a negative bound or an inverted pair is answered with 400 and status_code -7.
                 * @example 5
                 */
                max_credits?: components["parameters"]["UsageMaxCredits"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events as CSV. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    /**
                     * @description Suggests a file name to the client.
                     * @example attachment; filename="usage.csv"
                     */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example event_type,tool_id,success,charge_outcome,actual_amount_credits,created_at
                     *     tool_execute,sample.weather.current,true,charged,2.5,2026-11-20T09:15:02.418000Z
                     */
                    "text/csv": string;
                };
            };
            400: components["responses"]["InvalidRead"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["ValidationError"];
            default: components["responses"]["OpenFailure"];
        };
    };
    listUsageFeed: {
        parameters: {
            query?: {
                /**
                 * @description Start of the window, inclusive: YYYY-MM-DD or an ISO 8601 datetime. A date alone means the start of that day; without a zone the time is UTC. Any other form is answered with 400 and status_code -7.
                 * @example 2026-11-01
                 */
                start_date?: components["parameters"]["StartDate"];
                /**
                 * @description End of the window, inclusive: YYYY-MM-DD or an ISO 8601 datetime. A date alone expands to the end of that day; without a zone the time is UTC. Any other form is answered with 400 and status_code -7.
                 * @example 2026-11-20
                 */
                end_date?: components["parameters"]["EndDate"];
                /**
                 * @description Only events of this type.
                 * @example tool_execute
                 */
                event_type?: components["parameters"]["EventTypeFilter"];
                /**
                 * @description Only events of this group of event types.
                 * @example call
                 */
                kind?: components["parameters"]["UsageKindFilter"];
                /**
                 * @description Only events with this recorded success flag.
                 * @example true
                 */
                success?: components["parameters"]["Success"];
                /**
                 * @description Only events with this billing-specific success, which may differ from the recorded one.
                 * @example true
                 */
                billable_success?: components["parameters"]["BillableSuccess"];
                /**
                 * @description Only events whose execution_outcome.outcome is this.
                 * @example valid
                 */
                outcome?: components["parameters"]["Outcome"];
                /**
                 * @description Only events with this outcome reason. A code that no event carries selects nothing.
                 * @example provider.rate_limited
                 */
                reason_code?: components["parameters"]["ReasonCodeFilter"];
                /**
                 * @description Only events with (true) or without (false) a structured outcome.
                 * @example true
                 */
                has_execution_outcome?: components["parameters"]["HasExecutionOutcome"];
                /**
                 * @description Only events with this final charge classification.
                 * @example charged
                 */
                charge_outcome?: components["parameters"]["ChargeOutcomeFilter"];
                /**
                 * @description Only events with this irregularity: a failed request that was charged, a settled amount without a ledger entry, or an event without a billing snapshot.
                 * @example failed_charged_review
                 */
                anomaly?: components["parameters"]["Anomaly"];
                /**
                 * @description Only events of this search.
                 * @example srch_01JCZ7M4Q2
                 */
                search_id?: components["parameters"]["SearchId"];
                /**
                 * @description Only events of this execution. The best filter for whether a call was charged.
                 * @example exec_01JCZ7N8KD
                 */
                execution_id?: components["parameters"]["ExecutionId"];
                /**
                 * @description Only events made with this API key.
                 * @example 6f0c2d1e-8a4b-4c57-9a3e-2f1b7d90c5a1
                 */
                api_key_id?: components["parameters"]["ApiKeyId"];
                /**
                 * @description Only events made by this OAuth client. At most 2048 characters.
                 * @example desktop-assistant
                 */
                oauth_client_id?: components["parameters"]["OauthClientId"];
                /**
                 * @description Only events made with this type of credential. At most 32 characters.
                 * @example api_key
                 */
                credential_type?: components["parameters"]["CredentialType"];
                /**
                 * @description Smallest amount, inclusive, of the effective settled credits, or of the requested ones where nothing is settled. At least 0 and not above max_credits; a negative bound or an inverted pair is answered with 400 and status_code -7.
                 * @example 0.5
                 */
                min_credits?: components["parameters"]["UsageMinCredits"];
                /**
                 * @description Largest amount, inclusive, of the effective settled credits, or of the requested ones where nothing is settled. At least 0 and not below min_credits; a negative bound or an inverted pair is answered with 400 and status_code -7.
                 * @example 5
                 */
                max_credits?: components["parameters"]["UsageMaxCredits"];
                /**
                 * @description Where the feed goes on, as an earlier answer named it. Without it the feed begins at its newest row.
                 * @example MTc5NTE4ODMwMDAwMDAwMDoxMg
                 */
                cursor?: components["parameters"]["Cursor"];
                /**
                 * @description Rows on a page of the feed.
                 * @example 100
                 */
                page_size?: components["parameters"]["FeedPageSize"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageFeedResponse"];
                };
            };
            400: components["responses"]["InvalidRead"];
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["ValidationError"];
            default: components["responses"]["OpenFailure"];
        };
    };
    getUsageEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the usage event.
                 * @example 0e4f6a52-7b31-4d8c-a1f9-5c2d8e7b6a40
                 */
                event_id: components["parameters"]["EventId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UsageEventResponse"];
                };
            };
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFoundEnvelope"];
            422: components["responses"]["ValidationError"];
            default: components["responses"]["OpenFailure"];
        };
    };
    verifyToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The verdict. */
            200: {
                headers: {
                    "X-Service-Api-Version": components["headers"]["ApiVersion"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifyTokenResponse"];
                };
            };
            401: components["responses"]["Unauthorized"];
            422: components["responses"]["ValidationError"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["OpenFailure"];
            503: components["responses"]["Unavailable"];
        };
    };
}
type WithRequired<T, K extends keyof T> = T & {
    [P in K]-?: T[P];
};
