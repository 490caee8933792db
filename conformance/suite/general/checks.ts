import { check } from "../../run/check.ts";
import { operations, type OperationId } from "../../../generated/contract.ts";
import { usable } from "../../server/account.ts";
import { modestRequest, operationsOf } from "../../server/requests.ts";

/** These request resources that may not exist, so a 404 says nothing about their path. */
const mayMiss = [
  "probe",
  "call",
  "queryCapability",
  "getCapability",
  "startClaim",
  "verifyClaim",
  "getLedgerEntry",
  "getUsageEvent",
];

/** The contract lists these for a capability query, and capability detail answers as it does. */
const failures: Partial<Record<OperationId, readonly number[]>> = {
  queryCapability: [500, 503],
  getCapability: [500, 503],
};

/** These cannot succeed without a field of their body; a Call has its own way to say so. */
const needsItsBody: readonly OperationId[] = ["discover", "inspect", "queryCapability"];

export const checks = [
  check(
    "HTTP-01",
    "every operation is at its path below a base URL that ends in /api/v1",
    async ({ account, stranger, profile, expect }) => {
      expect(profile.base_url.replace(/\/+$/, ""), "the base URL").toMatch(/\/api\/v1$/, "ends in /api/v1");
      for (const operation of operationsOf(profile)) {
        const who = operations[operation].needsCredential ? account : stranger;
        const request = modestRequest(operation, profile);
        // The parameter adds nothing to JSON, and many clients send it.
        const headers: Record<string, string> =
          request.body === undefined ? {} : { "content-type": "application/json; charset=utf-8" };
        const { status } = await who.ask(operation, { ...request, headers });
        expect(status, `the status of ${operation} for JSON in UTF-8`).not(415);
        const absent = mayMiss.includes(operation) ? [405] : [404, 405];
        const listed = failures[operation] ?? [];
        expect(status, `the status of ${operation}`).toSatisfy(
          `to show that it is there: ${["below 500", ...listed].join(" or ")}, and not ${absent.join(" or ")}`,
          () => listed.includes(status) || (status < 500 && !absent.includes(status)),
        );
      }
    },
  ),

  check("HTTP-04", "a body that is not JSON is refused with a 4xx", async ({ account, profile, expect }) => {
    usable(await account.discover({ query: "data", limit: 1 }));
    const posted = operationsOf(profile).filter(
      (id) => operations[id].method === "POST" && modestRequest(id, profile).body !== undefined,
    );
    for (const operation of posted) {
      const request = modestRequest(operation, profile);
      // The open operations have their own quota per client address, so send one request of each.
      const bodies = operations[operation].needsCredential
        ? ['{"query": "data"', "{'query': 'data'}"]
        : ["{"];
      for (const body of bodies) {
        const { status } = await account.ask(operation, { ...request, body });
        expect(status, `the status of ${operation} for ${body}`).toBeBetween(400, 499);
      }
    }
  }),

  check(
    "HTTP-04",
    "JSON that is not an object does not break the server",
    async ({ account, profile, expect }) => {
      usable(await account.discover({ query: "data", limit: 1 }));
      const posted = operationsOf(profile).filter((id) => modestRequest(id, profile).body !== undefined);
      for (const operation of posted) {
        const request = modestRequest(operation, profile);
        const bodies = operations[operation].needsCredential ? ["null", "[]"] : ["null"];
        if (operation === "discover") bodies.push("42", '"data"');
        const least = needsItsBody.includes(operation) ? 400 : 200;
        for (const body of bodies) {
          const { status } = await account.ask(operation, { ...request, body });
          expect(status, `the status of ${operation} for ${body}`).toBeBetween(least, 499);
        }
      }
    },
  ),

  check(
    "HTTP-04",
    "a request without its body does not break the server",
    async ({ account, profile, expect }) => {
      usable(await account.discover({ query: "data", limit: 1 }));
      const posted = operationsOf(profile).filter(
        (id) => operations[id].needsCredential && modestRequest(id, profile).body !== undefined,
      );
      for (const operation of posted) {
        const { status } = await account.ask(operation, {
          ...modestRequest(operation, profile),
          body: undefined,
        });
        const least = needsItsBody.includes(operation) ? 400 : 200;
        expect(status, `the status of ${operation} without a body`).toBeBetween(least, 499);
      }
    },
  ),
];
