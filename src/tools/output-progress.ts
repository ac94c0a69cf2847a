// The output of a command while it runs, as `custom` events: few of them, however much it says.
import type { Json } from '../messages/message.ts';
import type { OutputStream } from '../processes/outcome.ts';

export interface OutputProgress {
  add(stream: OutputStream, text: string): void;
  /** Tells what is left to tell. */
  end(): void;
}

/** People read no faster than this. */
const INTERVAL_MS = 150;
/** What is said in one interval beyond this, and in the whole command beyond that, is left to the result. */
const MAX_PIECE_CHARACTERS = 4_000;
const MAX_TOLD_CHARACTERS = 64_000;

/** `command_output` events `{tool_call_id, stream, text}`; one of a burst has the end of what was said. */
export function outputProgress(callId: string, emit: (data: Json) => void): OutputProgress {
  const pending = { stdout: '', stderr: '' };
  let told = 0;
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    timer = undefined;
    for (const stream of ['stdout', 'stderr'] as const) {
      const text = pending[stream].slice(-MAX_PIECE_CHARACTERS);
      pending[stream] = '';
      if (text === '' || told >= MAX_TOLD_CHARACTERS) continue;
      told += text.length;
      emit({ type: 'command_output', tool_call_id: callId, stream, text });
    }
  };
  return {
    add(stream, text) {
      pending[stream] = (pending[stream] + text).slice(-MAX_PIECE_CHARACTERS);
      timer ??= setTimeout(tell, INTERVAL_MS);
    },
    end() {
      clearTimeout(timer);
      tell();
    },
  };
}
