// Why a tool server could not do what was asked of it.

/**
 * `needs_sign_in`: the person has to sign in to the server. `unreachable`: it could not be started or connected to, or
 * broke off. `timeout`: it did not answer in time. `refused`: it answered with an error, which is no failure of the
 * server. `too_large`: it answered more than is taken.
 */
export type FailureKind = 'needs_sign_in' | 'unreachable' | 'timeout' | 'refused' | 'too_large' | 'cancelled';

/** The message is a sentence that people and models may read: it names no value, header or path of this machine. */
export class ServerFailure extends Error {
  override readonly name = 'ServerFailure';
  readonly kind: FailureKind;
  /** For administrators alone: the last words of a program. */
  readonly details: string | undefined;

  constructor(kind: FailureKind, message: string, details?: string) {
    super(message);
    this.kind = kind;
    this.details = details;
  }
}

/** The server no longer knows the session of the connection, as after a restart; so it did nothing. */
export class SessionLost extends ServerFailure {
  constructor(message: string) {
    super('unreachable', message);
  }
}
