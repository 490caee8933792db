/**
 * Node's `http`. An import of it would load what its members `WebSocket` and `fetch` need with it, which is a twentieth
 * of a start.
 */
export const http = process.getBuiltinModule("node:http");
