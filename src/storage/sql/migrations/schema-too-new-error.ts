// The refusal to work on a database that a newer release has changed.

/** The message says what to do; it is for the person who starts the service. */
export class SchemaTooNewError extends Error {
  override readonly name = 'SchemaTooNewError';
  readonly found: number;
  readonly supported: number;

  constructor(found: number, supported: number) {
    super(
      `The database has schema ${found}, but this release knows schemas up to ${supported} only. ` +
        'Start the newer release that changed it, or point the service at another database or a backup.',
    );
    this.found = found;
    this.supported = supported;
  }
}
