// How much of a tool server is taken.

/** One message. */
export const MESSAGE_BYTES = 4 * 1_048_576;
export const TOO_LARGE = 'Its answer is larger than 4 MB or has more parts than are taken. Ask it for less.';
/** What a body fails with that has a message which is too large. */
export class ResponseTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';

  constructor() {
    super(TOO_LARGE);
  }
}
/** What carries the refusal of an answer to whoever waits for it. */
export const TOO_LARGE_CODE = -32_099;
