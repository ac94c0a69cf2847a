// The words of a person, as they were written.
import type { HumanView } from './message-view.ts';

/** Nothing where files were sent without words. */
export function SaidText({ message: { id, text } }: { readonly message: HumanView }) {
  if (text === '') return null;
  return (
    <div
      dir="auto"
      data-role="human"
      data-message={id}
      className="max-w-[85%] min-w-0 rounded-2xl rounded-br-md bg-accent px-4 py-2.5 text-[0.9875rem] leading-relaxed whitespace-pre-wrap [overflow-wrap:anywhere]"
    >
      {text}
    </div>
  );
}
