// Request headers that routes read, as described in the API document.

/** A header parameter of an operation, as in OpenAPI. */
interface HeaderParameter {
  readonly description: string;
  readonly schema: object;
}

export const REQUEST_HEADERS = {
  'X-CSRF-Token': {
    description: 'The value of the cookie `csrf_token`. Needed with a session, not with an API key.',
    schema: { type: 'string', maxLength: 128 },
  },
  'Idempotency-Key': {
    description:
      'Any text. A repeated request with the same text returns the run that the first one created.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'Last-Event-ID': {
    description:
      'The `id` of the last frame received. The stream continues after it, or sends a `gap` frame that says why it cannot.',
    schema: { type: 'string', maxLength: 255 },
  },
  Prefer: {
    description: '`return=minimal` answers 204 without a body.',
    schema: { type: 'string', enum: ['return=minimal'] },
  },
  Range: {
    description: 'One range of bytes, such as `bytes=0-1023`. Several ranges are refused.',
    schema: {
      type: 'string',
      pattern: '^bytes=(?:\\d{1,15}-\\d{0,15}|-\\d{1,15})$',
      maxLength: 64,
      examples: ['bytes=0-1023'],
    },
  },
  'If-Range': {
    description: 'The `ETag` or date of the file that the range belongs to; a changed file is sent whole.',
    schema: { type: 'string', maxLength: 255 },
  },
  'If-Match': {
    description:
      'The `ETag` of the file that the client has seen, or `*` for any. 412 when the file has changed since; nothing is written then.',
    schema: { type: 'string', maxLength: 1_000 },
  },
  'If-None-Match': {
    description: 'The `ETag` of the file that the client has; 304 when the file has not changed.',
    schema: { type: 'string', maxLength: 255 },
  },
} as const satisfies Readonly<Record<string, HeaderParameter>>;

export type RequestHeader = keyof typeof REQUEST_HEADERS;
