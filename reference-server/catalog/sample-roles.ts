/** A tool or capability, with parameters that satisfy its contract. */
export interface Example {
  id: string;
  parameters: Readonly<Record<string, unknown>>;
}

const number = { number: "01234567" };
const symbol = { symbol: "ACME" };

/** The tool of the sample catalogue for each role of a conformance profile. */
export const sampleTools = {
  charged: { id: "weather.current.v1", parameters: { city: "Vienna", units: "metric" } },
  charged_decimal: { id: "currency.rate.v1", parameters: { base: "EUR", quote: "CNY" } },
  included: { id: "calendar.holidays.v1", parameters: { country: "AT", year: 2026 } },
  discounted: {
    id: "language.summary.v1",
    parameters: { text: "The meeting is on Monday. Bring the plans." },
  },
  policy_exempt: { id: "geocode.reverse.v1", parameters: { latitude: 48.2, longitude: 16.37 } },
  provider_error: { id: "company.filings.v1", parameters: number },
  provider_http_error: { id: "news.search.v1", parameters: { words: "harbour strike" } },
  provider_rate_limited: { id: "market.order-book.v1", parameters: { ...symbol, levels: 5 } },
  provider_auth: { id: "company.sanctions.v1", parameters: { name: "Harbour Holdings" } },
  empty_result: { id: "weather.alerts.v1", parameters: { region: "Tyrol" } },
  partial_success: { id: "company.officers.v1", parameters: number },
  timeout: {
    id: "translate.document.v1",
    parameters: { document_url: "https://example.com/manual.pdf", target: "de" },
  },
  no_response: { id: "news.archive.v1", parameters: { date: "1969-07-21" } },
  execution_failed: { id: "news.sentiment.v1", parameters: { company: "Harbour Holdings" } },
  unavailable: { id: "company.ownership.v1", parameters: number },
  region_restricted: { id: "map.tiles.v1", parameters: { area: "Graz" } },
  oauth_required: { id: "speech.transcribe.v1", parameters: { recording_id: "rec-204" } },
  large_result: { id: "weather.history.v1", parameters: { station: "LOWW", days: 30 } },
  one_of: { id: "air-quality.current.v1", parameters: { city: "Shanghai", postal_code: "200000" } },
  enum: { id: "translate.text.v1", parameters: { text: "Good morning", target: "zh" } },
  zero_parameter: { id: "currency.list.v1", parameters: {} },
  expensive: { id: "market.research-report.v1", parameters: symbol },
  slow: { id: "route.matrix.v1", parameters: { origin: "Vienna", destination: "Linz" } },
  failed_charged: { id: "company.credit-score.v1", parameters: number },
} as const satisfies Record<string, Example>;

/** The capability for each role, with the provider named by a delegation token; `legacy` has no version and hash. */
export const sampleCapabilities = {
  query: { id: "market.quote", provider_id: "ticker-house", parameters: symbol },
  detail: { id: "market.quote", provider_id: "ticker-house", parameters: symbol },
  legacy: { id: "weather.current", provider_id: "open-skies", parameters: { city: "Vienna" } },
  timeout: {
    id: "translate.document",
    provider_id: "lingua-works",
    parameters: { document_url: "https://example.com/manual.pdf", target: "de" },
  },
  unroutable: { id: "company.ownership", provider_id: "registry-lens", parameters: number },
  forbidden: { id: "weather.current", provider_id: "open-skies", parameters: { city: "Vienna" } },
} as const satisfies Record<string, Example & { provider_id: string }>;
