/** The settings of a limiter in front of the reference server. */
export interface Gate {
  limiter: string;
  options: Readonly<Record<string, unknown>>;
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

/** A gate, and where its program listens and may write. */
export interface Place extends Gate {
  port: number;
  /** An empty folder, removed when the program ends. */
  folder: string;
  /** The program's configuration, if it has one. */
  file: string;
}

export interface Started {
  port: number;
  stop: () => Promise<void>;
}
