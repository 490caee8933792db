/** The settings of a limiter in front of the reference server. */
export interface Gate {
  limiter: string;
  options: object;
  quota: number;
  windowSeconds: number;
  upstream: string;
  redisUrl: string;
  prefix: string;
  /** By key. */
  accounts: Readonly<Record<string, string>>;
  limited: readonly string[];
  refusal: { headers: Readonly<Record<string, string>>; body: string };
}

export interface Started {
  port: number;
  stop: () => Promise<void>;
}
