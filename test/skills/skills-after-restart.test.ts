// A run with an activated skill whose service is killed: the next attempt gives the model the same prompt,
// and allows no more.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FaultService, startFaultService } from '../faults/fault-service.ts';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { messagesOf } from '../support/scripted-subagents.ts';
import { newThread, question } from '../support/service.ts';
import { publicSkills } from './written-skills.ts';

let shelf: Awaited<ReturnType<typeof publicSkills>>;
let service: FaultService;
beforeAll(async () => {
  shelf = await publicSkills({
    activated: { allowedTools: ['ls'], body: 'Only look.' },
    read: { allowedTools: [] },
  });
  service = await startFaultService({ skills: { public_folder: shelf.folder } });
});
afterAll(async () => {
  await service.remove();
  await shelf.remove();
});

it('[skills.restart] a run that continues after a crash still has its skills', async () => {
  const { client, model, process } = service;
  const calls = (...names: readonly string[]) =>
    answer.toolCalls(
      names.map((name) => ({
        name,
        id: `call_${name}`,
        args:
          name === 'read_file'
            ? { path: '/mnt/skills/public/read/SKILL.md' }
            : { path: '/mnt/user-data/workspace', pattern: '*' },
      })),
    );
  model.enqueue(calls('read_file'), answer.hangMidStream('I'));
  const threadId = await newThread(client);
  await client.post(`/api/graph/threads/${threadId}/runs`, question('/activated go'));
  await model.requested(2);
  await process.kill();
  model.enqueue(calls('ls', 'glob'), answer.text('done'));
  await process.restart();
  await model.requested(4);
  const [first, ...rest] = model.requests.map((request) => messagesOf(request)[1]?.content);
  expect(first).toMatch(/^\/activated go\n\n<active_skill>[\s\S]*Only look\./);
  expect(rest).toEqual([first, first, first]);
  const state = () => jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
  await expect.poll(async () => (await state()).values.messages.at(-1)?.content).toBe('done');
  const results = (await state()).values.messages.filter(({ type }) => type === 'tool');
  expect(results.map(({ content }) => content)).toEqual([
    expect.stringContaining('Instructions of read.'),
    expect.not.stringMatching(/^Error/),
    expect.stringMatching(/^Error: glob was not run: the skills activated, read, .* allow only ls\./),
  ]);
});
