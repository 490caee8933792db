import type { Task } from "./right-client.ts";

/** A day's requests by a client's users: enough to exercise every rule about clients once. */
export const tasks: readonly Task[] = [
  {
    session: "task-1",
    query: "current weather in a city",
    prefer: "weather.current.v1",
    values: { city: "Graz", place: "Graz", units: "metric" },
  },
  {
    session: "task-2",
    query: "weather history of a station",
    prefer: "weather.history.v1",
    values: { station: "LOWI", days: 31 },
  },
  { session: "task-3", query: "stock quote", prefer: "market.quote.v1", values: { symbol: "acme" } },
  {
    session: "task-4",
    query: "company filings",
    prefer: "company.filings.v1",
    values: { number: "07654321" },
  },
  {
    session: "task-5",
    query: "weather now",
    prefer: "weather.current.v1",
    values: { city: "Linz", place: "Linz", units: "metric" },
  },
  { session: "task-6", query: "list of currencies", prefer: "currency.list.v1", values: {} },
];
