// A service, a signed-in person, and their windows in a real browser: the starting point for tests of the web
// app.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { openBrowser } from './browser.ts';
import { type ModelServer, startModelServer } from './model-server.ts';
import { type ServiceProcess, startServiceProcess } from './service-process.ts';
import {
  openWebApp,
  PATIENCE,
  type StorageState,
  setUpAccount,
  type WebApp,
  type WindowOptions,
} from './web-app.ts';

/** The text of a `config.yaml`, which may name the scripted model server. */
export type ConfigText = string | ((model: ModelServer) => string | Promise<string>);

export interface BrowserTests {
  readonly browser: Browser;
  readonly service: ServiceProcess;
  /** Serves the models that the configuration gives its address. Scripts are cleared after each test. */
  readonly model: ModelServer;
  /** The cookies and storage that sign a window in. */
  readonly state: StorageState;
  /** Opens a window of that person at this path, which is closed when the test ends. */
  open(path?: string, options?: WindowOptions): Promise<WebApp>;
}

export interface ChatForTests extends BrowserTests {
  /** The window of the running test, opened at a new chat. */
  readonly app: WebApp;
}

type Opened = Omit<BrowserTests, 'open'> & { remove(): Promise<void> };

/** Returns an entry of `models` in a configuration, for a model on the scripted server. */
export function scriptedModel(model: ModelServer, name = 'scripted', more = ''): string {
  return `{name: ${name}, provider: openai-compatible, model: ${name}-1, base_url: "${model.url}"${more}}`;
}

/** Writes a chat with a tool call and with Markdown, for tests of its appearance. */
export async function writeSampleChat(tests: BrowserTests): Promise<void> {
  const app = await tests.open();
  await app.send('write NOTES.md: hello');
  await app.untilAnswer(/I wrote/);
  await app.send('show me markdown');
  await app.untilIdle();
}

/** For a `describe`: one service for all of its tests. */
export function browserTests(config: ConfigText = ''): BrowserTests {
  let opened: Opened | undefined;
  beforeAll(async () => {
    opened = await openService(config);
  }, PATIENCE.timeout);
  afterAll(() => opened?.remove());
  /** Those that are open, without and with options. */
  const usual: WebApp[] = [];
  const others: WebApp[] = [];
  /** A window that has loaded the app once loads it again in half the time. */
  const free: WebApp[] = [];
  afterEach(async () => {
    opened?.model.reset();
    await Promise.all(others.splice(0).map((window) => window.close()));
    for (const window of usual.splice(0)) {
      if (await window.renew().catch(() => false)) free.push(window);
      else await window.close();
    }
  });
  afterAll(async () => {
    for (const window of free.splice(0)) await window.close();
  });
  return {
    get browser() {
      return present(opened).browser;
    },
    get service() {
      return present(opened).service;
    },
    get model() {
      return present(opened).model;
    },
    get state() {
      return present(opened).state;
    },
    async open(path = '/', options = {}) {
      const { browser, service, state } = present(opened);
      const isUsual = Object.keys(options).length === 0;
      const known = isUsual ? free.pop() : undefined;
      const window = known ?? (await openWebApp(browser, service, { storageState: state, ...options }));
      (isUsual ? usual : others).push(window);
      await window.open(path);
      return window;
    },
  };
}

/** For a `describe`: one service for all of its tests, and a window for each of them. */
export function chatForTests(config: ConfigText = ''): ChatForTests {
  const tests = browserTests(config);
  let app: WebApp | undefined;
  beforeEach(async () => {
    app = await tests.open();
  });
  return {
    get browser() {
      return tests.browser;
    },
    get service() {
      return tests.service;
    },
    get model() {
      return tests.model;
    },
    get state() {
      return tests.state;
    },
    get app() {
      return present(app);
    },
    open: tests.open,
  };
}

async function openService(config: ConfigText): Promise<Opened> {
  await using undo = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'agent-service-config-'));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const model = await startModelServer();
  undo.defer(() => model.close());
  const file = join(folder, 'config.yaml');
  await writeFile(file, typeof config === 'string' ? config : await config(model));
  const service = await startServiceProcess({ env: { CONFIG_FILE: file } });
  undo.defer(() => service.remove());
  const browser = await openBrowser();
  const state = await setUpAccount(service);
  const kept = undo.move();
  return { browser, service, model, state, remove: () => kept.disposeAsync() };
}

function present<T>(made: T | undefined): T {
  if (made === undefined) throw new Error('It is there from the first test on.');
  return made;
}
