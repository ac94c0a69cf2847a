// What a run gets of memory: facts in its prompt, and somebody who notes what the person said. For the agent of the run; its sub-agents have none.
import type { MemoryFact } from '../../memory/facts.ts';
import { MEMORY_PROMPT } from '../memory/memory-notice.ts';
import { type AnsweredWords, createMemoryMiddleware } from '../middleware/memory.ts';
import type { SourceParts, ToolSource } from '../tool-source.ts';

interface MemorySourceParts {
  readonly factsOf: (userId: string, agent: string) => Promise<readonly MemoryFact[]>;
  /** Whether the thread has switched memory off; asked for people with facts alone. */
  readonly isOffOn: (userId: string, threadId: string) => Promise<boolean>;
  /** Tokens of a prompt; 0: it says nothing of memory. */
  readonly budget: number;
  /** Absent: nothing is read for facts. */
  readonly onAnswered: ((words: AnsweredWords & { readonly agent: string }) => Promise<void>) | undefined;
}

const NOTHING: SourceParts = { tools: [], prompt: '', middleware: [] };

export function createMemorySource(parts: MemorySourceParts): ToolSource {
  const { factsOf, isOffOn, budget, onAnswered } = parts;
  const factsFor = async (
    userId: string,
    threadId: string,
    agent: string,
  ): Promise<readonly MemoryFact[]> => {
    const facts = budget === 0 ? [] : await factsOf(userId, agent);
    return facts.length > 0 && (await isOffOn(userId, threadId)) ? [] : facts;
  };
  const heardBy = (agent: string) =>
    onAnswered === undefined ? undefined : (words: AnsweredWords) => onAnswered({ ...words, agent });
  return {
    name: 'memory',
    async forRun({ userId, threadId, agent, memory = true }) {
      if (!memory) return NOTHING;
      const facts = await factsFor(userId, threadId, agent);
      if (facts.length === 0 && onAnswered === undefined) return NOTHING;
      return {
        tools: [],
        prompt: facts.length === 0 ? '' : MEMORY_PROMPT,
        subagentPrompt: '',
        middleware: [createMemoryMiddleware({ facts, budget, onAnswered: heardBy(agent) })],
        subagentMiddleware: [],
      };
    },
  };
}
