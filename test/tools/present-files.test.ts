// present_files, through runs of the service.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answer } from '../support/model-server/answer.ts';
import { task, taskOf, toolNames } from '../support/scripted-subagents.ts';
import { question, streamed } from '../support/service.ts';
import { openToolRuns, type ToolRuns } from '../support/tool-run.ts';

const OUTPUTS = '/mnt/user-data/outputs';

let runs: ToolRuns;
beforeEach(async () => {
  runs = await openToolRuns();
});
afterEach(() => runs.close());

const write = (name: string, folder = OUTPUTS) => ({
  name: 'write_file',
  args: { description: 'write', path: `${folder}/${name}`, content: name },
});
const present = (...paths: readonly string[]) => ({ name: 'present_files', args: { filepaths: paths } });
const artifacts = async () => (await runs.state()).values.artifacts;

describe('present_files', () => {
  it('[tools.present_files] adds files to the artifacts in order, each once, also from parallel calls', async () => {
    await runs.call(write('a.md'), write('b.md'), write('c.md'));
    const told = { status: 'success', text: 'Successfully presented files' };
    expect(
      await runs.call(present(`${OUTPUTS}/b.md`), present(`${OUTPUTS}/a.md`, `${OUTPUTS}/b.md`)),
    ).toEqual([told, told]);
    expect(await artifacts()).toEqual([`${OUTPUTS}/b.md`, `${OUTPUTS}/a.md`]);
    await runs.call(present(`${OUTPUTS}/a.md`, `${OUTPUTS}/c.md`));
    expect(await artifacts()).toEqual([`${OUTPUTS}/b.md`, `${OUTPUTS}/a.md`, `${OUTPUTS}/c.md`]);
  });

  it('[tools.present_files] presents nothing when one of the files is elsewhere or missing', async () => {
    await runs.call(write('a.md'), write('b.md', '/mnt/user-data/workspace'));
    const refused = await runs.call(
      present(`${OUTPUTS}/a.md`, '/mnt/user-data/workspace/b.md'),
      present(`${OUTPUTS}/a.md`, `${OUTPUTS}/missing.md`),
      present(`${OUTPUTS}/../workspace/b.md`),
      present(OUTPUTS),
      present('/etc/passwd'),
    );
    expect(refused.map(({ status }) => status)).toEqual(Array.from(refused, () => 'error'));
    expect(refused.map(({ text }) => text)).toEqual([
      expect.stringContaining(`b.md is not under ${OUTPUTS}. Move or write it there`),
      expect.stringContaining('No such file or folder: /mnt/user-data/outputs/missing.md'),
      expect.stringContaining('".."'),
      expect.stringContaining('names a folder'),
      expect.stringContaining("outside of the thread's files"),
    ]);
    expect(await artifacts()).toEqual([]);
  });

  it('[tools.present_files] is for the lead agent: a sub-agent is not offered it', async () => {
    const { model } = runs.test;
    model.enqueue(answer.toolCalls([task('look', 'look around')]));
    await streamed(runs.client, runs.threadId, question('go', { context: { subagent_enabled: true } }));
    const [lead, subagent] = model.requests.map((request) => ({
      task: taskOf(request),
      isOffered: toolNames(request).includes('present_files'),
    }));
    expect(lead).toEqual({ task: '', isOffered: true });
    expect(subagent).toEqual({ task: 'look around', isOffered: false });
  });
});
