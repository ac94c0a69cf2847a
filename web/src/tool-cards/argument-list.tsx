// The arguments of a tool call, complete and in the order in which they are written.
import { argumentWords } from '../conversation/tool-words.ts';
import { ScrollingText } from './tool-frame.tsx';

const LONG = 72;

export function ArgumentList({ args }: { readonly args: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(args);
  if (entries.length === 0) return <p className="text-sm text-muted-foreground">No arguments.</p>;
  return (
    <dl className="grid min-w-0 gap-2.5">
      {entries.map(([name, value]) => (
        <Argument key={name} name={name} text={textOf(value)} />
      ))}
    </dl>
  );
}

function Argument({ name, text }: { readonly name: string; readonly text: string }) {
  const isShort = text.length <= LONG && !text.includes('\n');
  return (
    <div
      className={
        isShort
          ? 'grid min-w-0 items-baseline gap-x-3 gap-y-0.5 sm:grid-cols-[7rem_1fr]'
          : 'grid min-w-0 gap-1.5'
      }
    >
      <dt className="text-[0.8125rem] text-muted-foreground">{argumentWords(name)}</dt>
      <dd className="min-w-0">
        {isShort ? (
          <span className="font-mono text-[0.8125rem] [overflow-wrap:anywhere]">
            {text === '' ? '(empty)' : text}
          </span>
        ) : (
          <ScrollingText text={text} />
        )}
      </dd>
    </div>
  );
}

function textOf(value: unknown): string {
  return withShownTurns(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
}

const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Returns the text with each character of `TURNS` written out, as in `[U+202E]`. */
export function withShownTurns(text: string): string {
  return text.replace(
    TURNS,
    (sign) => `[U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}
