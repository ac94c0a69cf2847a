// What answers did to the files of a chat, and the way back, as the person sees them.
import { describe, expect, it } from 'vitest';
import { chatForTests } from '../support/chat-in-browser.ts';
import { axeViolations, eventually, PATIENCE, type WebApp } from '../support/web-app.ts';

/** A folder for pictures of what the tests see; none are taken without it. */
const { SCREENSHOTS } = process.env;

describe('changes of files', PATIENCE, () => {
  const chat = chatForTests('sandbox: { kind: virtual }\n');
  const lines = ({ page }: WebApp) => page.getByTestId('turn-changes');
  const look = async ({ page }: WebApp, name: string) => {
    if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/changes-${name}.png` });
    expect(await axeViolations(page)).toEqual([]);
  };
  const say = async (app: WebApp, text: string, pattern: RegExp) => {
    await app.send(text);
    await app.untilAnswer(pattern);
    await app.untilIdle();
  };
  const fileOf =
    ({ page }: WebApp, name: string) =>
    async () => {
      const threadId = new URL(page.url()).pathname.split('/').at(-1);
      const file = await page.request.get(
        `/api/threads/${threadId}/artifacts/mnt/user-data/workspace/${name}`,
      );
      return file.ok() ? file.text() : file.status();
    };

  it('[web.changes] [web.changes.restore] shows what a reply changed, restores the files, and undoes that', async () => {
    const { app } = chat;
    const { page } = app;
    await say(app, 'write NOTES.md: one', /I wrote/);
    await lines(app).getByText('1 file changed').waitFor();
    await say(app, 'run echo two >> NOTES.md; echo new > B.md', /is done/);
    const line = lines(app).last();
    await line.getByRole('button', { name: /2 files changed/ }).press('Enter');
    await line.getByRole('button', { name: /NOTES\.md/ }).press('Enter');
    await eventually(() => line.locator('[data-diff="added"]').allTextContents()).toEqual(['+two']);
    await eventually(() => line.locator('[data-diff="same"]').allTextContents()).toEqual([' one']);
    await look(app, 'open');
    await line.getByRole('button', { name: 'Restore files to before this answer' }).click();
    await page.getByRole('dialog').getByText('you can undo this').waitFor();
    await look(app, 'dialog');
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await line.getByText('Restored: 1 file put back, 1 file removed.').waitFor();
    expect(await fileOf(app, 'NOTES.md')()).toBe('one\n');
    expect(await fileOf(app, 'B.md')()).toBe(404);
    await look(app, 'restored');
    await line.getByRole('button', { name: 'Undo' }).click();
    await line.getByText('The restore was undone').waitFor();
    expect(await fileOf(app, 'NOTES.md')()).toBe('one\ntwo\n');
    await page.reload();
    await lines(app).last().getByText('2 files changed').waitFor();
    expect(app.complaints).toEqual([]);
  });

  it('[web.changes] shows nothing if nothing changed', async () => {
    const { app } = chat;
    const told: string[] = [];
    app.page.on('requestfinished', (request) => told.push(request.url()));
    await say(app, 'list the files', /no files/);
    await say(app, 'run date', /is done/);
    await eventually(() => told.filter((url) => url.endsWith('/workspace-changes')).length).toBe(1);
    expect(await lines(app).count()).toBe(0);
  });

  it('[web.changes.still] moves no button', async () => {
    const { app } = chat;
    const asked = Promise.withResolvers<void>();
    const told = Promise.withResolvers<void>();
    await app.page.route(/\/workspace-changes$/, async (route) => {
      asked.resolve();
      await told.promise;
      await route.continue();
    });
    await say(app, 'write NOTES.md: one', /I wrote/);
    await asked.promise;
    const again = app.page.getByRole('button', { name: 'Regenerate' });
    expect(await again.count()).toBe(0);
    told.resolve();
    await again.waitFor();
    expect(await lines(app).count()).toBe(1);
  });

  it('[web.changes.branch] restores the files, too, when a message is reworded', async () => {
    const { app } = chat;
    await say(app, 'write A.md: one', /I wrote/);
    await say(app, 'write B.md: two', /I wrote/);
    const turn = app.page.getByRole('listitem').filter({ hasText: 'write B.md' });
    await turn.getByRole('button', { name: 'Edit message' }).press('Enter');
    await app.page.getByRole('checkbox', { name: /Also restore the files/ }).check();
    await look(app, 'edit');
    await app.page.getByRole('textbox', { name: 'Your message' }).fill('list the files');
    await app.page.keyboard.press('Enter');
    await app.untilAnswer(/A\.md/);
    await app.untilIdle();
    expect(await app.answer()).not.toContain('B.md');
    expect(await fileOf(app, 'B.md')()).toBe(404);
  });

  it('[web.changes.branch] replies again with the files as they were, or as they are', async () => {
    const { app } = chat;
    await say(app, 'write A.md: one', /I wrote/);
    await say(app, 'append two to A.md', /I added/);
    // By keyboard: the line of changed files comes after the answer, above the button.
    const again = async (files: string) => {
      await app.page.getByRole('button', { name: 'Regenerate' }).press('Enter');
      await app.page.getByRole('menuitem', { name: files }).press('Enter');
    };
    await again('Restore files first');
    await app.page.getByRole('group', { name: 'Versions of this answer' }).getByText('2 / 2').waitFor();
    await app.untilIdle();
    expect(await fileOf(app, 'A.md')()).toBe('one\ntwo\n');
    await again('Keep current files');
    await app.page.getByRole('group', { name: 'Versions of this answer' }).getByText('3 / 3').waitFor();
    await app.untilIdle();
    expect(await fileOf(app, 'A.md')()).toBe('one\ntwo\ntwo\n');
  });
});
