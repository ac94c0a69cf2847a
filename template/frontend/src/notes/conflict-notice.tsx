// The note was changed in another window while it was edited here: the person chooses.
import type { Note } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

/** `other` is the note as it is saved now. */
type Props = { other: Note; onKeepMine: () => void; onTakeOther: () => void };

export function ConflictNotice({ other, onKeepMine, onTakeOther }: Props) {
  const choice = (
    <div className="flex flex-wrap gap-2">
      <Button look="secondary" size="small" onClick={onKeepMine}>
        Keep mine
      </Button>
      <Button look="secondary" size="small" onClick={onTakeOther}>
        Use the saved version
      </Button>
    </div>
  );
  return (
    <section aria-label="Changed elsewhere" className="grid gap-2">
      <Notice action={choice}>This note was changed in another window.</Notice>
      <details className="rounded-xl border px-3.5 py-2.5 text-sm">
        <summary className="cursor-pointer font-medium">Show the saved version</summary>
        <div className="mt-2 max-h-64 overflow-y-auto whitespace-pre-wrap [overflow-wrap:anywhere]">
          <p className="font-semibold">{other.title}</p>
          {other.text}
        </div>
      </details>
    </section>
  );
}
