import { check, type Stage } from "../../run/check.ts";
import {
  limitedOperations,
  operations,
  type LimitedOperation,
  type OperationId,
} from "../../../generated/contract.ts";
import { answeredWithin, slack } from "./rules.ts";
import { usable, type Account } from "../../server/account.ts";
import type { Profile } from "../../server/profile.ts";
import type { Answer } from "../../judge/answer.ts";
import { knownTool, modestRequest, operationsOf } from "../../server/requests.ts";
import { Shut } from "../../server/session.ts";
import {
  addressesOf,
  freeRequest,
  inOneWindow,
  limitHeader,
  operationBefore,
  resetsOf,
  permitsReturned,
  type WindowBurst,
} from "./burst.ts";
import { Unverifiable } from "../../judge/verdict.ts";

const feature = "rate_limits";
/** Uses up a whole quota of one operation, so the account is reserved until the window has ended. */
const wholeQuota = { feature, fresh: true } as const;

/**
 * The operations whose refused requests are repeated in one check: before a burst of Discover an Inspect is sent, and
 * before one of the others a Discover.
 */
const retried: readonly (readonly [what: string, readonly LimitedOperation[]])[] = [
  ["", ["discover"]],
  [" of any other operation", limitedOperations.filter((operation) => operation !== "discover")],
];

export const checks = [
  check(
    ["LIMI-01", "LIMI-05", "LIMI-06", "LIMI-13", "LIMI-14", "LIMI-15"],
    "Discover admits exactly its quota in a window, and refuses the next with 429",
    wholeQuota,
    async (stage) => {
      expectQuota(stage, "discover", await inOneWindow(stage.account, "discover", async () => null));
    },
  ),

  check(
    ["LIMI-02", "LIMI-10", "LIMI-13", "LIMI-14", "LIMI-15"],
    "Inspect admits exactly its quota in a window, however many requests come at the same time",
    wholeQuota,
    async (stage) => {
      expectQuota(stage, "inspect", await inOneWindow(stage.account, "inspect", async () => null));
    },
  ),

  check(
    ["LIMI-03", "LIMI-08", "LIMI-09", "LIMI-13", "LIMI-14", "LIMI-15"],
    "Probe admits exactly its quota in a window; another account and other operations go on",
    { ...wholeQuota, needs: ["other_account"] },
    async (stage) => {
      const { account, expect, profile } = stage;
      const second = await stage.other();
      const burst = await inOneWindow(account, "probe", async () => ({
        elsewhere: await freeRequest(second, "probe"),
        others: [
          await freeRequest(account, "discover"),
          await freeRequest(account, "inspect"),
          await account.ask("call", { ...modestRequest("call", profile), impatient: true }),
        ],
      }));
      const { elsewhere, others } = burst.seen;
      expect(elsewhere.status, "the status of another account's Probe").not(429);
      for (const answer of others) {
        expect(answer.status, `the status of ${answer.exchange.operation} beside a used-up Probe`).not(429);
      }
      expectQuota(stage, "probe", burst);
    },
  ),

  check(
    ["LIMI-04", "LIMI-09", "LIMI-11", "LIMI-13", "LIMI-14", "LIMI-15"],
    "Call admits exactly its quota in a window, and executes nothing beyond it",
    { ...wholeQuota, needs: ["tool.included", "tool.charged"], credits: 20 },
    async (stage) => {
      const { account, tool, unique, expect } = stage;
      const burst = await inOneWindow(account, "call", async () => {
        const session = unique("session");
        // First, since a deployment may charge for Discover.
        const others = [await freeRequest(account, "probe"), await freeRequest(account, "discover")];
        const before = await account.credits();
        const calls = [];
        for (let time = 0; time < 3; time += 1) {
          calls.push(await account.call(tool("charged"), { session_id: session }, { impatient: true }));
        }
        return { before, calls, others, session };
      });
      for (const answer of burst.seen.others) {
        expect(answer.status, `the status of ${answer.exchange.operation} beside a used-up Call`).not(429);
      }
      expectQuota(stage, "call", burst);
      if (burst.returnsPermits && burst.seen.calls.some(({ status }) => status !== 429)) {
        throw new Unverifiable("the limiter admits a Call again before its window ends");
      }
      for (const call of burst.seen.calls) expect(call).toHaveStatus(429);
      const executed = await account.usageOf(burst.admitted[0]!);
      if (!executed.present) throw new Unverifiable("calls that were admitted leave no usage event either");
      await account.settled();
      const events = await account.events({ kind: "call", page_size: 50 });
      // A refused Call may leave an event, but not that of an execution.
      const left = events.filter((event) => event.at("session_id").value === burst.seen.session);
      const executions = left.filter(
        (event) => event.at("success").value === true || event.at("charge_outcome").value === "charged",
      );
      expect(executions, "the usage events of executions among calls that were refused with 429").toBeEmpty();
      expect(await account.credits(), "the credits after calls that were refused with 429").toBeCredits(
        burst.seen.before,
      );
    },
  ),

  check(
    "LIMI-07",
    "what one key of an account uses up, its other key cannot use",
    { ...wholeQuota, needs: ["second_key"] },
    async ({ account, profile, expect }) => {
      const second = account.withKey(profile.credentials.second_key_of_account!);
      usable(await second.discover("data"));
      const addresses = addressesOf(profile);
      const { refused, seen, returnsPermits } = await inOneWindow(account, "probe", async () => {
        const answers: Answer[] = [];
        for (const address of [...addresses, addresses[0]])
          answers.push(await freeRequest(second, "probe", address));
        return answers;
      });
      expect(refused.length, "requests of the first key that are refused with 429").toBeAtLeast(1);
      if (returnsPermits) throw new Unverifiable("the limiter admits a Probe again before its window ends");
      for (const answer of seen) expect(answer).toHaveStatus(429);
    },
  ),

  check(
    "LIMI-07",
    "what one key of an account requests lowers what its other key has left",
    { needs: ["second_key"], feature },
    async ({ account, profile, expect }) => {
      const second = account.withKey(profile.credentials.second_key_of_account!);
      for (const operation of ["discover", "inspect", "call"] as const) {
        if (operation === "call" && !profile.tools.included) continue;
        let lowered = await loweredBetween(account, second, operation);
        // In a sliding window, earlier requests may expire meanwhile.
        if (lowered === null || lowered < 2) lowered = await loweredBetween(account, second, operation);
        if (lowered === null)
          throw new Unverifiable("windows end too often for requests of two keys to be seen in one");
        // Four requests lower it by four; with gradual refill, by at least two.
        expect(lowered, `how far ${operation} of both keys lowers X-RateLimit-Remaining`).toBeAtLeast(2);
      }
    },
  ),

  check(
    ["LIMI-13", "LIMI-15"],
    "the headers show each operation's quota, and that its window ends soon",
    { feature },
    async ({ account, profile, expect }) => {
      for (const operation of limitedOperations) {
        if (operation === "call" && !profile.tools.included) continue;
        const answer = usable(await freeRequest(account, operation));
        const limit = limitHeader(answer, "X-RateLimit-Limit");
        expect(limit, `X-RateLimit-Limit of ${operation}`).toBe(profile.limits[operation]);
        const reset = limitHeader(answer, "X-RateLimit-Reset");
        const took = answer.exchange.duration_ms / 1000;
        const measured = answeredWithin(answer).map(({ answered, off }) => ({
          ahead: reset - answered,
          least: -off - took,
          most: profile.limits.window + off,
        }));
        const fits = measured.find(({ ahead, least, most }) => ahead >= least && ahead <= most);
        const { ahead, least, most } = fits ?? measured[0]!;
        expect(ahead, `seconds from now to X-RateLimit-Reset of ${operation}`).toBeBetween(least, most);
      }
    },
  ),

  check(
    ["LIMI-13", "LIMI-18"],
    "a Call that the account cannot pay for shows the same quota and the same remainder as the Calls around it",
    { feature, needs: ["exhausted", "tool.charged", "tool.included"] },
    async (stage) => {
      const { stranger, profile, tool } = stage;
      const account = stranger.withKey(profile.credentials.exhausted!);
      await expectSameQuota(stage, account, "call", async () => {
        const refused = await account.call(tool("charged"), {}, { impatient: true });
        if (refused.status !== 402) throw new Unverifiable("no Call is refused for insufficient credits");
        return refused;
      });
    },
  ),

  ...limitedOperations.map((operation) =>
    check(
      ["LIMI-13", "LIMI-18"],
      `a refused ${operation} shows the same quota and the same remainder as the requests around it`,
      // In a sliding window, an earlier check's requests would expire meanwhile.
      { feature, fresh: true, needs: operation === "call" ? ["tool.included"] : [] },
      async (stage) => {
        const { account, profile, unique } = stage;
        const asks = [
          { body: {} },
          { query: { tool_id: unique("no.such.tool") }, body: {} },
          { ...modestRequest("probe", profile), body: { checks: "none" } },
        ];
        for (const ask of operation === "probe" ? asks : asks.slice(0, 1)) {
          await expectSameQuota(stage, account, operation, () => account.ask(operation, ask));
        }
      },
    ),
  ),

  check(
    "LIMI-18",
    "requests at the same time and one after another each lower X-RateLimit-Remaining by one",
    // In a sliding window, an earlier check's requests would expire meanwhile.
    { feature, fresh: true },
    async (stage) => {
      const known = knownTool(stage.profile);
      const asked = { discover: true, inspect: known, probe: known, call: stage.profile.tools.included };
      for (const operation of limitedOperations) {
        if (asked[operation]) await expectLowered(stage, operation);
      }
    },
  ),

  check(
    "LIMI-19",
    "each read, and a registration, is let in after Retry-After where it is refused with 429",
    async ({ account, profile, expect }) => {
      const isCertain = (id: OperationId): boolean =>
        operations[id].changes === null || id === "registerAnonymous";
      let isAnyServed = false;
      for (const operation of operationsOf(profile).filter(isCertain)) {
        const isShut = await account.ask(operation, modestRequest(operation, profile)).then(
          ({ status }) => {
            isAnyServed ||= status === 200;
            return false;
          },
          (error: unknown) => {
            if (error instanceof Shut) return true;
            throw error;
          },
        );
        expect(isShut, `whether ${operation} refuses every request, after any Retry-After`).toBe(false);
      }
      if (!isAnyServed) throw new Unverifiable("no request is served, with or without Retry-After");
    },
  ),

  ...retried.map(([what, limited]) =>
    check(
      "LIMI-19",
      `a request${what} after Retry-After seconds is admitted again`,
      { ...wholeQuota, window: true },
      async ({ account, profile, expect }) => {
        const refused: { operation: LimitedOperation; seconds: number }[] = [];
        for (const operation of limited) {
          if (operation === "call" && !profile.tools.included) continue;
          const last = (await inOneWindow(account, operation, async () => null)).refused.at(-1);
          if (last === undefined) continue;
          refused.push({ operation, seconds: Number(last.headers["retry-after"] ?? NaN) });
        }
        if (refused.length === 0) throw new Unverifiable("no request was refused, so none can be sent again");
        let waited = 0;
        for (const { operation, seconds } of refused.sort((one, other) => one.seconds - other.seconds)) {
          const { window } = profile.limits;
          expect(seconds, `Retry-After of a 429 of ${operation}`).toBeBetween(0, window + slack);
          // One more second, for a server that rounds down.
          const wait = Math.max(0, seconds + 1 - waited);
          await account.session.pause(1000 * wait, "Retry-After seconds to go by");
          waited += wait;
          const again = await freeRequest(account, operation);
          const after = `${seconds + 1} seconds after the 429`;
          expect(again.status, `the status of a request of ${operation} ${after}`).not(429);
        }
      },
    ),
  ),
];

/** The headers that the contract names besides Retry-After. It leaves open which answers have them. */
const limitHeaders = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

/**
 * A burst sends more than a quota at once: exactly the quota is admitted and the rest refused. A limiter that refills
 * gradually may also admit as many as it restores during the burst.
 */
function expectQuota({ expect, profile }: Stage, operation: LimitedOperation, burst: WindowBurst): void {
  const quota = profile.limits[operation];
  const window = `requests of ${operation} that one window of ${profile.limits.window} seconds admits${byAddress(profile, burst)}`;
  const before = `after one of ${operationBefore(operation)}, whose quota is its own`;
  const sent = [...burst.admitted, ...burst.refused];
  const returned = burst.returnsPermits ? permitsReturned(quota, profile.limits.window, sent) : 0;
  expect(burst.admitted.length, `${window}, ${before}`).toBeBetween(quota, quota + Math.ceil(returned));
  for (const { headers } of burst.refused.slice(0, 1)) {
    const limit = headers["x-ratelimit-limit"];
    if (limit !== undefined) expect(Number(limit), `X-RateLimit-Limit of a 429 of ${operation}`).toBe(quota);
  }
  expect(burst.refused.length, `requests of ${operation} that are refused with 429`).toBeAtLeast(1);
  for (const name of limitHeaders) {
    const values = sent.flatMap(({ headers }) => headers[name.toLowerCase()] ?? []);
    expect(values, `${name} of the answers of ${operation}`).toHoldSomething();
  }
}

/** How many each address of a server admitted, where it has several. */
function byAddress(profile: Profile, { admitted }: WindowBurst): string {
  const addresses = addressesOf(profile);
  if (addresses.length === 1) return "";
  const counts = addresses.map(
    (address) =>
      `${admitted.filter(({ exchange }) => exchange.request.url.startsWith(`${address}/`)).length} at ${address}`,
  );
  return ` together (${counts.join(", ")})`;
}

/**
 * How much X-RateLimit-Remaining falls for the second key while the first key makes three requests; null when a window
 * ends in between or a request is refused.
 */
async function loweredBetween(
  first: Account,
  second: Account,
  operation: LimitedOperation,
): Promise<number | null> {
  const answers: Answer[] = [];
  for (const who of [second, first, first, first, second]) answers.push(await freeRequest(who, operation));
  const [from, to] = [answers[0]!, answers.at(-1)!];
  const [reset, later] = [from, to].map((answer) => limitHeader(answer, "X-RateLimit-Reset"));
  if (reset !== later || answers.some(({ status }) => status === 429)) return null;
  return limitHeader(from, "X-RateLimit-Remaining") - limitHeader(to, "X-RateLimit-Remaining");
}

/** A refused request states its operation's quota, and has as much of it left as the requests around it. */
async function expectSameQuota(
  { expect, profile }: Stage,
  account: Account,
  operation: LimitedOperation,
  refuse: () => Promise<Answer>,
): Promise<void> {
  const admitted = async (): Promise<Answer> => {
    const answer = await freeRequest(account, operation);
    if (answer.status === 200) return answer;
    throw new Unverifiable(`a free request next to it is answered ${answer.status}`);
  };
  const answers = [await admitted(), await refuse(), await admitted()];
  const [limits, resets, left] = ["limit", "reset", "remaining"].map((name) =>
    answers.map(({ headers }) => headers[`x-ratelimit-${name}`]),
  ) as [string[], string[], string[]];
  const { status } = answers[1]!;
  if (status < 400 || limits[1] === undefined) {
    throw new Unverifiable("no refused request says what is left");
  }
  const ofStatus = `of status ${status}`;
  expect(Number(limits[1]), `X-RateLimit-Limit ${ofStatus}`).toBe(profile.limits[operation]);
  if (left[1] === undefined || new Set(resets).size > 1) return;
  const [most, least] = [Number(left[0]), Number(left[2])];
  // A limiter that refills gradually raises it meanwhile.
  const raised = Math.ceil(permitsReturned(profile.limits[operation], profile.limits.window, answers));
  expect(Number(left[1]), `X-RateLimit-Remaining ${ofStatus}`).toBeBetween(least - raised, most + raised);
}

/** Requests at the same time and one after another each lower X-RateLimit-Remaining by one. */
async function expectLowered(
  { account, profile, expect }: Stage,
  operation: LimitedOperation,
): Promise<void> {
  const answers = await Promise.all(Array.from({ length: 8 }, () => freeRequest(account, operation)));
  for (let time = 0; time < 2; time += 1) answers.push(await freeRequest(account, operation));
  const resets = resetsOf(answers);
  if (resets === null) throw new Unverifiable("the server's answers do not carry X-RateLimit-Reset");
  if (answers.every(({ status }) => status === 429)) {
    throw new Unverifiable(`an earlier run has used up the account's window of ${operation}`);
  }
  const windows = Map.groupBy(answers, (_, index) => resets[index]!);
  for (const inWindow of windows.values()) {
    const admitted = inWindow.filter((answer) => answer.status !== 429);
    if (admitted.length === 0) continue;
    const remaining = admitted
      .map((answer) => limitHeader(answer, "X-RateLimit-Remaining"))
      .sort((one, other) => other - one);
    const fallen = remaining[0]! - remaining.at(-1)!;
    // A limiter that refills gradually raises it meanwhile and moves its reset with each request.
    const raised = Math.floor(permitsReturned(profile.limits[operation], profile.limits.window, admitted));
    const most = windows.size <= 2 ? admitted.length - 1 : Infinity;
    const what = `${admitted.length} requests of ${operation} in one window`;
    expect(fallen, `how far ${what} lower X-RateLimit-Remaining`).toBeBetween(
      admitted.length - 1 - raised,
      most,
    );
    if (raised === 0) expect(new Set(remaining).size, "how many values it takes").toBe(remaining.length);
  }
}
