import { found } from "../../suite/found.ts";
import { contrarian } from "./contrarian.ts";
import { choiceVariations } from "./choices.ts";
import { variationsOf, type Variation } from "../../changes/mutant.ts";
import { contentVariations } from "./content.ts";
import { feedVariations } from "./feeds.ts";
import { formVariations } from "./form.ts";
import { profileVariations } from "./profile.ts";
import { lateVariations } from "./late.ts";
import { momentVariations } from "./moments.ts";

const single: readonly Variation[] = [
  ...variationsOf({
    "the contract as a whole": { "changes nothing": {} },
  }),
  ...formVariations,
  ...feedVariations,
  ...contentVariations,
  ...profileVariations,
  ...choiceVariations,
  ...momentVariations,
  ...lateVariations,
  ...(await found<Variation>("variations")),
];

/**
 * The reference server with unusual behaviour that the contract permits, for all areas and each one: no check may fail.
 */
export const variations: readonly Variation[] = [...single, contrarian(single)];
