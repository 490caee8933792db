/** The oldest Node that is maintained, and so supported. Import this first, so that an older Node says so. */
const oldest = 22;

if (Number.parseInt(process.versions.node) < oldest)
  throw new Error(`capability-contract needs Node ${oldest} or later, and this is ${process.version}`);
