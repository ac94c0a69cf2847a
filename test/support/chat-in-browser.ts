// A service of a configuration, a browser and a person who is signed in: where the tests of chats begin.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { openBrowser } from './browser.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import {
  buildWebApp,
  openWebApp,
  PATIENCE,
  type StorageState,
  setUpAccount,
  type WebApp,
} from './web-app.ts';

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
  const state = await setUpAccount(service);
  const kept = undo.move();
  return { browser, service, state, remove: () => kept.disposeAsync() };
}

export interface ChatForTests {
  /** A window of the test that runs, opened at a new chat. */
  readonly app: WebApp;
  readonly service: ServiceProcess;
  /** One more window of the same person. */
  open(options?: BrowserContextOptions): Promise<WebApp>;
}

/** For a `describe`: one service for all of its tests, and a window for each of them. */
export function chatForTests(config = ''): ChatForTests {
  let chat: ChatInBrowser | undefined;
  let app: WebApp | undefined;
  beforeAll(async () => {
    chat = await startChatInBrowser(config);
  }, PATIENCE.timeout);
  afterAll(() => chat?.remove());
  const windows: WebApp[] = [];
  const open = async (options: BrowserContextOptions = {}): Promise<WebApp> => {
    const { browser, service, state } = there(chat);
    const window = await openWebApp(browser, service, { storageState: state, ...options });
    windows.push(window);
    await window.open();
    return window;
  };
  beforeEach(async () => {
    app = await open();
    return async () => {
      for (const window of windows.splice(0)) await window.close();
    };
  });
  return {
    get app() {
      return there(app);
    },
    get service() {
      return there(chat).service;
    },
    open,
  };
}

function there<T>(made: T | undefined): T {
  if (made === undefined) throw new Error('The chat is there from the first test on.');
  return made;
}
