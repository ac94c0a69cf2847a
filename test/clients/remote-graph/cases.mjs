// RemoteGraph: the service as a node of somebody's own graph.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { HumanMessage } from '@langchain/core/messages';
import { Command, MemorySaver, MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { RemoteGraph } from '@langchain/langgraph/remote';

const ask = (content) => ({ messages: [{ role: 'user', content }] });
const typesOf = ({ messages }) => messages.map(({ type }) => type);
const DONE = ['human', 'ai', 'tool', 'ai'];

export const clients = ({ apiUrl, apiKey }) => {
  const graph = new RemoteGraph({ graphId: 'lead_agent', url: apiUrl, apiKey });
  return [{ client: 'RemoteGraph (@langchain/langgraph)', version: '1.7.3', cases: casesOf(graph) }];
};

function casesOf(graph) {
  const newConfig = async () => {
    const { thread_id } = await graph.client.threads.create();
    return { configurable: { thread_id } };
  };
  return {
    async thread() {
      const config = await newConfig();
      assert.deepEqual((await graph.getState(config)).values, {});
      const drawn = await graph.getGraphAsync();
      assert.ok(Object.keys(drawn.nodes).includes('model'));
      return `state and drawing, ${Object.keys(drawn.nodes).length} nodes`;
    },
    async 'stream with a tool'() {
      const config = { ...(await newConfig()), streamMode: ['values', 'updates', 'messages'] };
      const parts = [];
      for await (const part of await graph.stream(ask('list the files'), config)) parts.push(part);
      assert.deepEqual(typesOf(parts.findLast(([mode]) => mode === 'values')[1]), DONE);
      assert.ok(
        parts.some(([mode]) => mode === 'messages'),
        'pieces of messages',
      );
      return `${parts.length} parts`;
    },
    async 'inside of a graph'() {
      const outer = new StateGraph(MessagesAnnotation)
        .addNode('agent', graph)
        .addEdge('__start__', 'agent')
        .compile({ checkpointer: new MemorySaver() });
      const config = { configurable: { thread_id: randomUUID() } };
      const { messages } = await outer.invoke({ messages: [new HumanMessage('list the files')] }, config);
      assert.equal(messages.at(-1).content, 'That is done.');
      return `${messages.length} messages`;
    },
    async history() {
      const config = await newConfig();
      await graph.invoke(ask('hello'), config);
      await graph.updateState(config, { title: 'Changed' });
      const { values } = await graph.getState(config);
      assert.equal(values.title, 'Changed');
      const history = [];
      for await (const state of graph.getStateHistory(config)) history.push(state);
      assert.deepEqual(history[0].values, values);
      return `${history.length} states`;
    },
    async approval() {
      const config = await newConfig();
      await assert.rejects(() => graph.invoke(ask('write a note'), config), { name: 'GraphInterrupt' });
      const { next, tasks } = await graph.getState(config);
      assert.deepEqual(next, ['tools']);
      assert.equal(tasks[0].interrupts.length, 1);
      const decisions = [{ type: 'approve' }];
      const done = await graph.invoke(new Command({ resume: { decisions } }), config);
      assert.deepEqual(typesOf(done), DONE);
      return 'asked, allowed, done';
    },
    async error() {
      const config = await newConfig();
      await assert.rejects(() => graph.invoke(ask('fail now'), config));
      return 'invoke rejects';
    },
  };
}
