// A run that waits for a person, as the person sees it: approvals, pauses, and answers given elsewhere.
import { describe, expect, it } from 'vitest';
import { chatForTests } from '../support/chat-in-browser.ts';
import { eventually, messageBox, PATIENCE, type WebApp } from '../support/web-app.ts';

const CONFIG = `
agent:
  approvals: { write_file: always, read_file: always }
`;

describe('a tool that needs permission', PATIENCE, () => {
  const chat = chatForTests(CONFIG);

  const card = (of = chat.app) => of.page.getByRole('group', { name: 'Approval', exact: true });
  const allow = (of = chat.app) =>
    card(of).getByRole('button', { name: 'Allow once: Write file', exact: true });
  const toolState = () =>
    chat.app.page.locator('[data-tool="write_file"]').last().getAttribute('data-tool-state');

  it('[web.approve] [web.approve.diff] shows the actual arguments, waits, and continues after approval', async () => {
    await chat.app.send('write NOTES.md: hello');
    await allow().waitFor();
    await card().getByText('/mnt/user-data/workspace/NOTES.md').waitFor();
    await card().getByText('hello').waitFor();
    await chat.app.untilIdle();
    await allow().press('Enter');
    await chat.app.untilAnswer(/I wrote 1 word/);
    await eventually(toolState).toBe('success');
    await eventually(() => card().count()).toBe(0);
    await chat.app.send('write NOTES.md: hello again');
    const change = card().getByRole('region', { name: 'Changes to the file' });
    await eventually(() => change.locator('[data-diff="removed"]').allTextContents()).toEqual(['−hello']);
    expect(await change.locator('[data-diff="added"]').allTextContents()).toEqual(['+hello again']);
    expect(chat.app.complaints).toEqual([]);
  });

  it('[hostile.S12] shows characters that change the text direction', async () => {
    await chat.app.send('write TURN.md: ab\u202etxt.exe');
    await card().getByText('ab[U+202E]txt.exe').waitFor();
    await card().getByRole('button', { name: 'Deny: Write file' }).press('Enter');
    await card().getByRole('button', { name: 'Deny', exact: true }).press('Enter');
    await chat.app.untilIdle();
  });

  it('[web.approve.always] allows a tool for the rest of the chat, until the permission is withdrawn', async () => {
    await chat.app.send('write ONE.md: one');
    await card().getByRole('button', { name: 'Always allow in this chat: Write file' }).press('Enter');
    await chat.app.untilAnswer(/I wrote 1 word/);
    await chat.app.send('write TWO.md: two words');
    await chat.app.untilAnswer(/I wrote 2 words/);
    await chat.app.page.reload();
    const rule = chat.app.page.getByRole('region', { name: 'Always allowed in this chat' });
    const takeBack = rule.getByRole('button', { name: 'Ask again before: Write file' });
    await takeBack.waitFor();
    const other = await chat.open();
    await other.send('write ONE.md: one');
    await allow(other).waitFor();
    await other.close();
    await takeBack.click();
    await chat.app.send('write THREE.md: now three words');
    await allow().waitFor();
    expect(await rule.count()).toBe(0);
    expect(chat.app.complaints).toEqual([]);
  });

  it('[web.approve.edit] runs with the arguments that the person entered', async () => {
    await chat.app.send('write EDIT.md: helo');
    await card().getByRole('button', { name: 'Edit: Write file' }).press('Enter');
    await card().getByRole('textbox', { name: 'content' }).fill('hello world again');
    await card().getByRole('button', { name: 'Allow with changes' }).press('Enter');
    await chat.app.untilAnswer(/I wrote/);
    await chat.app.page.locator('[data-diff="added"]', { hasText: 'hello world again' }).waitFor();
  });

  it('[web.approve.refuse] gives the agent the reason and runs nothing', async () => {
    await chat.app.send('write NO.md: secret');
    await card().getByRole('button', { name: 'Deny: Write file' }).press('Enter');
    await card()
      .getByRole('textbox', { name: /Reason/ })
      .fill('not in this folder');
    await card().getByRole('button', { name: 'Deny', exact: true }).press('Enter');
    await chat.app.untilIdle();
    await eventually(toolState).toBe('error');
    await chat.app.page.locator('pre', { hasText: 'They said: not in this folder' }).waitFor();
    await chat.app.send('list the files');
    await chat.app.untilIdle();
    expect(await chat.app.answer()).not.toMatch(/NO\.md/);
  });

  it('[web.approve.all] decides several actions one by one, or together', async () => {
    await chat.app.send('read ONE.md and TWO.md');
    const send = card().getByRole('button', { name: 'Submit decisions' });
    const action = (index: number) => card().getByRole('listitem').nth(index);
    await action(1).getByRole('button', { name: 'Deny: Read file' }).press('Enter');
    await action(1).getByRole('button', { name: 'Deny', exact: true }).press('Enter');
    expect(await send.isDisabled()).toBe(true);
    await action(0).getByRole('button', { name: 'Allow once: Read file' }).press('Enter');
    const request = chat.app.page.waitForRequest(/runs\/stream$/);
    await send.press('Enter');
    expect((await request).postDataJSON()).toMatchObject({
      command: { resume: { decisions: [{ type: 'approve' }, { type: 'reject' }] } },
    });
    await chat.app.untilIdle();
    await chat.app.send('read ONE.md and TWO.md');
    await card().getByRole('button', { name: 'Allow all' }).press('Enter');
    await eventually(() => card().count()).toBe(0);
    await chat.app.untilIdle();
  });

  it('[web.ask] shows a question in an unknown form and sends the answer in words', async () => {
    await chat.app.send('count to 3');
    await chat.app.untilAnswer(/1 2 3/);
    await chat.app.untilIdle();
    await runUntilTools(chat.app, 'list the files');
    await chat.app.page.route(/\/history$/, async (route) => {
      const response = await route.fetch();
      const text = await response.text();
      await route.fulfill({
        response,
        body: text.replaceAll('"interrupts":[]', '"interrupts":[{"id":"i1","value":{"colour":"red?"}}]'),
      });
    });
    await chat.app.page.reload();
    const question = chat.app.page.getByRole('group', { name: 'Question', exact: true });
    await question.getByText('"colour": "red?"').waitFor();
    await question.getByRole('textbox', { name: 'Your answer' }).fill('rather blue');
    const request = chat.app.page.waitForRequest(/runs\/stream$/);
    await question.getByRole('button', { name: 'Send answer' }).press('Enter');
    expect((await request).postDataJSON()).toMatchObject({ command: { resume: 'rather blue' } });
  });

  it('[web.approve.keyboard] needs no mouse', async () => {
    const { keyboard } = chat.app.page;
    await chat.app.send('write KEYS.md: hello');
    await allow().focus();
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await eventually(() => focusedLabel(chat.app)).toBe('Description');
    await tabTo(chat.app, /^Cancel$/);
    await keyboard.press('Enter');
    await eventually(() => focusedLabel(chat.app)).toBe('Edit: Write file');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await eventually(() => focusedLabel(chat.app)).toMatch(/^Reason/);
    await keyboard.type('rather not');
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    await eventually(toolState).toBe('error');
  });

  it('[web.approve.reload] asks again after a reload, and in another tab, until one of them answers', async () => {
    await chat.app.send('write TABS.md: hello');
    await allow().waitFor();
    await chat.app.page.reload();
    await allow().waitFor();
    const other = await chat.open(new URL(chat.app.page.url()).pathname);
    await allow(other).press('Enter');
    await other.untilAnswer(/I wrote 1 word/);
    await chat.app.untilAnswer(/I wrote 1 word/);
    await eventually(() => card().count()).toBe(0);
    await other.close();
  });

  it('[web.approve.restart] asks again after the service was killed and restarted', async () => {
    await chat.app.send('write KILLED.md: hello');
    await allow().waitFor();
    await chat.service.kill();
    await chat.service.restart();
    const later = await chat.open(new URL(chat.app.page.url()).pathname);
    await allow(later).waitFor();
    await later.close();
    // The page that was open all the time needs no reload.
    await allow().press('Enter');
    await chat.app.untilAnswer(/I wrote 1 word/);
  });

  it('[web.approve.message] may be answered by another message', async () => {
    const told = chat.app.page.getByText('Sending a message declines this request.');
    await chat.app.send('write LATER.md: hello');
    await allow().waitFor();
    await told.waitFor();
    const description = await messageBox(chat.app.page).getAttribute('aria-describedby');
    expect(await told.getAttribute('id')).toBe(description);
    await chat.app.send('count to 3');
    await chat.app.untilAnswer(/1 2 3/);
    await eventually(() => card().count()).toBe(0);
    expect(await told.count()).toBe(0);
    const notDone = chat.app.page.getByText('Not done: your next message came before you decided.');
    await notDone.waitFor();

    await chat.app.send('count to 2000');
    for (const queued of ['write QUEUED.md: hello', 'count to 4']) {
      await messageBox(chat.app.page).fill(queued);
      await chat.app.page.getByRole('button', { name: 'Queue message' }).click();
      await chat.app.page.locator('[data-unread="queued"]', { hasText: queued }).waitFor();
    }
    await chat.app.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await chat.app.untilAnswer(/^\D*1 2 3 4(?! 5)/);
    await chat.app.untilIdle();
    await eventually(() => notDone.count()).toBe(2);
  });

  it('[web.pause] resumes a run that stopped at a breakpoint', async () => {
    await chat.app.send('count to 3');
    await chat.app.untilAnswer(/1 2 3/);
    await chat.app.untilIdle();
    await runUntilTools(chat.app, 'list the files');
    await chat.app.page.reload();
    await chat.app.page.getByRole('button', { name: 'Continue' }).press('Enter');
    await eventually(() =>
      chat.app.page.locator('[data-tool="ls"]').last().getAttribute('data-tool-state'),
    ).toBe('success');
    await chat.app.untilIdle();
  });
});

/** Starts a run in the open chat that stops before its tools, as a program with the person's session could. */
async function runUntilTools({ page }: WebApp, text: string): Promise<void> {
  const cookies = await page.context().cookies();
  const token = cookies.find((cookie) => cookie.name === 'csrf_token')?.value ?? '';
  const threadId = new URL(page.url()).pathname.split('/').at(-1);
  const answer = await page.request.post(`/api/graph/threads/${threadId}/runs/wait`, {
    headers: { 'X-CSRF-Token': token },
    data: {
      assistant_id: 'lead_agent',
      input: { messages: [{ role: 'user', content: text }] },
      interrupt_before: ['tools'],
    },
  });
  expect(answer.status()).toBe(200);
}

/** What has the focus, by its label or its text. */
async function focusedLabel({ page }: WebApp): Promise<string> {
  const label = await page.evaluate(
    `(() => { const it = document.activeElement; return it?.labels?.[0]?.textContent ?? it?.getAttribute('aria-label') ?? it?.textContent ?? ''; })()`,
  );
  return String(label);
}

async function tabTo(app: WebApp, label: RegExp): Promise<void> {
  for (let step = 0; step < 20; step += 1) {
    if (label.test(await focusedLabel(app))) return;
    await app.page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key never reached ${label}.`);
}
