import { EventEmitter } from "node:events";
import type { Request, Response } from "express";
import { expect, it } from "vitest";
import { createAdmission, type Holding } from "./admission.ts";
import { CannotServe } from "./errors.ts";

/** Requests to an admission of 8 places and 1,000 bytes, so that an owner's share is 2 places and 250 bytes. */
function opened() {
  const admission = createAdmission({ places: 8, bytes: 1_000 });
  return (owner?: string): { holding: Holding; response: FakeResponse; refusal: unknown } => {
    const response = new FakeResponse();
    let refusal: unknown;
    admission.gate({} as Request, response as unknown as Response, (error?: unknown) => (refusal = error));
    const holding = admission.holding(response as unknown as Response);
    if (owner !== undefined) holding.belongTo(owner);
    return { holding, response, refusal };
  };
}

class FakeResponse extends EventEmitter {
  closed = false;
  destroy(): void {
    this.closed = true;
    this.emit("close");
  }
}

it("shares places while requests arrive", () => {
  const open = opened();
  open("one");
  open("one");
  expect(() => open("one")).toThrow("This account has 2 requests under way");
  expect(() => open("two")).not.toThrow();
});

it("gives a waiting place of the largest owner to another", () => {
  const open = opened();
  const arriving = ["one", "one", "two", "two", "three", "three", "four", "four"].map((owner) => open(owner));
  const { refusal } = open("five");
  expect(refusal).toBeUndefined();
  expect(arriving.map(({ response }) => response.closed)).toEqual([true, ...Array<boolean>(7).fill(false)]);
});

it("never takes the place of work", async () => {
  const open = opened();
  const ended = Promise.withResolvers<undefined>();
  const work = Array.from({ length: 8 }, (_, n) => open(`${n >> 1}`)).map(({ holding }) =>
    holding.during(() => ended.promise),
  );
  expect(open("nine").refusal).toBeInstanceOf(CannotServe);
  ended.resolve(undefined);
  await Promise.all(work);
  expect(open("nine").refusal).toBeUndefined();
});

it("counts a body, the work and the answer of one request once", () => {
  const open = opened();
  const { holding, response } = open("one");
  holding.add(200);
  expect(() => holding.add(51)).toThrow(CannotServe);
  holding.answer(250, false);
  expect(() => open("one").holding.add(1)).toThrow(CannotServe);
  expect(() => open("two").holding.add(250)).not.toThrow();
  response.destroy();
  expect(() => open("one").holding.add(250)).not.toThrow();
});

it("sends owed answers beyond the bound, and refuses others", () => {
  const open = opened();
  const { holding } = open("one");
  expect(() => holding.answer(251, false)).toThrow(CannotServe);
  expect(() => holding.answer(5_000, true)).not.toThrow();
  const { holding: later } = open("two");
  later.add(1);
  expect(holding).not.toBe(later);
});

it("ends the longest-waiting answer of the largest owner when the total is reached", () => {
  const open = opened();
  const answers = ["one", "one", "two", "three", "four"].map((owner, at) => {
    const opening = open(owner);
    opening.holding.answer(at < 2 ? 120 : 220, false);
    return opening;
  });
  open("five").holding.add(150);
  expect(answers.map(({ response }) => response.closed)).toEqual([true, false, false, false, false]);
});
