import { atMostCredits, sameCredits } from "../../judge/credits.ts";
import type { Expect } from "../../judge/expect.ts";
import { check } from "../../run/check.ts";
import { usable, type Account } from "../../server/account.ts";
import type { Answer, Located } from "../../judge/answer.ts";
import type { Need } from "../../../generated/contract.ts";
import type { Role, Use } from "../../server/profile.ts";
import { candidatesForTotal } from "../../books/unnamed.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import { settledOf } from "./traces.ts";

/** A form in which a Call can be answered: in words, what is called, and how. */
type Way = readonly [words: string, role: Role, more: Record<string, unknown>];

/** The forms by the need of each. */
const waysToCall = {
  "tool.charged": [
    ["answered whole", "charged", {}],
    ["answered by its summary", "charged", { respond_with: "summary" }],
    ["answered by fields", "charged", { respond_with: "fields:$" }],
  ],
  "tool.large_result": [["whose result is truncated", "large_result", { max_response_size: 1000 }]],
  "tool.provider_error": [["that fails at its provider", "provider_error", {}]],
} as const satisfies Partial<Record<Need, readonly Way[]>>;

const whole = (role: Role): Way => ["answered whole", role, {}];

/** What is called one after another, by the role that it is about. A Call that may be free follows one that is charged. */
const calledInTurn = {
  charged: waysToCall["tool.charged"],
  charged_decimal: [whole("charged_decimal"), whole("charged_decimal"), whole("charged_decimal")],
  large_result: [whole("charged"), ...waysToCall["tool.large_result"]],
  provider_error: [whole("charged"), ...waysToCall["tool.provider_error"]],
} as const satisfies Partial<Record<Role, readonly Way[]>>;

export const checks = [
  check(
    "ACCT-02",
    "after a charged Call each read shows the balance, whatever was read before",
    { needs: ["tool.charged", "other_account"] },
    async ({ account, other, tool, profile, expect }) => {
      const second = await other();
      const use = tool("charged");
      const known = profile.features.capabilities === undefined ? profile.capabilities.detail : undefined;
      const leftInDetail = async (): Promise<Located | null> =>
        known ? leftIn(await account.ask("getCapability", { parameter: known.id })) : null;
      // A read may cache its first answer forever.
      await leftInDiscover(account);
      await leftInDetail();
      await account.succeed(use);
      await account.settled();
      const before = await leftInInspect(account, use);
      // Not by Discover: a server that mixes up accounts there would hide that their balances are equal.
      const elsewhere = await leftInInspect(second, use);
      if (before !== null && elsewhere !== null && sameCredits(before.number, elsewhere.number)) {
        await account.succeed(use);
        await account.settled();
      }

      const inspected = await leftInInspect(account, use);
      await leftInDiscover(second);
      const discovered = await leftInDiscover(account);
      await leftInDiscover(second);
      const again = await leftInDiscover(account);
      await leftInInspect(second, use);
      const said: [string, Located | null][] = [
        ["Inspect", await leftInInspect(account, use)],
        ["capability detail", await leftInDetail()],
      ];
      const credits = usable(await account.ask("getCredits")).at("data");
      // If Discover is charged, each one reports a different balance and leaves another.
      if (discovered?.value === again?.value) {
        said.push(["Discover", again]);
        if ((await leftInInspect(account, use))?.value !== inspected?.value)
          throw new Unverifiable("the credits of the account keep moving");
      }
      const stated = said.filter((statement): statement is [string, Located] => statement[1] !== null);
      if (stated.length === 0) throw new Unverifiable("no read says what an account has left");
      const left = mostLikely(
        stated.map(([, located]) => located.number),
        [...candidatesForTotal(credits).values()],
      );
      for (const [what, located] of stated) expect(located, `remaining_credits of ${what}`).toBeCredits(left);
    },
  ),

  ...Object.entries(waysToCall).map(([need, ways]) =>
    check(
      "BILL-10",
      `remaining_credits is the balance after the charge of a Call ${ways.map(([what]) => what).join(", ")}`,
      { needs: ["tool.charged", need as Need], credits: 8 },
      async ({ account, tool, profile, expect }) => {
        await account.settled();
        const { projection } = profile.features;
        // The balance before another charge is a different one.
        const calls = [{ what: "before", call: await account.succeed(tool("charged")) }];
        for (const [what, role, more] of ways)
          if (projection === undefined || !("respond_with" in more))
            calls.push({ what, call: await account.call(tool(role), more) });
        if (calls.every(({ call }) => !call.at("remaining_credits").present))
          throw new Unverifiable("the Call does not say what remains");
        await account.settled();
        const events = await account.events({ kind: "call", page_size: 20 });
        const settledBy = ({ call }: { call: Answer }): number => {
          const id = call.at("execution_id").value;
          const event = events.find((event) => id !== undefined && event.at("execution_id").value === id);
          if (event === undefined) throw new Blocked("a Call has no usage event", call.exchange);
          return Number(settledOf(event).value ?? 0);
        };
        if (calls.every((call) => settledBy(call) === 0)) throw new Unverifiable("no Call was charged");
        let left = await account.credits();
        for (const call of calls.toReversed()) {
          const remaining = call.call.at("remaining_credits");
          if (typeof remaining.value === "number")
            expect(remaining, `remaining_credits of a Call ${call.what}`).toBeCredits(left);
          left += settledBy(call);
        }
      },
    ),
  ),

  ...Object.entries(calledInTurn).map(([role, ways]) =>
    check(
      "BILL-43",
      `remaining_credits of a Call is a balance that the account had: ${role}`,
      { needs: [...new Set(ways.map(([, called]) => `tool.${called}` as const))], credits: 8 },
      async ({ account, tool, profile, expect }) => {
        const { projection } = profile.features;
        const answered = ways.filter(([, , more]) => projection === undefined || !("respond_with" in more));
        const asks = answered.map(
          ([, called, more]) =>
            () =>
              account.call(tool(called), more),
        );
        await expectBalancesHad(expect, account, asks);
      },
    ),
  ),

  check(
    "BILL-43",
    "remaining_credits of a capability query is a balance that the account had",
    { needs: ["capability.query"], feature: "capabilities", credits: 10 },
    async ({ account, capability, expect }) => {
      const { id: capability_id, parameters } = capability("query");
      const body = { capability_id, parameters, max_credits: 100 };
      await expectBalancesHad(expect, account, [() => account.ask("queryCapability", { body })]);
    },
  ),

  check(
    "BILL-10",
    "remaining_credits of a capability query is the balance after its charge",
    { needs: ["capability.query"], feature: "capabilities", credits: 10 },
    async ({ account, capability, expect }) => {
      await account.settled();
      const { id, parameters } = capability("query");
      const query = usable(
        await account.ask("queryCapability", { body: { capability_id: id, parameters, max_credits: 100 } }),
      );
      await account.settled();
      if (query.at("credits_used").value === 0) throw new Unverifiable("the query was not charged");
      expect(query.at("remaining_credits")).toBeCredits(await account.credits());
    },
  ),
];

/**
 * Expects each of several answers, one after another, to say what the account had left before or after it, or less.
 * @throws Unverifiable where none says it, or none was charged
 */
async function expectBalancesHad(
  expect: Expect,
  account: Account,
  asks: readonly (() => Promise<Answer>)[],
): Promise<void> {
  await account.settled();
  const first = await account.credits();
  let before = first;
  let said = 0;
  for (const ask of asks) {
    const remaining = usable(await ask()).at("remaining_credits");
    await account.settled();
    const after = await account.credits();
    if (typeof remaining.value === "number") {
      said += 1;
      expect(remaining).toSatisfy(
        `${before}, as before the charge, or at most ${after}, as after it`,
        (left) => sameCredits(Number(left), before) || atMostCredits(Number(left), after),
      );
    }
    before = after;
  }
  if (said === 0) throw new Unverifiable("no answer says what remains");
  if (before >= first) throw new Unverifiable("nothing was charged");
}

/** The remaining credits in an answer; null when it does not say, as it may. */
function leftIn(answer: Answer): Located | null {
  const left = usable(answer).at("remaining_credits");
  return typeof left.value === "number" ? left : null;
}

const leftInDiscover = async (account: Account): Promise<Located | null> =>
  leftIn(await account.discover({ query: "data", limit: 1 }));

const leftInInspect = async (account: Account, { id }: Use): Promise<Located | null> =>
  leftIn(await account.inspect([id]));

/**
 * The remaining credits according to several reads, one of which may be wrong: the value that the credits confirm, else
 * the most frequent.
 * @param total the amounts among which the credits show the remaining total
 */
function mostLikely(said: readonly number[], total: readonly number[]): number {
  const likely = (value: number): number =>
    (total.some((amount) => sameCredits(amount, value)) ? said.length : 0) +
    said.filter((other) => sameCredits(other, value)).length;
  return said.toSorted((one, other) => likely(other) - likely(one))[0]!;
}
