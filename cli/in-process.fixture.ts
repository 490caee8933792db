import { vi } from "vitest";
import { statusOf } from "../base/exit.ts";
import { run } from "./program.ts";

/** How a command line ended. */
export interface Ended {
  status: number;
  stdout: string;
  stderr: string;
}

/** Runs a command line of the program in this process, one at a time: a process of its own costs seconds. */
export async function ranHere(...argv: string[]): Promise<Ended> {
  const said = { stdout: "", stderr: "" };
  const spies = [
    vi.spyOn(console, "log").mockImplementation((text: unknown) => void (said.stdout += `${String(text)}\n`)),
    vi
      .spyOn(console, "error")
      .mockImplementation((text: unknown) => void (said.stderr += `${String(text)}\n`)),
    ...(["stdout", "stderr"] as const).map((name) =>
      vi.spyOn(process[name], "write").mockImplementation((text) => {
        said[name] += String(text);
        return true;
      }),
    ),
  ];
  try {
    return { status: await statusOf(() => run(argv)), ...said };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
