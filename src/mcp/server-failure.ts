// Why a tool server could not do what was requested.

/**
 * `needs_sign_in`: the person must sign in to the server. `unreachable`: it could not be started or connected
 * to, or broke off. `timeout`: it did not respond in time. `refused`: it responded with an error, which is
 * not a failure of the server. `too_large`: its response exceeds the limits.
 */
export type FailureKind = 'needs_sign_in' | 'unreachable' | 'timeout' | 'refused' | 'too_large' | 'cancelled';

/** The message is a sentence for people and models. It names no value, header or path of this machine. */
export class ServerFailure extends Error {
  override readonly name = 'ServerFailure';
  readonly kind: FailureKind;
  /** For administrators only: the last words of a program. */
  readonly details: string | undefined;

  constructor(kind: FailureKind, message: string, details?: string) {
    super(message);
    this.kind = kind;
    this.details = details;
  }
}

/** The server no longer knows the session of the connection, as after a restart, so it did nothing. */
export class SessionLost extends ServerFailure {
  constructor(message: string) {
    super('unreachable', message);
  }
}

export const MESSAGE_BYTES = 4 * 1_048_576;
export const TOO_LARGE = 'Its response is larger than 4 MB or has too many parts. Request less.';
/** The error of a body with a message that is too large. */
export class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge';

  constructor() {
    super(TOO_LARGE);
  }
}
/** The code of the error that replaces a response that is too large. */
export const TOO_LARGE_CODE = -32_099;
