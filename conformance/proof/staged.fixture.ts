import type { Profile } from "../server/profile.ts";
import { openStage } from "./stage.ts";

/** Starts the unaltered reference server in this process, as the demo does in another, which costs a second. */
export async function staged<T>(use: (profile: Profile) => Promise<T>): Promise<T> {
  const stage = await openStage();
  try {
    return await stage.perform({ config: {} }, use);
  } finally {
    await stage.close();
  }
}
