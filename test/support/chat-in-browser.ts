// A service of a configuration, a browser and a person who is signed in: where the tests of chats begin.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { openBrowser } from './browser.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import { buildWebApp, type StorageState, setUpAccount } from './web-app.ts';

export interface ChatInBrowser {
  readonly browser: Browser;
  readonly service: ServiceProcess;
  readonly state: StorageState;
  remove(): Promise<void>;
}

/** Starts the service with `config`, the text of a `config.yaml`, and signs somebody in. */
export async function startChatInBrowser(config: string): Promise<ChatInBrowser> {
  await buildWebApp();
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'agent-service-config-'));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'config.yaml');
  await writeFile(file, config);
  const service = await startServiceProcess({ env: { CONFIG_FILE: file } });
  undo.defer(() => service.remove());
  const browser = await openBrowser();
  undo.defer(() => browser.close());
  const state = await setUpAccount(browser, service);
  const kept = undo.move();
  return { browser, service, state, remove: () => kept.disposeAsync() };
}
