/**
 * Node's `http`, loaded without an import: that would also load the modules behind its `WebSocket` and `fetch`, a
 * twentieth of a start.
 */
export const http = process.getBuiltinModule("node:http");
