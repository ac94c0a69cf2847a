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
  /** Port to listen on; 0 takes a free one. */
  port: z.int().min(0).max(65_535).default(2026),
  /** Names under which the service may be asked while it listens on a loopback address, beside localhost. */
  allowed_hosts: z
    .array(z.string().refine(isHostName, 'must be a host name such as chat.example.com, without a port'))
    .default([]),
  /** The address by which browsers reach the service; absent: the one that each of them names. */
  public_url: z.string().refine(isOrigin, 'must be an origin such as https://chat.example.com').optional(),
  /** Exact origins that may call the API from a browser; none: no CORS at all. */
  cors_origins: z
    .array(z.string().refine(isOrigin, 'must be an origin such as https://chat.example.com'))
    .default([]),
  /** How long browsers that connected over https use nothing else (HSTS); 0 sends no header. */
  hsts_seconds: z.int().min(0).max(63_072_000).default(31_536_000),
  /** Serves `/openapi.json`. */
  openapi: z.boolean().default(true),
  /** Serves the page `/docs`; needs `openapi`. */
  docs: z.boolean().default(true),
  /** Largest JSON body that is read. */
  max_json_bytes: z.int().min(1024).max(1_073_741_824).default(4_194_304),
  /** What one answer may hold of the states of threads; a state that is folded from changes counts with those. */
  max_answer_mb: z.int().min(1).max(16_384).default(256),
  /** Largest request head (request line and headers). */
  max_header_bytes: z.int().min(4096).max(1_048_576).default(32_768),
  /** A client that has not sent its request head by then is disconnected. */
  header_timeout_seconds: z.int().min(1).max(600).default(10),
  /** A client that has not sent its whole request by then is disconnected. */
  request_timeout_seconds: z.int().min(1).max(3600).default(30),
  /**
   * A connection on which nothing could be read or written for so long, or (on Linux) nothing arrives, is given up;
   * streams have heartbeats.
   */
  stall_seconds: z.int().min(10).max(3600).default(90),
  /** Streams that a user has open at most; the oldest one is closed for one more, its run goes on. */
  max_streams_per_user: z.int().min(1).max(100_000).default(20),
  /** Connections that one client address may hold open; those of trusted proxies are not counted. */
  max_connections_per_address: z.int().min(1).max(1_000_000).default(2_000),
  /** How long an idle connection is kept open for the next request. */
  keep_alive_seconds: z.int().min(1).max(3600).default(65),
});

export const httpOptionsSchema = httpFieldsSchema.refine(
  ({ header_timeout_seconds, request_timeout_seconds }) => header_timeout_seconds <= request_timeout_seconds,
  {
    path: ['header_timeout_seconds'],
    error: 'must be at most request_timeout_seconds: the head is a part of the request',
  },
);

export type HttpOptions = z.output<typeof httpOptionsSchema>;
