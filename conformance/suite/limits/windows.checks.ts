import { check } from "../../run/check.ts";
import { permitsReturned, useUp, type UsedUp } from "../../server/windows.ts";

const timed = { feature: "rate_limits", fresh: true, needs: ["time"] } as const;

const all = (bursts: readonly UsedUp[]) =>
  bursts.flatMap(({ admitted, refused }) => [...admitted, ...refused]);

export const checks = [
  check(
    ["LIMI-05", "LIMI-01"],
    "four bursts of Discover, half a window apart, are admitted no more than the windows that they meet allow",
    timed,
    async ({ account, profile, expect }) => {
      const { window, discover: quota } = profile.limits;
      const bursts: UsedUp[] = [];
      for (let burst = 0; burst < 4; burst += 1) {
        if (burst > 0) await account.session.pause(500 * window, "half a window of discover");
        bursts.push(await useUp(account, "discover"));
      }
      const windows = permitsReturned(1, window, all(bursts));
      // Windows may lie anyhow: the first may have begun before, and the last end later.
      expect(
        bursts.flatMap(({ admitted }) => admitted).length,
        `requests of discover admitted in ${(windows * window).toFixed(1)} seconds`,
      ).toBeBetween(0, quota * (Math.floor(windows) + 2));
    },
  ),

  check(
    "LIMI-06",
    "a whole window after a quota was used up, the whole quota is admitted again",
    timed,
    async ({ account, profile, expect }) => {
      await useUp(account, "discover");
      await account.session.pause(1000 * (profile.limits.window + 1), "a whole window of discover");
      const { admitted } = await useUp(account, "discover");
      expect(admitted.length, "requests of discover that the next window admits").toBeAtLeast(
        profile.limits.discover,
      );
    },
  ),
];
