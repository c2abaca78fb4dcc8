/** The same for both ends of a tunnel. */
export const SUBPROTOCOL = "uwf.h2.1";
export const BEAT_MS = 10_000;
/** An engine that has heard no beat for so long connects anew. */
export const SILENT_MS = 25_000;
export const MAX_MESSAGE_BYTES: number = 1024 * 1024;
export const STREAM_WINDOW_BYTES: number = 1024 * 1024;
export const SESSION_WINDOW_BYTES: number = 4 * 1024 * 1024;
export const MAX_STREAMS = 128;
export const MAX_HEADER_PAIRS = 64;
export const MAX_BODY_BYTES: number = 1024 * 1024;
/** Of a body of octets, which becomes one blob. */
export const MAX_BLOB_BYTES: number = 64 * 1024 * 1024;
