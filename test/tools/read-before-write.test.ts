// An agent changes no file whose current contents it has not read, through runs of the service.
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { task, taskOf } from '../support/scripted-subagents.ts';
import { question, streamed } from '../support/service.ts';
import { openToolRuns, type ToolRuns } from '../support/tool-run.ts';

const NOTES = '/mnt/user-data/workspace/NOTES.md';

let runs: ToolRuns;
let file: string;
beforeEach(async () => {
  runs = await openToolRuns();
  const { id } = await jsonOf<{ id: string }>(runs.client.get('/api/v1/auth/me'));
  const folder = join(runs.test.dataHome, 'users', id, 'threads', runs.threadId, 'user-data', 'workspace');
  mkdirSync(folder, { recursive: true });
  file = join(folder, 'NOTES.md');
});
afterEach(() => runs.close());

const read = { name: 'read_file', args: { description: 'read', path: NOTES } };
const write = (content: string, append = false) => ({
  name: 'write_file',
  args: { description: 'write', path: NOTES, content, append },
});
const replace = (old_str: string, new_str: string) => ({
  name: 'str_replace',
  args: { description: 'change', path: NOTES, old_str, new_str },
});
const OK = { status: 'success', text: 'OK' };
const refused = (why: string) => ({
  status: 'error',
  text: expect.stringMatching(new RegExp(`^Error: ${NOTES} .*${why}.*Read it with read_file first`)),
});
const UNREAD = refused('you have not read it');
const CHANGED = refused('changed since you read it');
const text = () => readFileSync(file, 'utf8');

it('[tools.known] a file that it has not read is not replaced or changed; a new one is written', async () => {
  writeFileSync(file, 'by somebody else');
  expect(await runs.call(write('mine'))).toEqual([UNREAD]);
  expect(await runs.call(replace('somebody', 'nobody'))).toEqual([UNREAD]);
  expect(text()).toBe('by somebody else');
  const other = { name: 'write_file', args: { description: 'w', path: `${NOTES}.new`, content: 'x' } };
  expect(await runs.call(other)).toEqual([OK]);
});

it('[tools.known] a file that it has read or written itself can be changed, also in a later run', async () => {
  writeFileSync(file, 'one two three');
  await runs.call({ ...read, args: { ...read.args, start_line: 1, end_line: 1 } });
  expect(await runs.call(replace('one', '1'))).toEqual([OK]);
  expect(await runs.call(replace('two', '2'))).toEqual([OK]);
  expect(await runs.call(write('mine'))).toEqual([OK]);
  expect(await runs.call(write(' and yours', true))).toEqual([OK]);
  expect(await runs.call(replace('yours', 'ours'))).toEqual([OK]);
  expect(text()).toBe('mine and ours');
});

it('[tools.known] a file that changed since cannot, until it is read again; appending needs no reading', async () => {
  await runs.call(write('mine'));
  writeFileSync(file, 'changed meanwhile');
  expect(await runs.call(replace('changed', 'x'))).toEqual([CHANGED]);
  expect(await runs.call(write('mine again'))).toEqual([CHANGED]);
  expect(await runs.call(write('!', true))).toEqual([OK]);
  expect(await runs.call(replace('changed', 'x'))).toEqual([CHANGED]);
  await runs.call(read);
  expect(await runs.call(replace('changed', 'unchanged'))).toEqual([OK]);
  expect(text()).toBe('unchanged meanwhile!');
});

it('[tools.known] a large file that changed is not replaced, even if its modification time was set back', async () => {
  const put = (letter: string) => {
    writeFileSync(file, `${letter.repeat(99)}\n`.repeat(90_000));
    utimesSync(file, 1_000, 1_000);
  };
  put('a');
  await runs.call({ ...read, args: { ...read.args, start_line: 1, end_line: 1 } });
  put('b');
  expect(await runs.call(write('mine'))).toEqual([CHANGED]);
  expect(text().slice(0, 3)).toBe('bbb');
});

it('[tools.known.parallel] calls of one message know the writes of the others', async () => {
  expect(await runs.call(write('one two'), replace('one', '1'), replace('two', '2'))).toEqual([OK, OK, OK]);
  expect(text()).toBe('1 2');
});

it('[tools.known] reads of a sub-agent do not count for the agent that gave the task, and vice versa', async () => {
  writeFileSync(file, 'one');
  await runs.call(read);
  const { model } = runs.test;
  let asked = 0;
  model.onRequest((request) => {
    if (taskOf(request) === '')
      return ++asked === 1 ? answer.toolCalls([task('t1', 'change it')]) : answer.text('ok');
    const count = model.requests.filter((it) => taskOf(it) !== '').length;
    if (count === 1) return answer.toolCalls([{ ...replace('one', '1'), id: 's1' }]);
    if (count === 2) return answer.toolCalls([{ ...read, id: 's2' }]);
    return count === 3 ? answer.toolCalls([{ ...replace('one', 'uno'), id: 's3' }]) : answer.text('done');
  });
  await streamed(runs.client, runs.threadId, question('go', { context: { subagent_enabled: true } }));
  expect(text()).toBe('uno');
  model.onRequest(() => answer.text('done'));
  expect(await runs.call(replace('uno', 'due'))).toEqual([CHANGED]);
});
