import { findNginx } from "./nginx.ts";

const { TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl } = process.env;

/** What three servers share behind nginx; null where this machine lacks a part of it. */
export const shared =
  databaseUrl === undefined || redisUrl === undefined || findNginx() === null
    ? null
    : { databaseUrl, redisUrl };

/** For the title of a test. */
export const whereShared =
  shared === null ? "skipped: it needs nginx, TEST_DATABASE_URL and TEST_REDIS_URL" : "at TEST_DATABASE_URL";
