/*
 * The half of the load without a contract: `import { … } from "capability-contract/load"`. It sends requests in closed
 * and open loops, counts latencies in histograms that can be merged, and searches for limits and rates.
 */
export { interruptible, machineClock, type Clock } from "./clock.ts";
export { closedLoop, type ClosedLoop } from "./closed-loop.ts";
export { openConnections, type Connections } from "./connections.ts";
export {
  answersFor,
  Figures,
  isSuccess,
  isTrusted,
  type Ending,
  type Latency,
  type Lateness,
  type PackedFigures,
  type Second,
  type StatusFigures,
  type StepFigures,
} from "./figures.ts";
export { findLimit, type FoundLimit, type LimitSearch, type Seen } from "./find-limit.ts";
export { findRate, type FoundRate, type RateSearch, type Trial } from "./find-rate.ts";
export { openLoop, type OpenLoop } from "./open-loop.ts";
export { performPart, type Part, type PartEnd, type Performer } from "./part.ts";
export { Unfinished, type Answer, type Headers, type Request, type Sent } from "./request.ts";
export { saturate, type Saturation } from "./saturate.ts";
export { parseStage, scheduleOf, steady, type Schedule, type Stage } from "./schedule.ts";
export { hold, isKept, parseThreshold, type HeldThreshold, type Threshold } from "./thresholds.ts";
export { openWorkers, type Order, type Told, type Workers } from "./workers.ts";
