// The agent whose streams are recorded: the same nodes, tools and state fields as the service's own agent has.
import { SystemMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Annotation, END, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';

const model = new ChatOpenAI({
  model: 'scripted-1',
  apiKey: 'bench',
  streaming: true,
  configuration: { baseURL: process.env.BENCH_MODEL_URL },
});

const WORD = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };
const QUESTION = { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] };

const lookUp = tool(
  ({ word }) => {
    if (word === 'xyzzy') throw new Error('There is no such word.');
    return `${word} is a word.`;
  },
  { name: 'look_up', description: 'Looks a word up.', schema: WORD },
);

const count = tool(
  ({ word }, config) => {
    config.writer({ type: 'progress', letters: word.length });
    return String(word.length);
  },
  { name: 'count', description: 'Counts letters.', schema: WORD },
);

const ask = tool(({ question }) => `They said: ${interrupt({ question })}`, {
  name: 'ask',
  description: 'Asks the person.',
  schema: QUESTION,
});

const tools = [lookUp, count, ask];

const State = Annotation.Root({ ...MessagesAnnotation.spec, title: Annotation() });

const afterModel = ({ messages }) => (messages.at(-1).tool_calls?.length > 0 ? 'tools' : END);

/** The node that calls the model, the one that calls the tools, and the way between them. */
function modelAndTools(state, tools) {
  const answer = async ({ messages }) => {
    const prompt = [new SystemMessage('You are a helpful assistant.'), ...messages];
    return { messages: [await model.bindTools(tools).invoke(prompt)] };
  };
  return new StateGraph(state)
    .addNode('model', answer)
    .addNode('tools', new ToolNode(tools))
    .addConditionalEdges('model', afterModel, ['tools', END])
    .addEdge('tools', 'model');
}

const helper = modelAndTools(MessagesAnnotation, tools).addEdge(START, 'model').compile();

const task = tool(
  async ({ prompt }) => {
    const { messages } = await helper.invoke({ messages: [{ role: 'user', content: prompt }] });
    return messages.at(-1).content;
  },
  {
    name: 'task',
    description: 'Hands a task to a helper.',
    schema: {
      type: 'object',
      properties: {
        description: { type: 'string' },
        prompt: { type: 'string' },
        subagent_type: { type: 'string' },
      },
      required: ['description', 'prompt'],
    },
  },
);

const begin = ({ title }) => (title === undefined ? 'title.before_agent' : 'model');

export const agent = modelAndTools(State, [...tools, task])
  .addNode('title.before_agent', ({ messages }) => ({ title: messages[0].content }))
  .addConditionalEdges(START, begin, ['title.before_agent', 'model'])
  .addEdge('title.before_agent', 'model')
  .compile();
