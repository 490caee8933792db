/*
 * libuv's threads: the package sqlite3 hands each statement to one of them. Three save a sixth of the CPU time of a
 * request, which four spend waking each other; a server has as many connections to a SQLite file (storage/sqlite.ts).
 * This has an effect only if it is set before the first thread starts.
 */
process.env["UV_THREADPOOL_SIZE"] ??= "3";
