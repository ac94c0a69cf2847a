// What the person has allowed for the whole chat, and the way to take it back.
import { ShieldCheck, X } from 'lucide-react';
import { toolWords } from '../tool-cards/tool-words.ts';
import type { AllowedTools } from './use-allowed-tools.ts';

export function AllowedToolsLine({ names, revoke }: Pick<AllowedTools, 'names' | 'revoke'>) {
  if (names.length === 0) return null;
  return (
    <section
      aria-label="Always allowed in this chat"
      className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1.5 px-1 text-[0.8125rem] text-muted-foreground"
    >
      <span className="flex items-center gap-1.5">
        <ShieldCheck aria-hidden className="size-3.5 shrink-0" />
        Always allowed in this chat:
      </span>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          onClick={() => revoke(name)}
          aria-label={`Ask again before: ${toolWords(name)}`}
          title="Ask again"
          className="flex min-w-0 items-center gap-1 rounded-full border border-border bg-surface px-2.5 py-1 hover:text-foreground pointer-coarse:min-h-10"
        >
          <span className="truncate">{toolWords(name)}</span>
          <X aria-hidden className="size-3.5 shrink-0" />
        </button>
      ))}
    </section>
  );
}
