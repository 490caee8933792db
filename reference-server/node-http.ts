/** Node's `http` without an import, which would also load its `WebSocket` and `fetch`: a twentieth of a start. */
export const http = process.getBuiltinModule("node:http");
