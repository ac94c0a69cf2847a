// The question that ends a run.
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/messages/message.ts';
import { createAskClarificationTool } from '../../src/tools/ask-clarification.ts';
import { runTool } from './run-tool.ts';

const tool = createAskClarificationTool();

async function optionsOf(options: Json): Promise<unknown> {
  const outcome = await runTool(tool, { question: 'Which?', clarification_type: 'approach_choice', options });
  if (outcome.kind !== 'question') throw new Error('No question was asked');
  return outcome.artifact;
}

describe('ask_clarification', () => {
  it('[tools.ask_clarification] asks in words and as a form, with numbered options', async () => {
    const outcome = await runTool(tool, {
      question: 'Which city?',
      clarification_type: 'missing_info',
      context: 'The weather depends on it.',
      options: ['Bern', 'Rome'],
    });
    expect(outcome).toEqual({
      kind: 'question',
      content: 'The weather depends on it.\n\n❓ Which city?\n\n1. Bern\n2. Rome',
      artifact: {
        human_input: {
          version: 1,
          kind: 'human_input_request',
          source: 'ask_clarification',
          request_id: 'call-1',
          clarification_type: 'missing_info',
          question: 'Which city?',
          input_mode: 'choice_with_other',
          context: 'The weather depends on it.',
          options: [
            { id: 'option-1', label: 'Bern', value: 'Bern' },
            { id: 'option-2', label: 'Rome', value: 'Rome' },
          ],
        },
      },
    });
  });

  it('[tools.ask_clarification] without options it asks for free text', async () => {
    const outcome = await runTool(tool, { question: 'Why?', clarification_type: 'suggestion' });
    expect(outcome).toMatchObject({
      kind: 'question',
      content: '💡 Why?',
      artifact: { human_input: { input_mode: 'free_text', context: null, options: [] } },
    });
  });

  it('[tools.ask_clarification.options] accepts a list, the text of a list, or labelled options; trimmed, each once', async () => {
    const expected = { human_input: { options: [{ label: 'a' }, { label: 'b' }] } };
    expect(await optionsOf([' a', 'b', 'a ', ''])).toMatchObject(expected);
    expect(await optionsOf('["a", "b"]')).toMatchObject(expected);
    expect(await optionsOf([{ label: 'a', value: 'A' }, { label: 'b' }])).toMatchObject({
      human_input: {
        options: [
          { label: 'a', value: 'A' },
          { label: 'b', value: 'b' },
        ],
      },
    });
  });

  it('[tools.ask_clarification.options] keeps at most 24 options of 200 characters', async () => {
    const many = Array.from({ length: 40 }, (_, index) => `${index} ${'x'.repeat(300)}`);
    const artifact = JSON.stringify(await optionsOf(many));
    expect(artifact.match(/"id"/g)).toHaveLength(24);
    expect(artifact).not.toContain('x'.repeat(200));
  });

  it('[tools.ask_clarification] refuses an empty question, an unknown kind and invalid options', async () => {
    const ask = { question: 'Which?', clarification_type: 'missing_info' };
    for (const args of [
      { ...ask, question: ' ' },
      { ...ask, clarification_type: 'other' },
      { ...ask, options: '{"a": 1}' },
      { ...ask, options: 'a, b' },
    ]) {
      expect(await runTool(tool, args)).toMatchObject({ kind: 'failure' });
    }
  });
});
