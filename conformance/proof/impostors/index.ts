import { constantServers } from "./constant.ts";
import type { Impostor } from "./impostor.ts";
import { memoryless } from "./memoryless.ts";
import { mockOf } from "./mock.ts";
import { parrot, sycophant } from "./parrot.ts";

/** Every impostor. */
export const impostors: readonly Impostor[] = [...constantServers, parrot, sycophant, memoryless, mockOf(1)];
