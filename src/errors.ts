// The one error class of the service and the closed list of its codes.

/**
 * The kind of failure, as a domain word. Only `http/api/error-response.ts` maps these to HTTP status codes.
 */
export type ErrorCode =
  | 'validation_failed'
  | 'invalid'
  | 'not_authenticated'
  | 'token_invalid'
  | 'token_expired'
  | 'user_not_found'
  | 'invalid_credentials'
  | 'wrong_current_password'
  | 'password_required'
  | 'email_already_exists'
  | 'registration_disabled'
  | 'system_already_initialized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'range_not_satisfiable'
  | 'insufficient_storage'
  | 'unsupported_media_type'
  | 'too_many_attempts'
  | 'too_many_waiting'
  | 'unavailable';

/** One invalid field, in the shape of the 422 body (docs/contract/conventions.md#errors). */
export interface ValidationIssue {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

export interface ServiceErrorOptions {
  readonly cause?: unknown;
  /** Seconds after which the same call may succeed. Becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  readonly issues?: readonly ValidationIssue[];
}

/** A failure that the caller may read. `detail` is public; `cause` is only for the log. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly detail: string;
  readonly retryAfterSeconds: number | undefined;
  readonly issues: readonly ValidationIssue[] | undefined;

  constructor(code: ErrorCode, detail: string, options: ServiceErrorOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.detail = detail;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.issues = options.issues;
  }
}

/** Returns an error for a record that is missing or another user's, which the caller cannot distinguish. */
export function notFound(what: string): ServiceError {
  return new ServiceError('not_found', `${what} not found`);
}

/** Returns an error for a well-formed request that makes no sense here (400). */
export function invalid(detail: string): ServiceError {
  return new ServiceError('invalid', detail);
}

/** Returns an error for one invalid field (422). `loc` is a path such as `['body', 'metadata']`. */
export function validationFailed(
  loc: readonly (string | number)[],
  msg: string,
  type = 'value_error',
): ServiceError {
  return new ServiceError('validation_failed', msg, { issues: [{ loc, msg, type }] });
}

/** Returns an error for a record whose state forbids the call (409). */
export function conflict(detail: string): ServiceError {
  return new ServiceError('conflict', detail);
}

/** Returns an error for a dependency that does not respond. The caller may try again (503). */
export function unavailable(detail: string, cause?: unknown): ServiceError {
  return new ServiceError('unavailable', detail, { cause, retryAfterSeconds: 2 });
}
