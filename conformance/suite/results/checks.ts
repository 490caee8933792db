import { encoded } from "../../../base/address.ts";
import { isDeepStrictEqual } from "node:util";
import { check, type Stage } from "../../run/check.ts";
import type { Account } from "../../server/account.ts";
import type { Answer } from "../../judge/answer.ts";
import { download } from "../../server/download.ts";
import type { Use } from "../../server/profile.ts";
import { Blocked, Unverifiable } from "../../judge/verdict.ts";
import { settledOf } from "../billing/traces.ts";
import { betweenPlainCalls } from "../call/plain-calls.ts";
import { isSatisfied } from "./content-schema.ts";
import { defaultSize, isBeginning, sizeOf } from "./payload.ts";
import { unlessChanged } from "./projections.checks.ts";

const large = { needs: ["tool.large_result"], feature: "truncation", credits: 12 } as const;
const stored = {
  needs: ["tool.large_result", "object_storage"],
  feature: "truncation",
  credits: 12,
} as const;

export const checks = [
  check(["RSLT-01", "RSLT-06"], "a payload above the default size is truncated", large, async (stage) => {
    await largePayload(stage);
    const call = await stage.account.succeed(stage.tool("large_result"));
    stage.expect(call.at("result.truncated_content")).toBePresent();
    stage.expect(call.at("result.data")).toBeAbsent();
  }),

  check(
    "RSLT-01",
    "a payload is truncated without max_response_size as at the default",
    large,
    async (stage) => {
      const cut = async (size: number | null) =>
        (await truncated(stage, size)).at("result.truncated_content");
      const [before, asked, after] = [await cut(null), await cut(defaultSize), await cut(null)];
      if (before.value !== after.value) throw new Unverifiable("the tool answers something else each time");
      stage.expect(asked.value === before.value, "whether both hold the same truncated_content").toBe(true);
    },
  ),

  check(
    "RSLT-02",
    "a payload below the default size is not truncated",
    { needs: ["tool.charged"] },
    async ({ account, tool, expect }) => {
      const payload = await payloadOf(account, tool("charged"));
      if (widest * sizeOf(payload) > defaultSize) throw new Unverifiable("the result is not clearly small");
      const call = await account.succeed(tool("charged"));
      expect(call.at("result.data")).toSatisfy("to be there", (data) => data !== undefined);
      expect(call.at("result.truncated_content").present, "whether the result is truncated").toBe(false);
    },
  ),

  check(
    "RSLT-03",
    "a payload above max_response_size is truncated, whatever the default",
    large,
    async (stage) => {
      const payload = await largePayload(stage);
      const size = sizeOf(payload);
      // The limit is in bytes: for a text with far fewer characters than bytes, a limit in between shows the
      // difference.
      const characters = (typeof payload === "string" ? payload : JSON.stringify(payload)).length;
      const between = characters < 0.95 * size ? [Math.floor(0.99 * size)] : [];
      const least = await stage.account.call(stage.tool("large_result"), { max_response_size: 1 });
      stage.expect(least).toHaveStatus(200);
      for (const limit of [1000, Math.floor(size / 1.1), ...between]) {
        const use = stage.tool("large_result");
        const call = await stage.account.succeed(use, { max_response_size: limit });
        if (!isTruncated(call)) await unlessChanged(stage, { use, payload });
        expectCut(stage, call, { size, limit });
      }
    },
  ),

  check(
    "RSLT-03",
    "a small payload is truncated at half its size",
    { needs: ["tool.charged"], feature: "truncation" },
    async (stage) => {
      const { account, expect } = stage;
      const use = stage.tool("charged");
      const payload = await payloadOf(account, use);
      const size = sizeOf(payload);
      if (size < 20) throw new Unverifiable(`the result of ${use.id} has only ${size} bytes`);
      const limit = Math.floor(size / 2);
      const call = await account.call(use, { max_response_size: limit });
      if (call.status === 422) throw new Unverifiable(`a max_response_size of ${limit} is refused`);
      expect(call).toHaveSucceeded();
      if (!isTruncated(call)) await unlessChanged(stage, { use, payload });
      expectCut(stage, call, { size, limit });
    },
  ),

  check("RSLT-04", "a payload below max_response_size is not truncated", large, async (stage) => {
    const size = sizeOf(await largePayload(stage));
    const limit = widest * size;
    const call = await stage.account.succeed(stage.tool("large_result"), { max_response_size: limit });
    const whole = `not to be truncated, since its ${size} bytes are fewer than ${limit}`;
    stage.expect(call.at("result")).toSatisfy(whole, () => !isTruncated(call));
    stage.expect(call.at("result.data")).toBePresent();
  }),

  check("RSLT-05", "max_response_size -1 disables truncation", large, async (stage) => {
    await truncated(stage, 1000);
    const call = await stage.account.succeed(stage.tool("large_result"), { max_response_size: -1 });
    stage.expect(isTruncated(call), "whether the result is truncated").toBe(false);
    stage.expect(call.at("result.data")).toBePresent();
    stage.expect(sizeOf(call.at("result.data").value), "bytes of the payload").toBeAtLeast(1000);
  }),

  check("RSLT-08", "truncated_content is the beginning of the payload", large, async (stage) => {
    const payload = await largePayload(stage, steadyPayload);
    for (const limit of [1000, 2503]) {
      const content = (await truncated(stage, limit)).at("result.truncated_content");
      stage.expect(content.string.length, `characters of truncated_content at ${limit}`).toBeAtLeast(1);
      stage
        .expect(content)
        .toSatisfy("to be the beginning of the payload", (text) => isBeginning(String(text), payload));
    }
  }),

  check("RSLT-09", "truncated_content holds no more bytes than max_response_size", large, async (stage) => {
    for (const size of [1000, 5000, null]) {
      const content = (await truncated(stage, size)).at("result.truncated_content").string;
      // A character split by truncation may become the replacement character, which is longer.
      const bytes = Buffer.byteLength(content.replace(/\uFFFD+$/, ""));
      const limit = size ?? defaultSize;
      stage.expect(bytes, `bytes of truncated_content at ${limit}`).toBeAtMost(limit);
    }
  }),

  check(
    "RSLT-12",
    "full_content_file_url delivers the whole payload without a credential",
    stored,
    async (stage) => {
      const { account, expect, profile } = stage;
      const payload = await largePayload(stage, steadyPayload);
      const call = await truncated(stage);
      const url = call.at("result.full_content_file_url").string;
      const file = await download(account.session, profile, url);
      expect(file).toHaveStatus(200);
      expect(isDownloadOf(payload, file), "whether the download is the whole payload").toBe(true);
    },
  ),

  check(
    "RSLT-12",
    "full_content_file_url delivers the payload of its own Call, not of the one before",
    { ...stored, needs: [...stored.needs, "tool.charged"] },
    async (stage) => {
      const { account, expect, profile } = stage;
      await truncated(stage, 1000);
      const use = stage.tool("charged");
      const payload = await steadyPayload(account, use);
      const call = await account.call(use, { max_response_size: Math.floor(sizeOf(payload) / 2) });
      const url = call.at("result.full_content_file_url");
      if (!isTruncated(call) || !url.present) throw new Unverifiable(`a Call of ${use.id} is not truncated`);
      const file = await download(account.session, profile, url.string);
      expect(isDownloadOf(payload, file), "whether the download is the payload of its own Call").toBe(true);
    },
  ),

  check(
    "RSLT-12",
    "full_content_file_url of a summary delivers the whole payload",
    { ...stored, feature: "projection" },
    async (stage) => {
      const { account, expect, profile, tool } = stage;
      const payload = await largePayload(stage, steadyPayload);
      const call = await account.succeed(tool("large_result"), { respond_with: "summary" });
      const url = call.at("result.full_content_file_url");
      if (!url.present) throw new Unverifiable("the summary has no full_content_file_url");
      const file = await download(account.session, profile, url.string);
      expect(file).toHaveStatus(200);
      expect(isDownloadOf(payload, file), "whether the download is the whole payload").toBe(true);
    },
  ),

  check("RSLT-13", "full_content_file_url with a changed signature is not served", stored, async (stage) => {
    const { account, expect, profile } = stage;
    const url = (await truncated(stage)).at("result.full_content_file_url").string;
    const file = await download(account.session, profile, url);
    if (file.status !== 200) throw new Blocked("full_content_file_url is not served", file.exchange);
    const refused = await download(account.session, profile, forged(url));
    expect(refused.status, "status with a changed signature").toBeAtLeast(400);
    expect(refused.text === file.text, "whether the payload is still delivered").toBe(false);
  }),

  check(
    "RSLT-14",
    "full_content_file_url is no longer served after ten years",
    { ...stored, needs: [...stored.needs, "time"] },
    async (stage) => {
      const { account, expect, profile } = stage;
      const url = (await truncated(stage)).at("result.full_content_file_url").string;
      const file = await download(account.session, profile, url);
      if (file.status !== 200) throw new Blocked("full_content_file_url is not served", file.exchange);
      await account.session.pause(tenYearsMs, "a signed address to expire");
      const late = await download(account.session, profile, url);
      const [before, after] = [file, late].map(({ headers }) => Date.parse(headers["date"] ?? ""));
      if (!(after! - before! > tenYearsMs / 2)) {
        throw new Unverifiable("the clock of the object storage was not set ahead");
      }
      expect(late.status, "status of the address after ten years").toBeAtLeast(400);
      expect(late.text === file.text, "whether the payload is still delivered").toBe(false);
    },
  ),

  check("RSLT-15", "the full content satisfies content_schema", large, async (stage) => {
    const payload = await largePayload(stage);
    const shown = (await truncated(stage)).at("result.content_schema");
    if (!shown.present) throw new Unverifiable("the truncated result has no content_schema");
    stage.expect(shown).toBeA("object");
    const satisfied = await isSatisfied(shown.value, payload);
    if (!satisfied) await unlessChanged(stage, { use: stage.tool("large_result"), payload });
    stage.expect(shown).toSatisfy("to be a JSON schema that the full content satisfies", () => satisfied);
  }),

  check("RSLT-16", "a truncated result has a content_schema", large, async (stage) => {
    stage.expect((await truncated(stage)).at("result.content_schema")).toBePresent();
  }),

  check("RSLT-18", "truncation does not change the charge", large, async (stage) => {
    const { account, tool, expect } = stage;
    const use = tool("large_result");
    const { usual, compared } = await betweenPlainCalls(account, use, { max_response_size: -1 }, async () => {
      const cut = await account.call(use, { max_response_size: 1000 });
      expect(cut).toHaveSucceeded();
      if (!isTruncated(cut)) throw new Blocked("the result is not truncated at 1000 bytes", cut.exchange);
      return [cut];
    });
    for (const { event } of compared) {
      expect(event.at("charge_outcome")).toBe(usual.at("charge_outcome").value);
      expect(settledOf(event)).toBeCredits(settledOf(usual).number);
    }
  }),
];

/** Maximum ratio between any other serialisation of a payload and its compact JSON, in bytes. */
const widest = 4;

/** Far beyond any sense of temporary. */
const tenYearsMs = 10 * 366 * 86_400_000;

/** The payload of a Call whose result is not truncated. */
async function payloadOf(account: Account, use: Required<Use>): Promise<unknown> {
  const call = await account.succeed(use, { max_response_size: -1 });
  const data = call.at("result.data");
  if (data.value === undefined)
    throw new Blocked("the result of max_response_size -1 has no data", call.exchange);
  return data.value;
}

/** The payload of a tool whose answers are constant. */
async function steadyPayload(account: Account, use: Required<Use>): Promise<unknown> {
  const [one, other] = [await payloadOf(account, use), await payloadOf(account, use)];
  if (isDeepStrictEqual(one, other)) return one;
  throw new Unverifiable(
    `${use.id} answers something else each time`,
    "tools: {large_result: A_STEADY_TOOL}",
  );
}

/** The large tool's payload, well above the default size. */
async function largePayload({ account, tool }: Stage, read = payloadOf): Promise<unknown> {
  const payload = await read(account, tool("large_result"));
  if (sizeOf(payload) < 1.1 * defaultSize) {
    throw new Unverifiable(
      `the result of ${tool("large_result").id} is not clearly above ${defaultSize} bytes`,
    );
  }
  return payload;
}

/** A Call of the large tool with a truncated result; null leaves the size to the server. */
async function truncated({ account, tool }: Stage, size: number | null = defaultSize): Promise<Answer> {
  const more = size === null ? {} : { max_response_size: size };
  const call = await account.succeed(tool("large_result"), more);
  if (isTruncated(call)) return call;
  throw new Blocked(`the result is not truncated at ${size ?? defaultSize} bytes`, call.exchange);
}

/** Whether a file contains a payload: as JSON, or as plain text. */
const isDownloadOf = (payload: unknown, file: Answer): boolean =>
  file.text === payload || isDeepStrictEqual(file.body, payload);

const isTruncated = (call: Answer): boolean =>
  call.at("result.truncated_content").present && !call.at("result.data").present;

/** Expects a result to be truncated, in bytes of its payload and of the limit. */
function expectCut(stage: Stage, call: Answer, { size, limit }: { size: number; limit: number }): void {
  const cut = `to be truncated, since its ${size} bytes are more than ${limit}`;
  stage.expect(call.at("result")).toSatisfy(cut, () => isTruncated(call));
}

/** The address with a changed signature: in the parameter so named, else in the longest one, else in the path. */
function forged(url: string): string {
  const address = new URL(url);
  const parameters = [...address.searchParams.keys()];
  const longest = parameters.toSorted(
    (one, other) => address.searchParams.get(other)!.length - address.searchParams.get(one)!.length,
  )[0];
  // Others may describe the signature, such as its version.
  const name = parameters.find((parameter) => /(signature|^sig)$/i.test(parameter)) ?? longest;
  const value = name === undefined ? address.pathname : address.searchParams.get(name)!;
  // Not the very last character: in base64 its lowest bits may be insignificant.
  const at = Math.max(0, value.length - 4);
  const changed = `${value.slice(0, at)}${value[at] === "0" ? "1" : "0"}${value.slice(at + 1)}`;
  // The last occurrence, since the same text may be part of the host.
  const written = url.includes(value) ? [value, changed] : [value, changed].map(encoded);
  const from = url.lastIndexOf(written[0]!);
  return url.slice(0, from) + written[1]! + url.slice(from + written[0]!.length);
}
