import { findNginx } from "./nginx.ts";

const { TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl } = process.env;

/** The services that three servers share behind nginx; null where this machine lacks one. */
export const shared =
  databaseUrl === undefined || redisUrl === undefined || findNginx() === null
    ? null
    : { databaseUrl, redisUrl };

/** For the title of a test. */
export const whereShared =
  shared === null ? "skipped: it needs nginx, TEST_DATABASE_URL and TEST_REDIS_URL" : "at TEST_DATABASE_URL";
