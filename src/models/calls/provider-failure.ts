// What a provider sends in place of a reply, or in the middle of one.

type FailureFields = Partial<Pick<ProviderFailure, 'status' | 'code' | 'headers' | 'body'>>;

/** The message is the provider's, for matching and never for showing. */
export class ProviderFailure extends Error {
  override readonly name = 'ProviderFailure';
  /** The status of the response, or the one that an error in the stream names. */
  readonly status: number | undefined;
  /** The provider's own code. */
  readonly code: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** The beginning of the response. */
  readonly body: string;

  constructor(message: string, { status, code, headers = {}, body = '' }: FailureFields) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.body = body;
  }
}

/** The response is not a reply in the provider's protocol, or is larger than any. */
export class UnreadableResponse extends Error {
  override readonly name = 'UnreadableResponse';
}
