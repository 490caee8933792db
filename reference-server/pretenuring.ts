import { setFlagsFromString } from "node:v8";

/*
 * V8 allocates objects of a place in the code among the old ones once it has seen them survive there, as rows do that a
 * cache keeps. An export makes a million of the same that nobody keeps; they then stay until the old ones are next
 * collected, which takes 60 to 80 MB more. The flag counts for code that is optimized later.
 */
setFlagsFromString("--no-allocation-site-pretenuring");
