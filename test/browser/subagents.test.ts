// Sub-agents as the person sees them: while they work, afterwards, and when one of them asks.
import { describe, expect, it } from 'vitest';
import { browserTests, scriptedModel } from '../support/chat-in-browser.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { messagesOf, taskOf } from '../support/scripted-subagents.ts';
import { chooseModel, eventually, PATIENCE, type WebApp } from '../support/web-app.ts';

const FILE = { description: 'the file', path: '/mnt/user-data/workspace/LONG.md' };

describe('sub-agents', PATIENCE, () => {
  const chat = browserTests((model) =>
    [
      'agent: {approvals: {str_replace: always}, suggestions: {enabled: false}}',
      `models: [{name: demo, provider: demo, model: demo}, ${scriptedModel(model)}]`,
    ].join('\n'),
  );
  const { open } = chat;

  /**
   * A chat with a file, whose model gives these tasks to sub-agents when it is told to delegate. The one that reads the
   * file says the last word when the test says so.
   */
  async function openDelegating(tasks: readonly string[]) {
    const said = Promise.withResolvers<void>();
    const write = { ...FILE, content: 'word1 word2 word699' };
    const subagent = (prompt: string, isFirst: boolean) => {
      if (prompt !== 'read LONG.md') return answer.text('1 2 3');
      if (isFirst)
        return answer.toolCalls([{ name: 'read_file', args: FILE }], { text: 'I will read the file.' });
      const last = [step.until(said.promise), step.text(' word699'), step.finish(), step.done()];
      return answer.script(step.text('It says: word1'), ...last);
    };
    const lead = (question: string, isFirst: boolean) => {
      if (!isFirst) return answer.text('All of it is done, up to word699');
      if (question !== 'delegate') return answer.toolCalls([{ name: 'write_file', args: write }]);
      return answer.toolCalls(
        tasks.map((prompt) => ({
          id: prompt,
          name: 'task',
          args: { description: prompt, prompt, subagent_type: 'general-purpose' },
        })),
      );
    };
    chat.model.onRequest((request) => {
      const [prompt, isFirst] = [taskOf(request), messagesOf(request).at(-1)?.role !== 'tool'];
      return prompt === '' ? lead(request.lastUserText, isFirst) : subagent(prompt, isFirst);
    });
    const app = await open();
    await chooseModel(app, 'scripted');
    await app.send('write it');
    await app.untilAnswer(/All of it is done/);
    await app.untilIdle();
    return { app, sayLastWord: () => said.resolve() };
  }
  const card = ({ page }: WebApp, task: string) =>
    page.locator('[data-tool="task"]').filter({ has: page.getByText(task, { exact: true }) });
  const stateOf = (app: WebApp, task: string) => () => card(app, task).getAttribute('data-tool-state');
  const title = (app: WebApp, task: string) => card(app, task).getByRole('button').first();
  const approval = ({ page }: WebApp) => page.getByRole('group', { name: 'Approval', exact: true });

  it('[web.subagents] shows what each is doing while it works, also after a reload', async () => {
    const { app, sayLastWord } = await openDelegating(['read LONG.md', 'count to 3']);
    const request = app.page.waitForRequest(/\/runs$/);
    await app.send('delegate');
    expect((await request).postDataJSON().stream_mode).toContain('custom');
    await eventually(stateOf(app, 'count to 3')).toBe('success');
    const words = () => title(app, 'read LONG.md').textContent();
    await eventually(words).toMatch(/read LONG\.md1 stepSub-agent·running\s?Read file workspace\/LONG\.md$/);
    expect(await stateOf(app, 'read LONG.md')()).toBe('running');
    await app.page.reload();
    await eventually(words).toMatch(/1 stepSub-agent·running\s?Read file workspace\/LONG\.md$/);
    sayLastWord();
    await app.untilAnswer(/All of it is done.*word699/);
    expect(await words()).toBe('read LONG.md1 stepSub-agent·done');
    await app.untilIdle();
    await app.page.reload();
    await eventually(words).toBe('read LONG.md1 stepSub-agent·done');
    expect(app.complaints).toEqual([]);
  });

  it('[web.subagents.steps] shows new steps as they arrive, and loads earlier ones', async () => {
    const { app, sayLastWord } = await openDelegating(['read LONG.md']);
    await app.send('delegate');
    await title(app, 'read LONG.md').press('Enter');
    const step = card(app, 'read LONG.md').locator('[data-tool="read_file"]');
    await eventually(() => step.getAttribute('data-tool-state')).toBe('success');
    expect(await stateOf(app, 'read LONG.md')()).toBe('running');
    await card(app, 'read LONG.md').getByText('I will read the file.').waitFor();
    sayLastWord();
    await app.untilIdle();
    await app.page.reload();
    await title(app, 'read LONG.md').press('Enter');
    await step.getByRole('button').press('Enter');
    await step.locator('pre', { hasText: 'word699' }).waitFor();
    expect(await card(app, 'read LONG.md').locator('.markdown').textContent()).toContain('word699');
  });

  it('[web.subagents.steps] [web.keyboard] loads them when they are opened, also by keyboard', async () => {
    const app = await open();
    await app.send('In parallel: list the files; count to 3');
    await app.untilAnswer(/All 2 sub-agents are done/);
    await app.untilIdle();
    const asked: unknown[] = [];
    app.page.on('request', (request) => {
      const namespace = request.postDataJSON()?.checkpoint?.checkpoint_ns;
      if (namespace !== undefined) asked.push(namespace);
    });
    await app.page.reload();
    await title(app, 'list the files').waitFor();
    expect(asked).toEqual([]);
    await title(app, 'list the files').focus();
    await app.page.keyboard.press('Enter');
    const steps = app.page.getByRole('list', { name: 'Steps of the sub-agent' });
    await steps.getByText('List folder', { exact: true }).waitFor();
    expect(asked).toEqual([expect.stringMatching(/^tools:call_/)]);
    expect(await title(app, 'list the files').getAttribute('aria-expanded')).toBe('true');
    await title(app, 'count to 3').focus();
    await app.page.keyboard.press('Enter');
    await card(app, 'count to 3').getByText('No tools used.').waitFor();
  });

  it('[web.subagents.approval] names each sub-agent by its task, and continues after the answer', async () => {
    const app = await open();
    await app.send('write A.md: one two');
    await app.untilAnswer(/I wrote 2 words/);
    const [first, second] = ['replace one with 1 in A.md', 'replace two with 2 in A.md'];
    await app.send(`In parallel: ${first}; ${second}; count to 3`);
    await approval(app).getByText(`For the sub-agent: ${first}`).waitFor();
    await eventually(stateOf(app, first)).toBe('waiting');
    await eventually(stateOf(app, second)).toBe('waiting');
    await eventually(stateOf(app, 'count to 3')).toBe('success');
    await approval(app).getByRole('button', { name: 'Allow once: Edit file' }).press('Enter');
    await approval(app).getByText(`For the sub-agent: ${second}`).waitFor();
    await app.page.reload();
    await approval(app).getByText(`For the sub-agent: ${second}`).waitFor();
    await eventually(stateOf(app, first)).toBe('success');
    await approval(app).getByRole('button', { name: 'Deny: Edit file' }).press('Enter');
    await approval(app).getByRole('button', { name: 'Deny', exact: true }).press('Enter');
    await app.untilAnswer(/“one” is now “1”.*That did not work/);
    await eventually(() => approval(app).count()).toBe(0);
    await title(app, second).press('Enter');
    const step = card(app, second).locator('[data-tool="str_replace"]');
    await eventually(() => step.getAttribute('data-tool-state')).toBe('error');
    expect(app.complaints).toEqual([]);
  });
});
