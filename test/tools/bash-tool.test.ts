// The bash tool in a run: its results for the model and for the person.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { dataOf, framesOf, type TestFrame } from '../support/sse.ts';
import { sendFiles } from '../support/upload.ts';

let test: TestService;
let client: Awaited<ReturnType<TestService['user']>>;
let threadId: string;
beforeEach(async () => {
  test = await openTestService({ config: { sandbox: { timeout_seconds: 60 } } });
  client = await test.user();
  threadId = await newThread(client);
});
afterEach(() => test.close());

const calling = (command: string) =>
  answer.toolCalls([{ id: 'call-1', name: 'bash', args: { description: 'look', command } }]);

/** Returns the result that the model gets for the command. */
async function resultOf(command: string): Promise<{ readonly content: string; readonly status: string }> {
  test.model.enqueue(calling(command), answer.text('done'));
  await streamed(client, threadId, question('go'));
  const { values } = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
  const message = values.messages.findLast(({ type }) => type === 'tool');
  return { content: String(message?.content), status: String(Reflect.get(message ?? {}, 'status')) };
}

describe('bash', () => {
  it('[tools.bash] reports both streams, the exit code, and missing output', async () => {
    expect(await resultOf('echo hi; echo bad >&2; exit 3')).toEqual({
      content: 'hi\nStd Error:\nbad\nExit Code: 3',
      status: 'success',
    });
    expect((await resultOf('true')).content).toBe('(no output)');
    expect((await resultOf('echo kept > note.txt && cat /mnt/user-data/workspace/note.txt')).content).toBe(
      'kept',
    );
  });

  it('[tools.bash] a killed command is an error with its output so far', async () => {
    await test.close();
    test = await openTestService({ config: { sandbox: { timeout_seconds: 3 } } });
    client = await test.user();
    threadId = await newThread(client);
    const { content, status } = await resultOf('echo begun; sleep 30');
    expect([content, status]).toEqual([
      expect.stringMatching(/^begun\nError: The command took too long/),
      'error',
    ]);
  });

  it('[tools.bash] a script that exceeds the limit of the system is refused with its length', async () => {
    const { content, status } = await resultOf(`echo ${'é'.repeat(60_000)}`);
    expect([content, status]).toEqual([expect.stringContaining('longer than 100000 bytes'), 'error']);
    expect((await resultOf('echo on')).content).toBe('on');
  });

  it('[tools.bash.long] shows the beginning and the end, and stores the whole in a file', async () => {
    const { content } = await resultOf('seq 1 20000');
    expect(content.length).toBeLessThan(21_000);
    expect(content).toMatch(/^1\n2\n[\s\S]{9000,}chars skipped\] \.\.\.\n[\s\S]{9000,}\n20000\n/u);
    const [path = ''] = /\/mnt\/user-data\/outputs\/\.tool-results\/bash-\w{12}\.log/.exec(content) ?? [];
    expect((await resultOf(`sed -n 10000p ${path}; wc -l < ${path}`)).content).toBe('10000\n20000');
  });

  it.each(['auto', 'virtual'])('[tools.bash.progress] output arrives as custom events: %s', async (kind) => {
    await test.close();
    test = await openTestService({ config: { sandbox: { kind } } });
    client = await test.user();
    threadId = await newThread(client);
    const waiting = 'until [ -e /mnt/user-data/uploads/go.txt ]; do sleep 0.05; done';
    test.model.enqueue(calling(`echo first; ${waiting}; echo second`), answer.text('done'));
    const body = question('go', { stream_mode: ['custom'] });
    const frames: TestFrame[] = [];
    for await (const frame of framesOf(
      await client.post(`/api/graph/threads/${threadId}/runs/stream`, body),
    )) {
      frames.push(frame);
      if (frame.event === 'custom' && dataOf(frames, 'custom').length === 1)
        await sendFiles(client, threadId, [{ name: 'go.txt' }]);
    }
    expect(dataOf(frames, 'custom')).toEqual([
      { type: 'command_output', tool_call_id: 'call-1', stream: 'stdout', text: 'first\n' },
      { type: 'command_output', tool_call_id: 'call-1', stream: 'stdout', text: 'second\n' },
    ]);
  });

  it('[tools.bash.cancel] cancelling the run kills the command', async () => {
    test.model.enqueue(calling('touch alive; echo begun; while true; do touch alive; sleep 0.05; done'));
    const response = await client.post(
      `/api/graph/threads/${threadId}/runs/stream`,
      question('go', { stream_mode: ['custom', 'values'] }),
    );
    const [, runId = ''] = /runs\/([^/]+)/.exec(response.headers.get('content-location') ?? '') ?? [];
    const frames = framesOf(response);
    for await (const { event } of frames) if (event === 'custom') break;
    await client.post(`/api/graph/threads/${threadId}/runs/${runId}/cancel?wait=1`);
    const run = await jsonOf<Record<string, unknown>>(
      client.get(`/api/graph/threads/${threadId}/runs/${runId}`),
    );
    expect(run).toMatchObject({ status: 'interrupted', stop_reason: 'interrupted_by_user' });
    // The file is not touched any more.
    const age = async () =>
      Number((await resultOf('echo $(( $(date +%s%3N) - $(date -r alive +%s%3N) ))')).content);
    await expect.poll(age).toBeGreaterThan(500);
  });
});
