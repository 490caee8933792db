import type { Tool } from "../../catalog/tool.ts";

/** Words for subjects: each occurs in about one tool of six, however many tools there are. */
export const subjects = [
  "weather",
  "currency",
  "company",
  "flight",
  "patent",
  "harvest",
  "tide",
  "court",
  "drug",
  "museum",
  "satellite",
  "tariff",
];

/** Words for what is asked about a subject: each occurs in about one tool of three. */
export const aspects = ["price", "history", "forecast", "ranking", "location", "owner", "quality", "volume"];

const pick = (words: readonly string[], position: number): string => words[position % words.length]!;

/** Generates tools that share words as the tools of a real catalogue do; the same count gives the same tools. */
export function generatedTools(count: number): Tool[] {
  return Array.from({ length: count }, (_, index) => {
    const subject = pick(subjects, index);
    const second = pick(subjects, index + 1 + Math.floor(index / subjects.length));
    const aspect = pick(aspects, index + Math.floor(index / aspects.length));
    const other = pick(aspects, index * 5 + 3);
    const name = `${subject} ${aspect} ${index}`;
    const description = `The ${aspect} and ${other} of any ${subject} or ${second}, by place and day.`;
    return {
      tool_id: `${subject}.${aspect}-${index}.v1`,
      name: { en: name, zh: name },
      description: { en: description, zh: description },
      provider_name: `Provider ${index % 40} (${subject})`,
      params: [
        { name: "place", type: "string", required: true, description: "Where" },
        { name: "day", type: "string", required: false, format: "date", description: "When" },
      ],
      examples: { sample_parameters: { place: "Vienna" } },
      billing_rule: { unit: "request", amount_credits: 1 },
      output_summary: `The ${aspect}.`,
      freshness: "Every day",
      verification: "Not available",
      availability: "available",
      routing: { capability: `${subject}.${aspect}`, reliability: "B", as_of_support: false },
      upstream: { method: "GET", url: "http://127.0.0.1:9/", timeout_ms: 1_000 },
      mapping: {},
    };
  });
}
