import { expect, it } from "vitest";
import { shownIn, type Sitting } from "./keep.ts";

const sitting: Sitting = {
  started_at: "2026-11-23T10:00:00.000Z",
  node: "v24.1.0",
  cpu: "a CPU",
  cores: 2,
  load: [0.5, 1.25],
  rounds: 15,
  figures: [
    {
      name: "cost, Probe",
      says: "as a multiple",
      value: 2.5,
      spread: [2.25, 3],
      unit: "ratio",
      target: { kind: "most", value: 2 },
      measured: {},
    },
  ],
};

it("shows figures with their spread and their circumstances, and leaves the rest of the page", () => {
  const page = "# Bench\n\n<!-- figures -->\nold\n<!-- end of the figures -->\n\nAfter.\n";
  const shown = shownIn(page, { costs: sitting });
  expect(shown).toContain("| cost, Probe | 2.50  | 2.25 to 3.00 |             | ≤ 2.00 | NO      |");
  expect(shown).toContain(
    "- `costs`: 2026-11-23 10:00 UTC, 15 rounds, Node 24.1.0, 2 cores (a CPU), load 0.5 to 1.3",
  );
  expect(shown).not.toContain("old");
  expect(shown.startsWith("# Bench\n\n<!-- figures -->\n")).toBe(true);
  expect(shown.endsWith("<!-- end of the figures -->\n\nAfter.\n")).toBe(true);
  expect(shownIn(shown, { costs: sitting })).toBe(shown);
});

it("refuses a page without a place for them", () => {
  expect(() => shownIn("# Bench\n", {})).toThrow("no place for the figures");
});
