// What a provider says in the place of an answer, or in the middle of one.

interface FailureFields {
  /** Of the response, or the one that an error in the stream names. */
  readonly status?: number | undefined;
  /** The provider's own word for it. */
  readonly code?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The beginning of what was sent. */
  readonly body?: string;
}

/** The message is the provider's, for matching and never for showing. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;

  constructor(message: string, { status, code, headers = {}, body = '' }: FailureFields) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.body = body;
  }
}

/** What was sent is no answer in the provider's protocol, or larger than any. */
export class UnreadableResponse extends Error {
  override readonly name = 'UnreadableAnswer';
}
