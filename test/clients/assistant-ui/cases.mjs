// assistant-ui with its runtime for LangGraph and the stream it makes by default, in a page of jsdom.
import assert from 'node:assert/strict';
import { Client } from '@langchain/langgraph-sdk';
import { JSDOM } from 'jsdom';
import { createMount, openDocument } from '../hook.mjs';

openDocument(JSDOM);
const { createElement } = await import('react');
const { createRoot } = await import('react-dom/client');
const { AssistantRuntimeProvider, useAui, useAuiState } = await import('@assistant-ui/react');
const kit = await import('@assistant-ui/react-langgraph');

const mount = createMount({ createElement, createRoot });

export const clients = (server) => [
  { client: '@assistant-ui/react-langgraph', version: '0.14.25', cases: casesOf(new Client(server)) },
];

function casesOf(client) {
  const stream = kit.unstable_createLangGraphStream({ client, assistantId: 'lead_agent' });
  const open = () => {
    const made = {};
    const create = async () => {
      made.threadId ??= (await client.threads.create()).thread_id;
      return { externalId: made.threadId };
    };
    const eventHandlers = {
      onError: (error) => {
        made.error = error;
      },
    };
    const props = { stream, create, eventHandlers };
    const page = mount(useChat, (children) => createElement(Provider, props, children));
    return { ...page, made };
  };
  const send = async (page, text) => (await page.until((it) => it.append))(text);
  const answered = ({ isRunning, text }) => !isRunning && text.endsWith('That is done.');

  return {
    async 'stream with a tool'() {
      const page = open();
      await send(page, 'list the files');
      await page.until(answered);
      const { parts } = page.shown.current;
      const call = parts.find(({ type }) => type === 'tool-call');
      assert.equal(call.toolName, 'ls');
      assert.ok(call.result, 'the result of the call');
      return parts.map(({ type }) => type).join(', ');
    },
    async approval() {
      const page = open();
      await send(page, 'write a note');
      await page.until(({ interrupt, isRunning }) => interrupt && !isRunning);
      page.shown.current.command({ resume: { decisions: [{ type: 'approve' }] } });
      await page.until(answered);
      const { values } = await client.threads.getState(page.made.threadId);
      assert.deepEqual(
        values.messages.map(({ type }) => type),
        ['human', 'ai', 'tool', 'ai'],
      );
      return 'asked, allowed, done';
    },
    async error() {
      const page = open();
      await send(page, 'fail now');
      const error = await page.until(() => page.made.error);
      assert.equal(error.error, 'ModelError');
      return error.message;
    },
  };
}

function Provider({ children, ...options }) {
  const runtime = kit.useLangGraphRuntime(options);
  return createElement(AssistantRuntimeProvider, { runtime }, children);
}

function useChat() {
  const thread = useAuiState((state) => state.thread);
  const aui = useAui();
  const last = thread.messages.findLast(({ role }) => role === 'assistant');
  const parts = last?.content ?? [];
  return {
    append: (text) => aui.thread().append(text),
    command: kit.useLangGraphSendCommand(),
    interrupt: kit.useLangGraphInterruptState(),
    isRunning: thread.isRunning,
    parts,
    text: parts
      .filter(({ type }) => type === 'text')
      .map(({ text }) => text)
      .join(''),
  };
}
