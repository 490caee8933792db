import { EventEmitter } from "node:events";
import type { ClientRequest } from "node:http";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { receive, requireShallow } from "./receive.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("gives up an answer that has fallen silent, and does not count its own earlier pause", async () => {
  const request = Object.assign(new EventEmitter(), { destroy: vi.fn() });
  const answer = receive(request as unknown as ClientRequest, { silenceMs: 30_000, bytes: 1_000 });
  const refusal = expect(answer).rejects.toThrow("no answer within the deadline of 30 s");
  request.emit("timeout");
  await vi.advanceTimersByTimeAsync(20_000);
  request.emit("response", new EventEmitter());
  await vi.advanceTimersByTimeAsync(29_000);
  expect(request.destroy).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1_000);
  await refusal;
});

it("gives up an endless answer after a few deadlines", async () => {
  const request = Object.assign(new EventEmitter(), { destroy: vi.fn() });
  const answer = receive(request as unknown as ClientRequest, { silenceMs: 30_000, bytes: 1_000 });
  const refusal = expect(answer).rejects.toThrow("the answer did not end within 120 s");
  const incoming = new EventEmitter();
  request.emit("response", incoming);
  for (let second = 0; second < 100; second += 25) {
    incoming.emit("data", Buffer.from(" "));
    await vi.advanceTimersByTimeAsync(25_000);
    expect(request.destroy).not.toHaveBeenCalled();
  }
  incoming.emit("data", Buffer.from(" "));
  await vi.advanceTimersByTimeAsync(20_000);
  await refusal;
  expect(request.destroy).toHaveBeenCalled();
});

it("brackets in strings are not levels, whatever is escaped there, but those after them are", () => {
  const strings = JSON.stringify(Array.from({ length: 201 }, (_, at) => `["[{${"\\".repeat(at % 3)}`));
  const deep = "[".repeat(200) + "]".repeat(200);
  expect(() => requireShallow(strings)).not.toThrow();
  expect(() => requireShallow(`[${strings},${deep}]`)).toThrow("nested deeper than 200 levels");
  expect(() => requireShallow(`${strings.slice(0, -2)},${deep}`)).not.toThrow();
});
