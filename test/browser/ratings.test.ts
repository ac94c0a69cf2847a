// Thumbs for answers, and a few words to them.
import { describe, expect, it } from 'vitest';
import { chatForTests } from '../support/chat-in-browser.ts';
import { eventually, PATIENCE } from '../support/web-app.ts';

const CONFIG = `
models:
  - { name: demo, provider: demo, model: demo, display_name: Demo }
`;

describe('ratings', PATIENCE, () => {
  const chat = chatForTests(CONFIG);

  const thumb = (name: string) => chat.app.page.getByRole('button', { name });
  const pressed = (name: string) => thumb(name).getAttribute('aria-pressed');

  it('[web.rating] a reply is rated with the keyboard, with a comment, and stays rated after a reload', async () => {
    await chat.app.send('hello');
    await chat.app.untilIdle();
    await thumb('Good answer').focus();
    await chat.app.page.keyboard.press('Enter');
    await eventually(() => pressed('Good answer')).toBe('true');
    await thumb('Bad answer').press('Enter');
    await eventually(() => pressed('Good answer')).toBe('false');
    await chat.app.page.getByRole('button', { name: 'Add comment' }).click();
    await chat.app.page.getByRole('textbox', { name: 'Comment on this answer' }).fill('too long');
    // The thumb before it may not have been answered yet.
    const saved = chat.app.page.waitForResponse(
      (it) => it.url().endsWith('/feedback') && it.request().postData()?.includes('too long') === true,
    );
    await chat.app.page.getByRole('button', { name: 'Save' }).click();
    await saved;
    await thumb('Edit comment').waitFor();
    await chat.app.page.reload();
    await eventually(() => pressed('Bad answer')).toBe('true');
    await thumb('Edit comment').press('Enter');
    const box = chat.app.page.getByRole('textbox', { name: 'Comment on this answer' });
    expect(await box.inputValue()).toBe('too long');
    await chat.app.page.keyboard.press('Escape');
    await thumb('Bad answer').press('Enter');
    await eventually(() => pressed('Bad answer')).toBe('false');
  });

  it('[web.rating.failed] a rating that could not be saved is reverted, and the page says so', async () => {
    await chat.app.send('hello');
    await chat.app.untilIdle();
    await chat.app.page.route('**/feedback', (route) =>
      route.fulfill({ status: 503, body: '{"detail":"away"}' }),
    );
    await thumb('Good answer').click();
    await chat.app.page.getByRole('alert').filter({ hasText: 'Your rating was not saved' }).waitFor();
    expect(await pressed('Good answer')).toBe('false');
  });
});
