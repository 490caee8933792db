import { setFlagsFromString } from "node:v8";

// V8 puts objects among the old ones that it has seen survive, as rows do that a cache keeps. An export makes a million of
// the same that nobody keeps: 60 to 80 MB more, until the old ones are collected.
setFlagsFromString("--no-allocation-site-pretenuring");
