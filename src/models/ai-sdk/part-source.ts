// Where the parts of an answer come from: the package, and text that went past it.
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ArrivedText, TextShortcut } from './text-shortcut.ts';

export type Reading =
  | { readonly kind: 'part'; readonly part: LanguageModelV4StreamPart }
  | { readonly kind: 'text'; readonly text: ArrivedText }
  | { readonly kind: 'end' };

export interface PartSource {
  open(stream: ReadableStream<LanguageModelV4StreamPart>): void;
  /** In the order in which the provider said it. Throws what the package throws. */
  read(): Promise<Reading>;
  /** A pending read settles at once, whatever the stream below is doing. */
  cancel(reason: unknown): void;
}

type Answered = { readonly reading: Reading } | { readonly thrown: unknown };

export function createPartSource(shortcut: TextShortcut): PartSource {
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined;
  let isAsked = false;
  let answered: Answered | undefined;
  let isCancelled = false;

  const answer = (it: Answered) => {
    answered = it;
    shortcut.wake();
  };
  /** One read of the package is pending while texts go past it. */
  const ask = () => {
    if (reader === undefined) throw new Error('There is no stream to read yet.');
    isAsked = true;
    reader.read().then(
      ({ done, value }) => answer({ reading: done ? { kind: 'end' } : { kind: 'part', part: value } }),
      (thrown: unknown) => answer({ thrown }),
    );
  };
  const taken = (it: Answered): Reading => {
    isAsked = false;
    answered = undefined;
    if ('thrown' in it) throw it.thrown;
    return it.reading;
  };
  const next = (): Reading | undefined => {
    const text = isCancelled ? undefined : shortcut.next();
    if (text !== undefined) return { kind: 'text', text };
    return answered === undefined ? undefined : taken(answered);
  };
  return {
    open(stream) {
      reader = stream.getReader();
    },
    async read() {
      for (;;) {
        const reading = next();
        if (reading !== undefined) return reading;
        if (!isAsked) ask();
        await shortcut.arrival();
      }
    },
    cancel(reason) {
      isCancelled = true;
      reader?.cancel(reason).catch(() => undefined);
    },
  };
}
