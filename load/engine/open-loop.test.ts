import { createServer, type Server } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { someSender } from "./came.fixture.ts";
import type { Clock } from "./clock.ts";
import { openLoop, openSending } from "./open-loop.ts";
import { plan } from "./planned.ts";

/** A clock that stands still except for pauses and explicit advances. */
function heldClock(): Clock & { time: number } {
  return {
    time: 1_000_000,
    now() {
      return this.time;
    },
    async pause(milliseconds) {
      this.time += Math.max(0, milliseconds);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

const request = plan("discover", someSender, { body: { query: "data" } });

async function serving(
  listener: Parameters<typeof createServer>[1],
): Promise<{ server: Server; url: string }> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1` };
}

test("beginnings keep the moments set for them, however late the sender is", async () => {
  const clock = heldClock();
  const startAt = clock.time;
  const begun: { intended: number; really: number }[] = [];
  await openLoop({
    rate: 100,
    seconds: 0.1,
    clock,
    begin: (_, intendedAt) => {
      begun.push({ intended: intendedAt - startAt, really: clock.time - startAt });
      // The third request delays the sender for longer than two intervals.
      if (begun.length === 3) clock.time += 25;
      return Promise.resolve();
    },
  });
  expect(begun.map(({ intended }) => Math.round(intended))).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90]);
  expect(begun.map(({ really }) => Math.round(really))).toEqual([0, 10, 20, 45, 45, 50, 60, 70, 80, 90]);
});

test("a beginning does not wait for those before it", async () => {
  const clock = heldClock();
  let open = 0;
  let most = 0;
  const ends: (() => void)[] = [];
  await openLoop({
    rate: 10,
    seconds: 1,
    clock,
    begin: async (index) => {
      most = Math.max(most, (open += 1));
      if (index < 9) await new Promise<void>((resolve) => ends.push(resolve));
      else for (const end of ends) end();
      open -= 1;
    },
  });
  expect(most).toBe(10);
  expect(open).toBe(0);
});

test("latency counts from the intended moment", async () => {
  const clock = heldClock();
  const { server, url } = await serving((_, response) => {
    clock.time += 70;
    response.writeHead(429, { "Retry-After": "3" }).end("{}");
  });
  const sending = openSending(url, clock);
  try {
    const came = await sending.send(request, clock.time - 30);
    expect(came.exchange.response).toMatchObject({
      status: 429,
      body: "{}",
      headers: { "retry-after": "3" },
    });
    expect(came.answeredAt - came.sentAt).toBe(100);
    expect(came.exchange.duration_ms).toBe(100);
  } finally {
    sending.close();
    server.close();
  }
});

test("an answer that does not come is an exchange without one", async () => {
  const { server, url } = await serving((incoming) => incoming.socket.destroy());
  const sending = openSending(url);
  try {
    const { exchange } = await sending.send(request);
    expect(exchange.response).toBeNull();
    expect(exchange.error).not.toBe("");
  } finally {
    sending.close();
    server.close();
  }
});
