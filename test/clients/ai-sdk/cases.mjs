// The Vercel AI SDK: its transport for `useChat`, and its reading of a stream of RemoteGraph.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { LangSmithDeploymentTransport, toUIMessageStream } from '@ai-sdk/langchain';
import { Command } from '@langchain/langgraph';
import { RemoteGraph } from '@langchain/langgraph/remote';
import { readUIMessageStream } from 'ai';

const ask = (content) => ({ messages: [{ role: 'user', content }] });

export const clients = ({ apiUrl: url, apiKey }) => [
  { client: '@ai-sdk/langchain', version: '3.0.99', cases: casesOf({ url, apiKey, graphId: 'lead_agent' }) },
];

function casesOf(options) {
  const graph = new RemoteGraph(options);
  const transport = new LangSmithDeploymentTransport(options);
  const send = (text) =>
    transport.sendMessages({
      trigger: 'submit-message',
      chatId: randomUUID(),
      messages: [{ id: randomUUID(), role: 'user', parts: [{ type: 'text', text }] }],
    });
  const lastMessage = async (stream) => {
    let last;
    for await (const message of readUIMessageStream({ stream })) last = message;
    return last;
  };
  const textsOf = ({ parts }) => parts.filter(({ type }) => type === 'text').map(({ text }) => text);
  const toolsOf = ({ parts }) =>
    parts.filter(({ type }) => type === 'dynamic-tool' || type.startsWith('tool-'));
  const newConfig = async () => {
    const { thread_id } = await graph.client.threads.create();
    return { configurable: { thread_id }, streamMode: ['values', 'messages'] };
  };

  return {
    async 'stream with a tool'() {
      const message = await lastMessage(await send('list the files'));
      assert.deepEqual(textsOf(message), ['I look.', 'That is done.']);
      assert.deepEqual(
        toolsOf(message).map(({ state }) => state),
        ['output-available'],
      );
      return message.parts.map(({ type }) => type).join(', ');
    },
    async approval() {
      const config = await newConfig();
      // RemoteGraph tells an interrupt by throwing it at the end of the stream.
      await lastMessage(toUIMessageStream(await graph.stream(ask('write a note'), config)));
      assert.deepEqual((await graph.getState(config)).next, ['tools']);
      const resume = new Command({ resume: { decisions: [{ type: 'approve' }] } });
      const message = await lastMessage(toUIMessageStream(await graph.stream(resume, config)));
      assert.equal(textsOf(message).at(-1), 'That is done.');
      return 'asked, allowed, done';
    },
    async error() {
      const chunks = [];
      for await (const chunk of toUIMessageStream(await graph.stream(ask('fail now'), await newConfig())))
        chunks.push(chunk);
      const error = chunks.find(({ type }) => type === 'error');
      assert.ok(error, 'an error chunk');
      return error.errorText;
    },
  };
}
