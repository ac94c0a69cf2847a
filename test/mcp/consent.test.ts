// Which answers to a question of a tool server count as consent, and which make it ask again.
import { describe, expect, it } from 'vitest';
import { type ElicitationForm, formOf } from '../../src/tools/elicitation-form.ts';
import { readElicitationAnswer } from '../../src/tools/elicitation-question.ts';

function form(properties: Parameters<typeof formOf>[1]['requestedSchema']['properties']): ElicitationForm {
  const read = formOf('files', { message: 'Delete it?', requestedSchema: { properties } });
  if (read === undefined) throw new Error('it is no form');
  return read;
}

const confirmation = form({});
const optional = form({ note: { type: 'string' }, sure: { type: 'boolean' } });
const limited = form({
  colour: {
    type: 'string',
    oneOf: [
      { const: 'r', title: 'Red' },
      { const: 'g', title: 'Green' },
    ],
  },
  sizes: { type: 'array', items: { enum: ['s', 'm', 'l'] }, maxItems: 2 },
  age: { type: 'integer', minimum: 18, maximum: 99 },
  mail: { type: 'string', format: 'email' },
  code: { type: 'string', minLength: 4, maxLength: 4 },
  sure: { type: 'boolean' },
});
const declined = { ok: true, answer: { action: 'decline' } };

describe('answers to a tool server', () => {
  it.each(["No, don't!", 'no thanks', 'No, thank you.', 'stop', 'nein', 'NO', "don't", false])(
    '[mcp.elicitation] takes %j as a no, with fields and without',
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
    '[mcp.elicitation] takes %j as a yes',
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

  it.each([
    [
      { colour: 'Green', sizes: ['s', 'l'] },
      { colour: 'g', sizes: ['s', 'l'] },
    ],
    ['sizes: s, m\nage: 18', { sizes: ['s', 'm'], age: 18 }],
    [
      { action: 'accept', content: { mail: 'ada@example.com', code: '1234' } },
      { mail: 'ada@example.com', code: '1234' },
    ],
  ])('[mcp.elicitation.form] takes %j, which fits the schema', (given, content) => {
    expect(readElicitationAnswer(given, limited)).toEqual({
      ok: true,
      answer: { action: 'accept', content },
    });
  });

  it('[mcp.elicitation.form] uses defaults for omitted fields, and asks again when there are none', () => {
    const wanted = form({ note: { type: 'string' }, age: { type: 'integer', default: 18 } });
    expect(readElicitationAnswer({ note: 'hello' }, wanted)).toEqual({
      ok: true,
      answer: { action: 'accept', content: { note: 'hello', age: 18 } },
    });
    expect(readElicitationAnswer({ action: 'accept', content: { age: 20 } }, wanted)).toEqual({
      ok: true,
      answer: { action: 'accept', content: { age: 20 } },
    });
    expect(readElicitationAnswer({}, wanted)).toMatchObject({ ok: false });
  });

  it.each([
    [{ colour: 'blue' }, '"colour" must be one of Red, Green.'],
    [{ colour: { r: true } }, '"colour" must be a text.'],
    [{ sizes: ['xl'] }, '"sizes" must be some of s, m, l.'],
    [{ sizes: ['s', 'm', 'l'] }, '"sizes" must be at most 2 values.'],
    [{ sizes: [{ toString: 1 }] }, '"sizes" must be a list of texts.'],
    [[{ toString: 1 }], 'The answer has none of the fields.'],
    [{ age: [18] }, '"age" must be a whole number, 18 to 99.'],
    [{ age: { valueOf: 1, toString: 1 } }, '"age" must be a whole number, 18 to 99.'],
    [{ sure: { toString: 1 } }, '"sure" must be yes or no.'],
    [{ age: 17 }, '"age" must be a whole number, 18 to 99.'],
    [{ age: 18.5 }, '"age" must be a whole number, 18 to 99.'],
    [{ mail: 'ada' }, '"mail" must be an e-mail address.'],
    [{ action: 'accept', content: { code: '12345' } }, '"code" must be 4 characters.'],
  ])('[mcp.elicitation.form] asks again after %j, and says what the field accepts', (given, problem) => {
    expect(readElicitationAnswer(given, limited)).toEqual({ ok: false, problem });
  });

  it('[mcp.elicitation.form] shows no form of an unknown kind, and no huge one', () => {
    const asked = (properties: Parameters<typeof form>[0]) => ({
      message: '',
      requestedSchema: { properties },
    });
    expect(formOf('files', asked({ it: { type: 'string', enum: ['a'], default: 'a' } }))).toBeDefined();
    expect(formOf('files', asked({ it: { type: 'array', items: { type: 'object' } } }))).toBeUndefined();
    expect(formOf('files', asked({ 'it\u202eno': { type: 'string' } }))).toBeUndefined();
    const long = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [`f${index}`, { description: 'x'.repeat(4_000) }]),
    );
    expect(formOf('files', asked(long))).toBeUndefined();
  });
});
