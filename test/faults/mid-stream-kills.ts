// Kills a service during several streamed replies, each at another position.
import { join } from 'node:path';
import type { Random } from '../simulation/random.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import type { TestFrame } from '../support/sse.ts';
import type { CrashingProcess } from './crashing-process.ts';
import { brokenInvariants } from './invariants.ts';
import type { StubbornClient } from './stubborn-client.ts';
import { readThread } from './thread-evidence.ts';

/** The question with a long reply. */
export const GO_ON = 'go on';
const WORDS = 100;
const WORD_MS = 4;
const AT_ONCE = 25;
const MOST = 20;
/**
 * Milliseconds until the last question is asked, and from the start of most replies until the last moment of
 * the kill.
 */
const LAST_QUESTION = 150;
const LAST_KILL = 200;

export interface KilledRound {
  /** For each client whose reply was cut off, the number of tokens up to then. */
  readonly offsets: readonly number[];
  /** The violated rules of all threads, with the offset. */
  readonly broken: readonly string[];
}

const WHOLE = Array.from({ length: WORDS }, (_, index) => `word${index} `).join('');

/** Returns the reply to the question. */
export function longAnswer(): Answer {
  const words = WHOLE.split(/(?<= )/).flatMap((word) => [step.text(word), step.pause(WORD_MS)]);
  return answer.script(...words, step.finish(), step.usage({ prompt: 20, completion: 80 }), step.done());
}

/** Kills once at a random moment, during replies that began at random moments. */
export async function killedInMidStream(
  process: CrashingProcess,
  client: StubbornClient,
  random: Random,
): Promise<KilledRound> {
  await process.up();
  const delays = Array.from({ length: AT_ONCE }, () => random.below(LAST_QUESTION));
  const threads = await Promise.all(delays.map(() => client.newThread()));
  const mostSpeak = Promise.withResolvers<void>();
  const spoken = new Set<string>();
  const killed = mostSpeak.promise
    .then(() => after(random.below(LAST_KILL)))
    .then(() => process.signal('SIGKILL'));
  const rounds = await Promise.all(
    threads.map(async (threadId, index) => {
      await after(delays[index] ?? 0);
      const onFrame = ({ event }: TestFrame): void => {
        if (event === 'messages' && spoken.add(threadId).size === MOST) mostSpeak.resolve();
      };
      const asked = await client.ask(threadId, GO_ON, { onFrame });
      return { threadId, ...asked, replayed: await client.follow(threadId, asked.runId) };
    }),
  );
  await killed;
  const broken: string[] = [];
  const offsets: number[] = [];
  for (const { threadId, runId, frames, brokeAfter, replayed } of rounds) {
    const shown = frames.slice(0, brokeAfter ?? frames.length);
    const tokens = shown.filter(({ event }) => event === 'messages').length;
    if (brokeAfter !== undefined && tokens > 0) offsets.push(tokens);
    const thread = readThread(join(process.dataHome, 'service.db'), threadId);
    const problems = [
      ...brokenInvariants(thread, [{ runId, received: frames, replayed }], []),
      ...brokenAnswer(thread),
    ];
    broken.push(...problems.map((problem) => `after ${tokens} tokens: ${problem}`));
  }
  return { offsets, broken };
}

/** F04: one whole reply, in one run with at most two attempts. */
function brokenAnswer({ folded, runs }: ReturnType<typeof readThread>): readonly string[] {
  const texts = folded.map(({ content }) => String(content));
  const attempts = runs.map(({ attempt, status }) => `${status} ${attempt}`);
  return [
    ...(texts.length === 2 && texts[1] === WHOLE ? [] : [`F04: the messages are ${JSON.stringify(texts)}`]),
    ...(['success 1', 'success 2'].includes(attempts.join()) ? [] : [`F04: the runs are ${attempts.join()}`]),
  ];
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
