// The demo model through the port: its texts, its calls, and that it never varies.
import { describe, expect, it } from 'vitest';
import { aiMessage, humanMessage, toolMessage } from '../../src/messages/message.ts';
import { createDemoModel } from '../../src/models/demo-model.ts';
import { answerTo, firstCall, said } from './demo-answers.ts';

const WORKSPACE = '/mnt/user-data/workspace';

/** Sends a text, returns a result for each call of the model, and returns the words about the results. */
async function afterTools(text: string, results: readonly { content: string; status?: 'error' }[]) {
  const messages = said(text);
  const { finish } = await answerTo(messages);
  const asked = aiMessage('a-calls', '', { tool_calls: finish.toolCalls });
  const answers = finish.toolCalls.map((call, index) =>
    toolMessage(`t${index}`, call, results[index] ?? { content: '' }),
  );
  return answerTo([...messages, asked, ...answers]);
}

describe('requests that need tools', () => {
  const rows: readonly [string, readonly { name: string; args: Record<string, unknown> }[]][] = [
    ['list the files', [{ name: 'ls', args: { path: WORKSPACE } }]],
    ['Please show me the files.', [{ name: 'ls', args: { path: WORKSPACE } }]],
    ['ls /mnt/user-data/uploads', [{ name: 'ls', args: { path: '/mnt/user-data/uploads' } }]],
    ['run ls -la', [{ name: 'bash', args: { command: 'ls -la' } }]],
    ['$ date; whoami', [{ name: 'bash', args: { command: 'date; whoami' } }]],
    ['please run `echo "a b"`', [{ name: 'bash', args: { command: 'echo "a b"' } }]],
    [
      'write outputs/tea.md: two leaves',
      [{ name: 'write_file', args: { path: '/mnt/user-data/outputs/tea.md', content: 'two leaves\n' } }],
    ],
    ['read NOTES.md', [{ name: 'read_file', args: { path: `${WORKSPACE}/NOTES.md` } }]],
    [
      'can you read the file /mnt/user-data/uploads/a.txt?',
      [{ name: 'read_file', args: { path: '/mnt/user-data/uploads/a.txt' } }],
    ],
    [
      'read A.md, B.md and C.md',
      ['A', 'B', 'C'].map((it) => ({ name: 'read_file', args: { path: `${WORKSPACE}/${it}.md` } })),
    ],
    [
      'write NOTES.md: buy milk',
      [{ name: 'write_file', args: { path: `${WORKSPACE}/NOTES.md`, content: 'buy milk\n' } }],
    ],
    [
      'write NOTES.md:\nfirst: line\nsecond line',
      [
        {
          name: 'write_file',
          args: { path: `${WORKSPACE}/NOTES.md`, content: 'first: line\nsecond line\n' },
        },
      ],
    ],
    [
      'create a file called "my notes.md" with hello there',
      [{ name: 'write_file', args: { path: `${WORKSPACE}/my notes.md`, content: 'hello there\n' } }],
    ],
    [
      'write a.ts: ```ts\nconst a = 1;\n```',
      [{ name: 'write_file', args: { path: `${WORKSPACE}/a.ts`, content: 'const a = 1;\n' } }],
    ],
    [
      'append eggs to NOTES.md',
      [{ name: 'write_file', args: { path: `${WORKSPACE}/NOTES.md`, content: 'eggs\n', append: true } }],
    ],
    [
      'replace milk with "oat milk" in NOTES.md',
      [{ name: 'read_file', args: { path: `${WORKSPACE}/NOTES.md` } }],
    ],
    ['summarise NOTES.md', [{ name: 'read_file', args: { path: `${WORKSPACE}/NOTES.md` } }]],
  ];

  it.each(rows)('[models.demo.tools] %s', async (text, expected) => {
    const calls = await firstCall(text);
    expect(calls.map((call) => call.name)).toEqual(expected.map((call) => call.name));
    calls.forEach((call, index) => {
      expect(Object.keys(call.args)[0]).toBe('description');
      expect(call.args).toMatchObject(expected[index]?.args ?? {});
    });
  });

  it('[models.demo.tools] asks through the clarification tool, with the named options', async () => {
    expect(await firstCall('ask me which colour I like')).toEqual([
      {
        name: 'ask_clarification',
        args: { question: 'Please tell me which colour you like.', clarification_type: 'missing_info' },
      },
    ]);
    const [choice] = await firstCall('ask me to choose between tea, coffee and water');
    expect(choice?.args).toMatchObject({
      clarification_type: 'approach_choice',
      options: ['tea', 'coffee', 'water'],
    });
  });

  it('[models.demo.tools] streams the arguments of a call in pieces that add up to the call', async () => {
    const { parts, finish } = await answerTo(said('write NOTES.md: a longer line of text'));
    const pieces = parts.filter((part) => part.type === 'tool_call_delta');
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces[0]).toMatchObject({ index: 0, id: finish.toolCalls[0]?.id, name: 'write_file' });
    expect(JSON.parse(pieces.map((piece) => piece.args).join(''))).toEqual(finish.toolCalls[0]?.args);
    expect(finish.finishReason).toBe('tool_calls');
  });

  it('[models.demo.tools] calls a named tool of a tool server, with the arguments beside the name', async () => {
    const calls = async (text: string) =>
      (await answerTo(said(text))).finish.toolCalls.map(({ name, args }) => ({ name, args }));
    expect(await calls('Please use notes_search {"query": "tea"}')).toEqual([
      { name: 'notes_search', args: { query: 'tea' } },
    ]);
    expect(await calls('use notes_all')).toEqual([{ name: 'notes_all', args: {} }]);
    expect(await calls('use notes_search {"query": "tea"')).toEqual([]);
    expect(await calls('use the force')).toEqual([]);
    expect((await answerTo(said('use notes_none'))).text).toContain('`notes_none`');
  });

  it('[models.demo.tools] never calls a tool that the request does not offer', async () => {
    const { finish, text } = await answerTo(said('list the files'), { tools: [] });
    expect(finish.toolCalls).toEqual([]);
    expect(text).toContain('`ls`');
  });

  it('[models.demo.tools] writes the reply to its own question about the content', async () => {
    const messages = said('write NOTES.md');
    const { finish } = await answerTo(messages);
    const [call] = finish.toolCalls;
    if (call === undefined) throw new Error('no call');
    const asked = [
      aiMessage('a1', '', { tool_calls: [call] }),
      toolMessage('t1', call, { content: 'What?' }),
    ];
    const next = await answerTo([...messages, ...asked, humanMessage('h9', 'oat milk and bread')]);
    expect(next.finish.toolCalls[0]?.args).toMatchObject({
      path: `${WORKSPACE}/NOTES.md`,
      content: 'oat milk and bread\n',
    });
  });
});

describe('replies about results', () => {
  it('[models.demo.results] shows a listing in a code block', async () => {
    const { text } = await afterTools('list the files', [{ content: 'NOTES.md\nsrc/' }]);
    expect(text).toContain('```text\nNOTES.md\nsrc/\n```');
  });

  it('[models.demo.results] quotes each file under its own name, with a fence that the file cannot close', async () => {
    const { text } = await afterTools('read A.md and B.ts', [
      { content: '```\nx\n```' },
      { content: 'const b = 2;' },
    ]);
    expect(text).toContain(`\`${WORKSPACE}/A.md\` says:\n\n\`\`\`\`markdown\n\`\`\`\nx\n\`\`\`\n\`\`\`\``);
    expect(text).toContain(`\`${WORKSPACE}/B.ts\` says:\n\n\`\`\`ts\nconst b = 2;\n\`\`\``);
  });

  it('[models.demo.results] reports plainly that a tool failed, and does not claim success', async () => {
    const { text } = await afterTools('write NOTES.md: x', [
      { content: 'Error: the disk is full', status: 'error' },
    ]);
    expect(text).toContain('That did not work');
    expect(text).toContain('> the disk is full');
    expect(text).not.toContain('I wrote');
  });

  it('[models.demo.results] confirms a write', async () => {
    expect((await afterTools('write NOTES.md: one two three', [{ content: 'OK' }])).text).toContain(
      'I wrote 3 words',
    );
  });

  it('[models.demo.summary] summarises a file by its most significant sentences, verbatim', async () => {
    const text =
      'Bees visit flowers for nectar. Lunch was good. Flowers need bees to carry pollen between flowers. ' +
      'The bus was late. Bees and flowers depend on each other. It rained. Somebody laughed.';
    const summary = (await afterTools('summarise BEES.md', [{ content: text }])).text;
    expect(summary).toContain('- Flowers need bees to carry pollen between flowers.');
    expect(summary).toContain('3 of 7 sentences');
    expect(summary).not.toContain('The bus was late');
  });
});

describe('replies in words', () => {
  it('[models.demo.honest] reports that it is a demo without a language model, and what it can do', async () => {
    const { text, finish } = await answerTo(said('How will the weather be tomorrow?'));
    expect(text).toContain('demo model');
    expect(text).toContain('no language model');
    expect(text).toContain('How will the weather be tomorrow?');
    expect(text).toContain('list the files');
    expect(finish.finishReason).toBe('stop');
  });

  it('[models.demo.memory] remembers the thread', async () => {
    const { text } = await answerTo(said('I like tea', 'my name is Ada', 'what did I say before?'));
    expect(text).toContain('1. I like tea');
    expect(text).toContain('2. my name is Ada');
    expect((await answerTo(said('my name is Ada', 'what is my name?'))).text).toContain('your name is Ada');
    expect((await answerTo(said('I like tea', 'hm'))).text).toContain('“I like tea”');
  });

  it('[models.demo.plan] plans with the named steps, as a numbered list', async () => {
    const { text } = await answerTo(said('plan a party: guests, cake and music'));
    expect(text).toContain('## Plan: a party');
    expect(text).toMatch(/1\. \*\*Guests\*\*[^\n]*\n2\. \*\*Cake\*\*[^\n]*\n3\. \*\*Music\*\*/);
    expect((await answerTo(said('plan a trip to Rome'))).text).toContain('## Plan: a trip to Rome');
  });

  it('[models.demo.plan] works by a list where it has one', async () => {
    const tools = [{ name: 'write_todos', description: 'plan', inputSchema: {} }];
    const messages = [...said('plan a party: guests, cake')];
    const statuses: unknown[] = [];
    for (let step = 0; step < 3; step++) {
      const { finish } = await answerTo(messages, { tools });
      const [call] = finish.toolCalls;
      if (call === undefined) throw new Error('It keeps no list.');
      statuses.push(call.args.todos);
      messages.push(aiMessage(`a${step}`, '', { tool_calls: [call] }));
      messages.push(toolMessage(`t${step}`, call, { content: 'The plan is updated.' }));
    }
    const todos = (...given: readonly string[]) =>
      ['Guests', 'Cake'].map((content, index) => ({ content, status: given[index] }));
    expect(statuses).toEqual([
      todos('in_progress', 'pending'),
      todos('completed', 'in_progress'),
      todos('completed', 'completed'),
    ]);
    expect((await answerTo(messages, { tools })).text).toContain('## Plan: a party');
  });

  it('[models.demo.summary] summarises a given text', async () => {
    const { text } = await answerTo(
      said('summarise: Rain fell. Rain fills rivers. Rivers carry rain to the sea.'),
    );
    expect(text).toContain('1 of 3 sentences');
  });

  it('[models.demo.think] reasons aloud before it replies, only with thinking on', async () => {
    const loud = await answerTo(said('think about rain'), { thinking: true });
    expect(loud.reasoning).toContain('“rain”');
    expect(loud.parts[0]?.type).toBe('reasoning_delta');
    expect(loud.finish.usage?.output_token_details?.reasoning).toBeGreaterThan(0);
    expect((await answerTo(said('think about rain'))).reasoning).toBe('');
  });

  it('[models.demo.memory] refers to the question that the person answers', async () => {
    const call = {
      type: 'tool_call' as const,
      id: 'c',
      name: 'ask_clarification',
      args: { question: 'Which colour?' },
    };
    const messages = [
      humanMessage('h', 'ask me something'),
      aiMessage('a', '', { tool_calls: [call] }),
      toolMessage('t', call, { content: 'Which colour?' }),
      humanMessage('h2', 'blue'),
    ];
    const { text } = await answerTo(messages);
    expect(text).toContain('I had asked “Which colour?”');
    expect(text).toContain('> blue');
  });

  it("[models.demo.memory] does not mistake a message of the framework for the person's", async () => {
    const hidden = humanMessage('x', 'list the files', { additional_kwargs: { hide_from_ui: true } });
    expect((await answerTo([humanMessage('h', 'count to 3'), hidden])).text).toBe('1 2 3');
  });

  it('[models.demo.honest] replies to an empty thread', async () => {
    expect((await answerTo([])).text).toContain('demo model');
  });
});

describe('the stream', () => {
  it('[models.demo.deterministic] gives the same parts for the same messages, other call ids in another turn', async () => {
    const once = await answerTo(said('list the files'));
    expect((await answerTo(said('list the files'))).parts).toEqual(once.parts);
    const later = await answerTo(said('list the files', 'list the files'));
    expect(later.finish.toolCalls[0]?.id).not.toBe(once.finish.toolCalls[0]?.id);
  });

  it('[models.demo.stream] arrives word by word and counts its tokens', async () => {
    const { parts, text, finish } = await answerTo(said('count to 20'));
    expect(parts.filter((part) => part.type === 'text_delta')).toHaveLength(20);
    expect(text.endsWith('19 20')).toBe(true);
    expect(finish.usage?.input_tokens).toBeGreaterThan(0);
    expect(finish.usage?.total_tokens).toBe(
      (finish.usage?.input_tokens ?? 0) + (finish.usage?.output_tokens ?? 0),
    );
  });

  it('[models.abort] stops immediately with the reason of the abort', async () => {
    const controller = new AbortController();
    const reason = new Error('the person pressed stop');
    const slow = createDemoModel({ delayMs: 3_600_000 });
    const request = {
      system: '',
      messages: said('hello'),
      tools: [],
      thinking: false,
      signal: controller.signal,
    };
    const first = slow.stream(request)[Symbol.asyncIterator]().next();
    controller.abort(reason);
    await expect(first).rejects.toBe(reason);
  });
});

it('[models.demo.skills] follows the text after the name of an activated skill', async () => {
  const words = '/report write NOTES.md: buy milk';
  const told = `${words}\n\n<active_skill>\nDo as it says: read A.md\n</active_skill>`;
  const activated = humanMessage('h1', told, { additional_kwargs: { original_user_content: words } });
  const { finish } = await answerTo([activated]);
  expect(finish.toolCalls).toMatchObject([{ name: 'write_file', args: { content: 'buy milk\n' } }]);
  expect((await answerTo(said(words))).finish.toolCalls).toEqual([]);
});
