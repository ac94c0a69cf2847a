// The single table that maps errors to statuses and bodies (docs/contract/conventions.md#errors).
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type ErrorCode, ServiceError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { AppContext } from './context.ts';

/** `text`: `{detail: string}`; `coded`: `{detail: {code, message}}`; `issues`: `{detail: [{loc, msg, type}]}`. */
type BodyKind = 'text' | 'coded' | 'issues';

export interface ErrorBody {
  readonly status: ContentfulStatusCode;
  readonly body: BodyKind;
  /** The code that the client sees, if it differs from the internal one. */
  readonly code?: ErrorCode;
}

export const ERROR_RESPONSES: Readonly<Record<ErrorCode, ErrorBody>> = {
  validation_failed: { status: 422, body: 'issues' },
  invalid: { status: 400, body: 'text' },
  not_authenticated: { status: 401, body: 'coded' },
  token_invalid: { status: 401, body: 'coded' },
  token_expired: { status: 401, body: 'coded' },
  user_not_found: { status: 401, body: 'coded' },
  invalid_credentials: { status: 401, body: 'coded' },
  wrong_current_password: { status: 400, body: 'coded', code: 'invalid_credentials' },
  password_required: { status: 403, body: 'coded' },
  email_already_exists: { status: 400, body: 'coded' },
  registration_disabled: { status: 403, body: 'coded' },
  system_already_initialized: { status: 409, body: 'coded' },
  forbidden: { status: 403, body: 'text' },
  not_found: { status: 404, body: 'text' },
  conflict: { status: 409, body: 'text' },
  precondition_failed: { status: 412, body: 'text' },
  payload_too_large: { status: 413, body: 'text' },
  range_not_satisfiable: { status: 416, body: 'text' },
  insufficient_storage: { status: 507, body: 'text' },
  unsupported_media_type: { status: 415, body: 'text' },
  too_many_attempts: { status: 429, body: 'text' },
  too_many_waiting: { status: 429, body: 'text' },
  unavailable: { status: 503, body: 'text' },
};

/**
 * Creates error responses. Any error but a `ServiceError` becomes a 500 without details and one line in the
 * log.
 */
export function createErrorResponse(log: Log): (error: unknown, c: AppContext) => Response {
  return (error, c) => {
    if (!(error instanceof ServiceError)) {
      log.error({ err: error, requestId: c.var.requestId, method: c.req.method }, 'Request failed');
      return c.json({ detail: 'Internal server error' }, 500);
    }
    const { status, body, code } = ERROR_RESPONSES[error.code];
    // The client does not learn which check its token failed. The log has the cause.
    if (status === 401) log.debug({ err: error, requestId: c.var.requestId }, 'Request not authenticated');
    if (status === 503) log.warn({ err: error, requestId: c.var.requestId }, 'A dependency is unavailable');
    if (error.retryAfterSeconds !== undefined) c.header('Retry-After', String(error.retryAfterSeconds));
    return c.json({ detail: detailOf(error, body, code ?? error.code) }, status);
  };
}

function detailOf(error: ServiceError, body: BodyKind, code: ErrorCode) {
  switch (body) {
    case 'text':
      return error.detail;
    case 'coded':
      return { code, message: error.detail };
    case 'issues':
      return (error.issues ?? []).map(({ loc, msg, type }) => ({ loc, msg, type }));
  }
}
