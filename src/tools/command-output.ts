// The output of a command: its beginning and end in bounded memory, as text for the model; and while it runs,
// a bounded number of `custom` events.
import type { Json } from '../messages/message.ts';
import type { OutputStream } from '../processes/outcome.ts';

/** How much of the beginning and of the end is kept, in characters each. */
const KEPT = 524_288;

export class CommandOutput {
  #head = '';
  #tail = '';
  #characters = 0;

  add(text: string): void {
    this.#characters += text.length;
    const remaining = KEPT - this.#head.length;
    this.#head += text.slice(0, remaining);
    if (text.length > remaining) this.#tail = (this.#tail + text.slice(Math.max(0, remaining))).slice(-KEPT);
  }

  get length(): number {
    return this.#characters;
  }

  /** Returns everything that is kept. Where text is missing, a line says how much. */
  get text(): string {
    const skipped = this.#characters - this.#head.length - this.#tail.length;
    return skipped === 0 ? this.#head + this.#tail : `${this.#head}\n${skippedLine(skipped)}\n${this.#tail}`;
  }

  /** Returns at most about `limit` characters: half from the beginning, half from the end. */
  short(limit: number): string {
    if (this.#characters <= limit) return this.text;
    const { text } = this;
    const half = Math.floor(limit / 2);
    return `${text.slice(0, half)}\n${skippedLine(this.#characters - 2 * half)}\n${text.slice(-half)}`;
  }
}

function skippedLine(characters: number): string {
  return `... [middle truncated: ${characters} chars skipped] ...`;
}

/** The interval of the events: people read no faster. */
const INTERVAL_MS = 150;
/** Output beyond this per interval, and beyond the next limit per command, is only in the result. */
const MAX_PIECE_CHARACTERS = 4_000;
const MAX_REPORTED_CHARACTERS = 64_000;

/** Reports `command_output` events `{tool_call_id, stream, text}`. One of a burst has the burst's end. */
export function outputProgress(callId: string, emit: (data: Json) => void) {
  const pending = { stdout: '', stderr: '' };
  let reported = 0;
  let timer: NodeJS.Timeout | undefined;
  const report = (): void => {
    timer = undefined;
    for (const stream of ['stdout', 'stderr'] as const) {
      const text = pending[stream].slice(-MAX_PIECE_CHARACTERS);
      pending[stream] = '';
      if (text === '' || reported >= MAX_REPORTED_CHARACTERS) continue;
      reported += text.length;
      emit({ type: 'command_output', tool_call_id: callId, stream, text });
    }
  };
  return {
    add(stream: OutputStream, text: string): void {
      pending[stream] = (pending[stream] + text).slice(-MAX_PIECE_CHARACTERS);
      timer ??= setTimeout(report, INTERVAL_MS);
    },
    /** Reports what is pending. */
    end(): void {
      clearTimeout(timer);
      report();
    },
  };
}
