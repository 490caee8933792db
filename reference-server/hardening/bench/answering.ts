import { Session, type Profiler } from "node:inspector/promises";
import type { Answers } from "../serving.ts";

const sampleMs = 20;

/** The memory of this process, sampled from the first question on. */
const memory = {
  largest: 0,
  timer: undefined as NodeJS.Timeout | undefined,
  sample(): void {
    memory.largest = Math.max(memory.largest, process.memoryUsage.rss());
  },
};

const sum = ({ user, system }: NodeJS.CpuUsage): number => user + system;

const session = new Session();

/** What a bench asks a server in a process of its own. */
export const benchAnswers: Answers = {
  cpu: () => sum(process.cpuUsage()),
  "cpu of the main thread": () => sum(process.threadCpuUsage()),
  "watch memory"() {
    memory.largest = 0;
    memory.sample();
    memory.timer = setInterval(memory.sample, sampleMs);
    return memory.largest;
  },
  "most memory"() {
    clearInterval(memory.timer);
    memory.sample();
    return memory.largest;
  },
  async "start profile"() {
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.start");
  },
  async "stop profile"(): Promise<Profiler.Profile> {
    const { profile } = await session.post("Profiler.stop");
    session.disconnect();
    return profile;
  },
};
