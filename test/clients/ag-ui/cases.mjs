// AG-UI, which CopilotKit speaks: the events of runs as the protocol has them, checked by its own client.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { LangGraphAgent } from '@ag-ui/langgraph';

export const clients = ({ apiUrl, apiKey }) => [
  {
    client: '@ag-ui/langgraph',
    version: '0.0.43',
    cases: casesOf(
      (threadId = randomUUID()) =>
        new LangGraphAgent({
          deploymentUrl: apiUrl,
          langsmithApiKey: apiKey,
          graphId: 'lead_agent',
          threadId,
          emitInterruptOutcome: true,
        }),
    ),
  },
];

function casesOf(newAgent) {
  const runWith = async (agent, input = {}) => {
    const events = [];
    await agent.runAgent(input, { onEvent: ({ event }) => void events.push(event) });
    return events;
  };
  const say = (agent, content) => {
    agent.addMessage({ id: randomUUID(), role: 'user', content });
    return runWith(agent);
  };
  const textsOf = (events) => {
    const texts = new Map();
    for (const { type, messageId, delta } of events) {
      if (type === 'TEXT_MESSAGE_CONTENT') texts.set(messageId, (texts.get(messageId) ?? '') + delta);
    }
    return [...texts.values()];
  };
  const rolesOf = ({ messages }) => messages.map(({ role }) => role);

  return {
    async 'stream with a tool'() {
      const agent = newAgent();
      const events = await say(agent, 'list the files');
      assert.equal(events.at(-1).type, 'RUN_FINISHED');
      assert.deepEqual(textsOf(events), ['I look.', 'That is done.']);
      const args = events.filter(({ type }) => type === 'TOOL_CALL_ARGS').map(({ delta }) => delta);
      assert.equal(JSON.parse(args.join('')).path, '/mnt/user-data');
      assert.equal(events.filter(({ type }) => type === 'TOOL_CALL_RESULT').length, 1);
      assert.deepEqual(rolesOf(agent), ['user', 'assistant', 'tool', 'assistant']);
      return `${events.length} events`;
    },
    async history() {
      const agent = newAgent();
      await say(agent, 'hello');
      await say(agent, 'hello again');
      assert.deepEqual(rolesOf(agent), ['user', 'assistant', 'user', 'assistant']);
      const { values } = await agent.client.threads.getState(agent.threadId);
      assert.deepEqual(
        values.messages.map(({ id }) => id),
        agent.messages.map(({ id }) => id),
      );
      return 'two turns, the same messages on both sides';
    },
    async approval() {
      const agent = newAgent();
      const { outcome } = (await say(agent, 'write a note')).at(-1);
      assert.equal(outcome.type, 'interrupt');
      const resume = outcome.interrupts.map(({ id }) => ({
        interruptId: id,
        status: 'resolved',
        payload: { decisions: [{ type: 'approve' }] },
      }));
      const events = await runWith(agent, { resume });
      assert.equal(events.at(-1).type, 'RUN_FINISHED');
      assert.deepEqual(textsOf(events), ['That is done.']);
      return 'asked, allowed, done';
    },
    async error() {
      const agent = newAgent();
      const events = [];
      agent.addMessage({ id: randomUUID(), role: 'user', content: 'fail now' });
      // After the run's error its own client refuses the end of a step that the adapter still sends.
      await agent.runAgent({}, { onEvent: ({ event }) => void events.push(event) }).catch(() => {});
      assert.equal(events.at(-1).type, 'RUN_ERROR');
      return events.at(-1).message;
    },
  };
}
