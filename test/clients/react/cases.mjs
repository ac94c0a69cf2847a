// `useStream` of @langchain/react, in a page of jsdom.
import assert from 'node:assert/strict';
import { JSDOM } from 'jsdom';
import { createMount, openDocument } from '../hook.mjs';

openDocument(JSDOM);
const { createElement } = await import('react');
const { createRoot } = await import('react-dom/client');
const { useStream } = await import('@langchain/react');

const mount = createMount({ createElement, createRoot });
const ask = (content) => ({ messages: [{ type: 'human', content }] });
const typesOf = ({ messages }) => messages.map(({ type }) => type);
const DONE = ['human', 'ai', 'tool', 'ai'];

export const clients = (server) => [{ client: '@langchain/react', version: '1.1.0', cases: casesOf(server) }];

function casesOf(server) {
  const open = (threadId) =>
    mount(() => useStream({ ...server, assistantId: 'lead_agent', ...(threadId && { threadId }) }));
  const send = async (page, content) => {
    await page.until(({ isThreadLoading }) => !isThreadLoading);
    // How it went is in the state of the hook; the promise is none of the page's business.
    page.shown.current.submit(ask(content)).catch(() => {});
  };
  const ended = ({ isLoading, messages }) => !isLoading && messages.at(-1)?.text === 'That is done.';

  return {
    async 'stream with a tool'() {
      const page = open();
      await send(page, 'list the files');
      await page.until(ended);
      assert.deepEqual(typesOf(page.shown.current), DONE);
      assert.equal(page.shown.current.toolCalls.length, 1);
      assert.ok(page.shown.current.threadId, 'the thread that was made');
      return typesOf(page.shown.current).join(', ');
    },
    async history() {
      const first = open();
      await send(first, 'list the files');
      await first.until(ended);
      const { threadId } = first.shown.current;
      first.unmount();
      const again = open(threadId);
      await again.until(ended);
      assert.deepEqual(typesOf(again.shown.current), DONE);
      return 'another page shows the same messages';
    },
    async approval() {
      const page = open();
      await send(page, 'write a note');
      await page.until(({ interrupt, isLoading }) => interrupt !== undefined && !isLoading);
      void page.shown.current.respond({ decisions: [{ type: 'approve' }] });
      await page.until(ended);
      assert.deepEqual(typesOf(page.shown.current), DONE);
      return 'asked, allowed, done';
    },
    async error() {
      const page = open();
      await send(page, 'fail now');
      const error = await page.until((it) => it.error);
      return String(error.message ?? error);
    },
    async 'leave and join'() {
      const first = open();
      await send(first, 'slow now');
      await first.until(({ messages }) => messages.at(-1)?.text.startsWith('1 2 3 '));
      const { threadId } = first.shown.current;
      first.unmount();
      const again = open(threadId);
      await again.until(({ messages }) => messages.at(-1)?.text.endsWith(' 60 '));
      assert.deepEqual(typesOf(again.shown.current), ['human', 'ai']);
      const words = again.shown.current.messages.at(-1).text.trim().split(' ');
      assert.deepEqual(
        words,
        Array.from({ length: 60 }, (_, index) => String(index + 1)),
      );
      return 'another page goes on with the answer';
    },
  };
}
