import { envelopeOperations } from "../../../generated/contract.ts";
import { has, observe, type Observer } from "../../judge/observer.ts";
import { isFields } from "../../judge/seen.ts";

const envelope = ["status", "status_code", "message", "data"];

export const observers: readonly Observer[] = [
  observe("R-001", envelopeOperations, ({ body }) => {
    if (!isFields(body) || !has(body, "status", "message")) return null;
    const others = Object.keys(body).filter((name) => !envelope.includes(name));
    if (others.length === 0) return "plain";
    return others.join() === "message_key" ? "message_key" : "other";
  }),
  observe("R-164", "discover", ({ exchange: { request }, status }) => {
    const type = request.headers["content-type"];
    if (request.method !== "POST" || type === undefined || /json/i.test(type)) return null;
    if (status === 200) return "lenient";
    return status === 415 || status === 400 || status === 422 ? "strict" : null;
  }),
];
