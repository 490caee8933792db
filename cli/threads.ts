/*
 * libuv's threads: the package sqlite3 hands each statement to one of them. On three, a sixth of the CPU time of a
 * request is spared that four of them spend waking each other: as many as a server has connections to a SQLite file
 * (storage/sqlite.ts). It counts only if it is set before the first of them starts.
 */
process.env["UV_THREADPOOL_SIZE"] ??= "3";
