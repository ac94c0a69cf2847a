// What the account page tells administrators of the machine.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { startServiceProcess } from '../support/service-process.ts';
import {
  axeViolations,
  buildWebApp,
  openWebApp,
  PASSWORD,
  PATIENCE,
  setUpAccount,
} from '../support/web-app.ts';
import { temporaryFolder } from '../workspace/temporary-folder.ts';

const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;

it(
  '[web.machine] an administrator sees what is missing to hold commands, nobody else does',
  PATIENCE,
  async () => {
    await buildWebApp();
    const config = join(await temporaryFolder(), 'config.yaml');
    await writeFile(config, 'sandbox: {kind: virtual}\n');
    const service = await startServiceProcess({ env: { CONFIG_FILE: config } });
    const browser = await openBrowser();
    try {
      const storageState = await setUpAccount(browser, service);
      const app = await openWebApp(browser, service, { storageState, ...PHONE });
      await app.open('/settings/account');
      const section = app.page.getByRole('region', { name: 'Commands of the agent' });
      await section.getByText('Commands run in the virtual shell, a plain process of this user.').waitFor();
      await section.getByText('Take sandbox.kind: auto, with bubblewrap installed.').waitFor();
      expect(await app.page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.viewport.width);
      expect(await axeViolations(app.page)).toEqual([]);
      const other = await openWebApp(browser, service, { storageState: { cookies: [], origins: [] } });
      await other.open('/register');
      await other.page.getByLabel('E-mail').fill('ann@example.com');
      await other.page.getByLabel('Password').fill(PASSWORD);
      await other.page.getByRole('button', { name: 'Create account' }).click();
      await other.page.getByRole('heading', { name: 'What are you working on?' }).waitFor();
      await other.open('/settings/account');
      await other.page.getByRole('region', { name: 'Signing in' }).getByText('ann@example.com').waitFor();
      expect(await other.page.getByRole('region', { name: 'Commands of the agent' }).count()).toBe(0);
    } finally {
      await browser.close();
      await service.remove();
    }
  },
);
