// Kills a service while several answers are streamed, each of which is somewhere else.
import { join } from 'node:path';
import type { Random } from '../simulation/random.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import type { TestFrame } from '../support/sse.ts';
import type { CrashingProcess } from './crashing-process.ts';
import { brokenInvariants } from './invariants.ts';
import type { StubbornClient } from './stubborn-client.ts';
import { readThread } from './thread-evidence.ts';

/** The question that is answered at length. */
export const GO_ON = 'go on';
const WORDS = 100;
const WORD_MS = 4;
const AT_ONCE = 25;
const MOST = 20;
/** When the last of the questions is asked, and when after most answers began the kill may come, in milliseconds. */
const LAST_QUESTION = 150;
const LAST_KILL = 200;

export interface KilledRound {
  /** How many tokens each client whose answer was cut off had by then. */
  readonly offsets: readonly number[];
  /** What does not hold of any of the threads, with the offset. */
  readonly broken: readonly string[];
}

const WHOLE = Array.from({ length: WORDS }, (_, index) => `word${index} `).join('');

/** What the model says to the question. */
export function longAnswer(): Answer {
  const words = WHOLE.split(/(?<= )/).flatMap((word) => [step.text(word), step.pause(WORD_MS)]);
  return answer.script(...words, step.finish(), step.usage({ prompt: 20, completion: 80 }), step.done());
}

/** One kill at a moment of chance under answers that began at moments of chance. */
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

/** F04: one answer, whole, in one run that was tried at most twice. */
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
