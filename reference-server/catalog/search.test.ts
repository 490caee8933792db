import { describe, expect, test } from "vitest";
import { loadCatalog, sampleFolder } from "./load.ts";
import { createSearch, terms } from "./search.ts";

const { tools, search } = loadCatalog(sampleFolder, { providerBaseUrl: "http://127.0.0.1:1" });
const ids = (query: string, limit = 5) => search(query, limit).map((tool) => tool.tool_id);

describe("search", () => {
  test.each([
    ["current weather in a city", "weather.current.v1"],
    ["实时天气", "weather.current.v1"],
    ["exchange rates between two currencies", "currency.rate.v1"],
    ["汇率", "currency.rate.v1"],
    ["translate a text", "translate.text.v1"],
    ["把文字翻译成法语", "translate.text.v1"],
    ["flight status", "flight.status.v1"],
    ["航班", "flight.status.v1"],
    ["Bureau North", "company.credit-score.v1"],
    ["tracking_number", "parcel.track.v1"],
  ])("%s finds %s first", (query, expected) => {
    expect(ids(query)[0]).toBe(expected);
  });

  test("a typo and the beginning of a word still find the tool", () => {
    expect(ids("geocodng")).toContain("geocode.forward.v1");
    expect(ids("transla")).toContain("translate.text.v1");
  });

  test.each(tools.filter((tool) => tool.availability !== "unavailable").map((tool) => tool.tool_id))(
    "the exact id %s ranks first",
    (toolId) => {
      expect(ids(toolId)[0]).toBe(toolId);
      expect(ids(toolId, 1)).toEqual([toolId]);
    },
  );

  test.each(["zzzz qqqq", "", "   ", "?!", "the of and", "龘龘"])("%j finds nothing", (query) => {
    expect(ids(query)).toEqual([]);
  });

  test("an unavailable tool is not found, not even by its id", () => {
    expect(ids("company.ownership.v1", 100)).not.toContain("company.ownership.v1");
    expect(ids("beneficial owners", 100)).not.toContain("company.ownership.v1");
  });

  test("no tool is found twice, the limit holds, and asking again changes nothing", () => {
    const all = ids("weather company market", 100);
    expect(new Set(all).size).toBe(all.length);
    expect(ids("weather company market", 3)).toEqual(all.slice(0, 3));
  });

  test("Chinese becomes overlapping pairs, Latin loses case, accents and plurals", () => {
    expect(terms("查询Café 天气 RATES")).toEqual(["查询", "cafe", "天气", "rate"]);
  });

  test("every tool of many copies can be found by its id", () => {
    const kinds = tools.filter((tool) => tool.availability === "available");
    const copies = Array.from({ length: 500 }, (_, copy) => ({
      ...kinds[copy % kinds.length]!,
      tool_id: `copy.${copy}.v1`,
    }));
    const found = createSearch(copies);
    expect(copies.every(({ tool_id }) => found(tool_id, 1)[0]?.tool_id === tool_id)).toBe(true);
  });
});
