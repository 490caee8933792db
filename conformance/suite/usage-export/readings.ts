import { observe, type Observer } from "../../judge/observer.ts";

export const observers: readonly Observer[] = [
  observe("R-097", ["exportUsage", "exportLedger"], ({ status, exchange }) => {
    const [header = ""] = exchange.response!.body.split(/\r?\n/, 1);
    if (status !== 200 || header === "") return null;
    const columns = header.replace(/^\uFEFF/, "").split(",");
    return columns.includes("id") && columns.every((name) => /^[a-z_]+$/.test(name)) ? "json_names" : "other";
  }),
];
