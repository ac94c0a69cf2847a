// A command as the person sees it while it runs.
import { describe, expect, it } from 'vitest';
import { chatForTests } from '../support/chat-in-browser.ts';
import { axeViolations, eventually, PATIENCE } from '../support/web-app.ts';

/** A folder for pictures of what the tests see; none are taken without it. */
const { SCREENSHOTS } = process.env;
/** Goes on when a file is handed in. */
const WAITING =
  'printf "\\033[32mfirst words\\033[0m\\n"; for n in $(seq 900); do [ -e ../uploads/go.txt ] && break; sleep 0.1; done; echo last words';

describe('a command at work', PATIENCE, () => {
  const chat = chatForTests('sandbox: { kind: host, allow_host: true }\n');

  it('[web.command] shows its output as it arrives, also in a window opened later', async () => {
    const { app } = chat;
    await app.send(`run ${WAITING}`);
    const card = app.page.locator('[data-tool="bash"]');
    const output = card.getByTestId('command-output');
    await eventually(() => output.textContent()).toBe('first words\n');
    expect(await card.getAttribute('data-tool-state')).toBe('running');
    if (SCREENSHOTS !== undefined) await app.page.screenshot({ path: `${SCREENSHOTS}/command-running.png` });
    expect(await axeViolations(app.page)).toEqual([]);
    await app.page.reload();
    await eventually(() => output.textContent()).toBe('first words\n');
    await app.page
      .locator('input[type=file][aria-label="Files to add"]')
      .setInputFiles({ name: 'go.txt', mimeType: 'text/plain', buffer: Buffer.from('go') });
    await eventually(() => output.textContent()).toMatch(/first words\s+last words/);
    await app.untilIdle();
    expect(await card.getAttribute('data-tool-state')).toBe('success');
    expect(app.complaints).toEqual([]);
  });
});
