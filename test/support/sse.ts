// Reads a streamed response as a client does: frames as they arrive, each with its id.

export interface TestFrame {
  readonly event: string;
  readonly id: string;
  /** The parsed JSON. */
  readonly data: unknown;
}

/**
 * Yields frames as they arrive. Leaving the loop early closes the connection, as a disconnecting client does.
 */
export async function* framesOf(response: Response): AsyncGenerator<TestFrame, void, void> {
  if (response.body === null) throw new Error('The answer has no body.');
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) yield parseFrame(block);
  }
  if (rest.replaceAll(':\n', '') !== '') throw new Error(`The stream broke off inside a frame: ${rest}`);
}

export async function allFrames(response: Response): Promise<TestFrame[]> {
  const frames: TestFrame[] = [];
  for await (const frame of framesOf(response)) frames.push(frame);
  return frames;
}

/** Returns the data of the frames with this event name, typed as the test expects it. */
export function dataOf<T>(frames: readonly TestFrame[], event: string): T[] {
  return frames.filter((frame) => frame.event === event).map((frame) => frame.data as T);
}

function parseFrame(block: string): TestFrame {
  const lines = block.split('\n').filter((line) => !line.startsWith(':'));
  const field = (name: string): string => {
    const found = lines.filter((line) => line.startsWith(`${name}: `));
    const [only] = found;
    if (found.length !== 1 || only === undefined)
      throw new Error(`A frame has ${found.length} "${name}" lines: ${block}`);
    return only.slice(name.length + 2);
  };
  return { event: field('event'), id: field('id'), data: JSON.parse(field('data')) };
}
