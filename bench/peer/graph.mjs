// The peer's agent: what its documentation builds, on the model server of the bench.
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';

const agent = createAgent({
  model: new ChatOpenAI({
    model: 'bench',
    apiKey: 'bench',
    streaming: true,
    configuration: { baseURL: process.env.BENCH_MODEL_URL },
  }),
  tools: [],
});

export { agent as lead_agent };
