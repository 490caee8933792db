/** The input of the sample provider: path parameters, query and JSON body together. */
export type Asked = Readonly<Record<string, unknown>>;

/** The sample provider's behaviour at one path. */
export type Behaviour =
  /** Answers JSON. */
  | {
      kind: "json";
      body: (asked: Asked) => unknown;
      status?: number;
      delayMs?: number;
      headers?: Record<string, string>;
    }
  /** Answers text that is not JSON. */
  | { kind: "text"; text: string; status?: number }
  /** Accepts the request and never answers. */
  | { kind: "silence" }
  /** Closes the connection without an answer. */
  | { kind: "hangUp" }
  /** Resets the connection without an answer. */
  | { kind: "reset" }
  /** Closes the connection in the middle of the answer. */
  | { kind: "cutOff" };

/** The input as one text, which seeds the thousands of numbers in an answer. */
const texts = new WeakMap<Asked, string>();

function textOf(asked: Asked): string {
  let text = texts.get(asked);
  if (text === undefined) {
    text = JSON.stringify(Object.entries(asked).sort(([a], [b]) => (a < b ? -1 : 1)));
    texts.set(asked, text);
  }
  return text;
}

/** Numbers determined by the parameters and a label: the same input has the same answer. */
function draw(asked: Asked, label: string): number {
  let hash = 0x811c9dc5;
  const text = `${label} ${textOf(asked)}`;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  return ((hash ^ (hash >>> 12)) >>> 0) / 2 ** 32;
}

const between = (asked: Asked, label: string, least: number, most: number, decimals = 0): number =>
  Number((least + draw(asked, label) * (most - least)).toFixed(decimals));

function pick(asked: Asked, label: string, from: readonly string[]): string {
  return from[Math.floor(draw(asked, label) * from.length)] ?? "";
}

const whole = (value: unknown, otherwise: number, most: number): number => {
  const number = Math.trunc(Number(value ?? otherwise));
  return Number.isFinite(number) ? Math.min(Math.max(number, 0), most) : otherwise;
};

const list = (length: number, item: (position: number) => unknown): unknown[] =>
  Array.from({ length }, (_, position) => item(position));

const day = (position: number, from = "2026-09-01"): string =>
  new Date(Date.parse(`${from}T00:00:00Z`) + position * 86_400_000).toISOString().slice(0, 10);

const json = (
  body: (asked: Asked) => unknown,
  more: { status?: number; delayMs?: number } = {},
): Behaviour => ({
  kind: "json",
  body,
  ...more,
});

const failing = (status: number, message: string): Behaviour => json(() => ({ message }), { status });

const skies = ["clear", "cloudy", "rain", "snow", "fog"];
const skiesInWords = ["晴空万里", "多云转晴", "小雨不断", "大雪纷飞", "浓雾弥漫"];
const surnames = ["Almeida", "Brandt", "Chen", "Dubois", "Eriksen", "Fontana", "Greer", "Haddad"];
const currencies = [
  "AUD",
  "BRL",
  "CAD",
  "CHF",
  "CNY",
  "EUR",
  "GBP",
  "INR",
  "JPY",
  "KRW",
  "MXN",
  "SEK",
  "USD",
  "ZAR",
];

/** The sample provider's behaviour by path; `:name` in a path is a parameter. */
export const answers: Readonly<Record<string, Behaviour>> = {
  "/weather/current": json((asked) => ({
    city: asked.city,
    units: asked.units ?? "metric",
    temperature: between(asked, "temperature", -10, 35, 1),
    humidity_percent: between(asked, "humidity", 20, 95),
    wind: between(asked, "wind", 0, 70, 1),
    sky: pick(asked, "sky", skies),
  })),
  "/weather/forecast": json((asked) => ({
    city: asked.city,
    days: list(whole(asked.days, 5, 14), (position) => ({
      date: day(position),
      low: between(asked, `low ${position}`, -5, 12, 1),
      high: between(asked, `high ${position}`, 13, 33, 1),
      sky: pick(asked, `sky ${position}`, skies),
    })),
  })),
  "/weather/alerts": json(() => ({ alerts: [] })),
  "/weather/history": json((asked) => ({
    station: asked.station,
    observations: list(24 * whole(asked.days, 7, 3_660), (position) => ({
      time: `${day(Math.floor(position / 24), "2016-01-01")}T${String(position % 24).padStart(2, "0")}:00:00Z`,
      temperature: between(asked, `t${position}`, -10, 35, 1),
      pressure_hpa: between(asked, `p${position}`, 980, 1040, 1),
      // Multi-byte characters expose a client that counts characters as bytes.
      sky: pick(asked, `sky ${position}`, skiesInWords),
    })),
  })),
  "/weather/air-quality": json((asked) => ({
    place: asked.city ?? asked.postal_code ?? asked.station_id,
    aqi: between(asked, "aqi", 8, 180),
    pm25: between(asked, "pm25", 1, 90, 1),
  })),
  "/currency/rate": json((asked) => ({
    base: asked.base,
    quote: asked.quote,
    rate: asked.base === asked.quote ? 1 : between(asked, "rate", 0.2, 9, 6),
    as_of: asked.date ?? "2026-09-12",
  })),
  "/currency/convert": json((asked) => ({
    from: asked.from,
    to: asked.to,
    converted: Number(
      (Number(asked.amount) * between({ from: asked.from, to: asked.to }, "rate", 0.2, 9, 6)).toFixed(2),
    ),
  })),
  "/currency/list": json(() => currencies),
  "/market/quote": json((asked) => ({
    symbol: asked.symbol,
    price: between(asked, "price", 4, 900, 2),
    change_percent: between(asked, "change", -6, 6, 2),
    delayed_minutes: 0,
  })),
  "/market/quote-delayed": json((asked) => ({
    symbol: asked.symbol,
    price: between(asked, "price", 4, 900, 2),
    change_percent: between(asked, "change", -6, 6, 2),
    delayed_minutes: 15,
  })),
  "/market/bars": json((asked) => ({
    symbol: asked.symbol,
    bars: list(whole(asked.days, 10, 250), (position) => ({
      date: day(position),
      open: between(asked, `open ${position}`, 10, 20, 2),
      close: between(asked, `close ${position}`, 10, 20, 2),
      volume: between(asked, `volume ${position}`, 1_000, 900_000),
    })),
  })),
  "/market/order-book": failing(429, "Too many requests"),
  "/market/screener": json((asked) => ({
    partial: true,
    skipped_exchanges: ["LSE"],
    matches: list(3, (position) => ({
      symbol: `${String(asked.sector).slice(0, 2).toUpperCase()}${position}`,
      market_cap_millions: between(asked, `cap ${position}`, 50, 90_000),
    })),
  })),
  "/market/research-report": json((asked) => ({
    symbol: asked.symbol,
    title: `${String(asked.symbol)}: twelve months ahead`,
    rating: pick(asked, "rating", ["buy", "hold", "sell"]),
    pages: between(asked, "pages", 18, 90),
  })),
  "/language/translate": json((asked) => ({
    translations: [
      { text: `[${String(asked.target)}] ${String(asked.text)}`, detected_source: asked.source ?? "en" },
    ],
  })),
  "/language/detect": json((asked) => (/\p{Script=Han}/u.test(String(asked.text)) ? "zh" : "en")),
  "/language/document": { kind: "silence" },
  "/language/summary": json((asked) => ({ summary: String(asked.text).slice(0, 80) })),
  "/speech/transcribe": json(() => ({ text: "Good morning." })),
  "/geo/forward": json((asked) => ({
    results: [
      {
        label: asked.address ?? asked.place_id,
        latitude: between(asked, "latitude", -60, 70, 5),
        longitude: between(asked, "longitude", -180, 180, 5),
      },
    ],
  })),
  "/geo/reverse": json((asked) => ({
    address: `${between(asked, "number", 1, 240)} ${pick(asked, "street", ["Harbour Road", "Mill Lane", "Station Street"])}`,
  })),
  "/geo/batch": json((asked) => ({
    partial: true,
    located: [
      {
        address: Array.isArray(asked.addresses) ? asked.addresses[0] : null,
        latitude: 48.2,
        longitude: 16.4,
      },
    ],
    not_located: 1,
  })),
  "/geo/matrix": json(
    (asked) => ({ minutes: between(asked, "minutes", 4, 400), kilometres: between(asked, "km", 1, 600, 1) }),
    { delayMs: 700 },
  ),
  "/geo/tiles": json(() => ({ tiles: ["14/8936/5681"] })),
  "/companies/:number": json((asked) => ({
    number: asked.number,
    name: `${pick(asked, "name", surnames)} Holdings Ltd`,
    status: pick(asked, "status", ["active", "dissolved"]),
    incorporated: day(between(asked, "incorporated", 0, 5_000), "2008-01-01"),
  })),
  "/company-search": json((asked) => ({
    companies: list(whole(asked.limit, 5, 50), (position) => ({
      number: String(between(asked, `n${position}`, 1_000_000, 9_999_999)),
      name: `${String(asked.name)} ${pick(asked, `s${position}`, surnames)}`,
    })),
  })),
  "/company-filings": json(() => ({
    error: { code: "E-114", message: "the filing index is being rebuilt" },
  })),
  "/company-officers": json((asked) => ({
    partial: true,
    officers: [{ name: pick(asked, "officer", surnames), role: "director" }],
    withheld: 4,
  })),
  "/company-credit": json(() => ({
    error: { code: "B-7", message: "the bureau has no score for this company" },
  })),
  "/company-sanctions": failing(403, "This key may not read the sanctions list"),
  "/company-ownership": json(() => ({ owners: [] })),
  "/news/search": failing(503, "Service unavailable"),
  "/news/headlines": json((asked) => ({
    headlines: list(5, (position) => ({
      title: `${pick(asked, `t${position}`, ["Ports reopen", "Rates hold", "Rain expected", "Merger approved"])} (${String(asked.topic ?? "world")})`,
      published_at: `${day(position)}T06:00:00Z`,
    })),
  })),
  "/news/archive": { kind: "hangUp" },
  "/news/sentiment": { kind: "text", text: "<html><body>Scheduled maintenance</body></html>" },
  "/travel/flight": json((asked) => ({
    flight: asked.flight,
    status: pick(asked, "status", ["scheduled", "boarding", "in the air", "landed"]),
    gate: `${pick(asked, "pier", ["A", "B", "C"])}${between(asked, "gate", 1, 60)}`,
  })),
  "/travel/parcel": json((asked) => ({
    parcel: asked.tracking_number,
    stage: pick(asked, "stage", ["sorted", "on its way"]),
  })),
  "/calendar/holidays": json((asked) => [
    { date: `${String(asked.year)}-01-01`, name: "New Year's Day" },
    { date: `${String(asked.year)}-05-01`, name: "Labour Day" },
  ]),
  "/calendar/time-zones": json(() => ({
    time_zones: ["Africa/Nairobi", "America/Lima", "Asia/Shanghai", "Europe/Vienna"],
  })),

  "/faults/status/:status": json(() => ({ message: "as you asked" })),
  "/faults/redirect": {
    kind: "json",
    body: () => ({}),
    status: 302,
    headers: { location: "/weather/current" },
  },
  "/faults/no-content": { kind: "text", text: "", status: 200 },
  "/faults/silence": { kind: "silence" },
  "/faults/hang-up": { kind: "hangUp" },
  "/faults/reset": { kind: "reset" },
  "/faults/cut-off": { kind: "cutOff" },
  "/faults/rubbish": { kind: "text", text: '{"half": ' },
  "/faults/echo": json((asked) => asked),
  "/faults/rows": json((asked) => ({
    rows: list(whole(asked.rows, 1_000, 1_000_000), (position) => ({ position, text: "许多行 of text" })),
  })),
};
