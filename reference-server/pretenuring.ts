import { setFlagsFromString } from "node:v8";

// V8 allocates objects as old once it has seen their kind survive, such as the rows that a cache keeps. An export makes
// a million such rows that are not kept: 60 to 80 MB more, until the old ones are collected.
setFlagsFromString("--no-allocation-site-pretenuring");
