import type { Impostor } from "./impostor.ts";
import { serving } from "./serving.ts";

/** A server that gives every request the same answer. It satisfies many prohibitions, but only by accident. */
const constant = (name: string, status: number, body: string): Impostor => ({
  name,
  keepsNothing: true,
  perform: (_stage, profile, use) =>
    serving(
      () => ({ status, body }),
      (baseUrl) => use({ ...profile, base_url: baseUrl }),
    ),
});

export const constantServers: readonly Impostor[] = [
  constant("always 200 {}", 200, "{}"),
  constant("always 404", 404, '{"status":"failure","message":"not found"}'),
  constant("always 500", 500, '{"status":"failure","message":"failed"}'),
  constant("always empty", 200, ""),
];
