// What an operator may configure about the HTTP server.
import { z } from 'zod';

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && text !== 'null';
}

function isHostName(text: string): boolean {
  return URL.canParse(`http://${text}`) && new URL(`http://${text}`).hostname === text;
}

const httpFieldsSchema = z.strictObject({
  /** Address to listen on. */
  host: z.string().min(1).default('127.0.0.1'),
  /** Port to listen on. 0 selects a free one. */
  port: z.int().min(0).max(65_535).default(2026),
  /** Host names, besides localhost, that are accepted while the service listens on a loopback address. */
  allowed_hosts: z
    .array(z.string().refine(isHostName, 'must be a host name such as chat.example.com, without a port'))
    .default([]),
  /** The address by which browsers reach the service. If absent, the address in each request. */
  public_url: z.string().refine(isOrigin, 'must be an origin such as https://chat.example.com').optional(),
  /** Exact origins that may call the API from a browser. Without any, CORS is off. */
  cors_origins: z
    .array(z.string().refine(isOrigin, 'must be an origin such as https://chat.example.com'))
    .default([]),
  /** How long browsers that connected over https use nothing else (HSTS). 0 sends no header. */
  hsts_seconds: z.int().min(0).max(63_072_000).default(31_536_000),
  /** Serves `/openapi.json`. */
  openapi: z.boolean().default(true),
  /** Serves the page `/docs`. Requires `openapi`. */
  docs: z.boolean().default(true),
  /** Maximum size of a JSON body. */
  max_json_bytes: z.int().min(1024).max(1_073_741_824).default(4_194_304),
  /**
   * Maximum size of thread states in one response. A state that is folded from deltas counts with its deltas.
   */
  max_answer_mb: z.int().min(1).max(16_384).default(256),
  /** Maximum size of a request head (request line and headers). */
  max_header_bytes: z.int().min(4096).max(1_048_576).default(32_768),
  /** A client that has not sent its request head within this time is disconnected. */
  header_timeout_seconds: z.int().min(1).max(600).default(10),
  /** A client that has not sent its whole request within this time is disconnected. */
  request_timeout_seconds: z.int().min(1).max(3600).default(30),
  /**
   * A connection is dropped after nothing could be read or written for this long, or (on Linux) nothing was
   * acknowledged. Streams have heartbeats.
   */
  stall_seconds: z.int().min(10).max(3600).default(90),
  /** Maximum number of open streams per user. One more closes the oldest; its run continues. */
  max_streams_per_user: z.int().min(1).max(100_000).default(20),
  /**
   * Maximum number of open connections per client address. Connections of trusted proxies are not counted.
   */
  max_connections_per_address: z.int().min(1).max(1_000_000).default(2_000),
  /** How long an idle connection stays open for the next request. */
  keep_alive_seconds: z.int().min(1).max(3600).default(65),
});

export const httpOptionsSchema = httpFieldsSchema.refine(
  ({ header_timeout_seconds, request_timeout_seconds }) => header_timeout_seconds <= request_timeout_seconds,
  {
    path: ['header_timeout_seconds'],
    error: 'must be at most request_timeout_seconds: the head is part of the request',
  },
);

export type HttpOptions = z.output<typeof httpOptionsSchema>;
