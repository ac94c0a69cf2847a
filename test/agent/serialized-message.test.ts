// The JSON text of a message of megabytes, which is made in slices.
import { expect, it } from 'vitest';
import { humanMessage } from '../../src/messages/message.ts';
import { serializedMessage } from '../../src/messages/serialized-message.ts';

it.each(['😀', '\ud83d', '\ude00', '"', '\\', '\u2028', 'é'])(
  '[http.bounds.largest] a long message is serialized as a short one is, wherever %j is cut',
  (character) => {
    for (const before of [65_533, 65_534, 65_535]) {
      const message = humanMessage('an-id', 'a'.repeat(before) + character.repeat(70_000));
      const expected = JSON.stringify({ ...message, role: 'user' });
      const { text, bytes } = serializedMessage(message);
      expect([text === expected, bytes]).toEqual([true, Buffer.byteLength(expected)]);
    }
  },
);
