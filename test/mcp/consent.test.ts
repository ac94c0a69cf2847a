// What counts as consent to a question of a tool server, and what is asked again.
import { describe, expect, it } from 'vitest';
import { readElicitationAnswer } from '../../src/tools/elicitation-question.ts';

const confirmation = { message: 'Delete it?', requestedSchema: { properties: {} } };
const optional = {
  message: 'Anything else?',
  requestedSchema: { properties: { note: { type: 'string' }, sure: { type: 'boolean' } } },
} as const;
const declined = { ok: true, answer: { action: 'decline' } };

describe('answers to a tool server', () => {
  it.each(["No, don't!", 'no thanks', 'No, thank you.', 'stop', 'nein', 'NO', "don't", false])(
    '[mcp.elicitation] takes %j for a no, with fields and without',
    (words) => {
      expect(readElicitationAnswer(words, confirmation)).toEqual(declined);
      expect(readElicitationAnswer(words, optional)).toEqual(declined);
    },
  );

  it.each(['', 'what is this?', 'yes but not now', 'nothing', null, {}, []])(
    '[mcp.elicitation] asks again after %j',
    (words) => {
      expect(readElicitationAnswer(words, confirmation)).toMatchObject({ ok: false });
      expect(readElicitationAnswer(words, optional)).toMatchObject({ ok: false });
    },
  );

  it.each(['yes', 'Yes, please.', 'ok', true, { action: 'accept' }, '{"action": "accept"}'])(
    '[mcp.elicitation] takes %j for a yes',
    (words) => {
      const accepted = { ok: true, answer: { action: 'accept', content: {} } };
      expect(readElicitationAnswer(words, confirmation)).toEqual(accepted);
    },
  );

  it('[mcp.elicitation] reads yes and no of a field as true and false', () => {
    const answer = (sure: boolean) => ({ ok: true, answer: { action: 'accept', content: { sure } } });
    expect(readElicitationAnswer('sure: no', optional)).toEqual(answer(false));
    expect(readElicitationAnswer('sure: yes', optional)).toEqual(answer(true));
    expect(readElicitationAnswer({ sure: false }, optional)).toEqual(answer(false));
    expect(readElicitationAnswer('sure: perhaps', optional)).toMatchObject({ ok: false });
  });
});
