// The text of a file of a skill, being changed.
import { useState } from 'react';
import * as z from 'zod/mini';
import { RequestError } from '../api/service-error.ts';
import { refusedSkillSchema } from '../api/skill-shapes.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';
import { FindingList } from './finding-list.tsx';
import { useWriteSkillFile } from './skill-queries.ts';

interface SkillFileFormProps {
  readonly name: string;
  readonly path: string;
  /** As it is now; empty for a new file. */
  readonly text: string;
  readonly onDone: () => void;
}

export function SkillFileForm({ name, path, text, onDone }: SkillFileFormProps) {
  const [first] = useState(text);
  const [draft, setDraft] = useState(first.replaceAll('\r\n', '\n'));
  const write = useWriteSkillFile(name);
  const save = () => {
    const next = first.includes('\r\n') ? draft.replaceAll('\n', '\r\n') : draft;
    write.mutate({ path, text: next }, { onSuccess: onDone });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
      onKeyDown={(event) => {
        if (event.key === 's' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          save();
        }
        // The dialog stays open: what was typed would be lost with it.
        if (event.key === 'Escape' && draft !== first) {
          event.preventDefault();
          event.stopPropagation();
        }
      }}
      className="grid gap-3"
    >
      <textarea
        aria-label={`Text of ${path}`}
        // biome-ignore lint/a11y/noAutofocus: whoever presses Edit wants to write.
        autoFocus
        spellCheck={false}
        value={draft}
        onChange={({ target }) => setDraft(target.value)}
        className="h-[50dvh] w-full resize-y rounded-lg border border-input bg-code px-3.5 py-3 font-mono text-base leading-[1.65] focus-visible:outline-offset-0 sm:text-[0.8125rem]"
      />
      {write.error !== null && <Refusal error={write.error} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button look="secondary" onClick={onDone}>
          Cancel
        </Button>
        <Button type="submit" disabled={write.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}

function Refusal({ error }: { readonly error: Error }) {
  const body = error instanceof RequestError ? error.body : undefined;
  const refused = z.safeParse(refusedSkillSchema, body);
  return (
    <div className="grid gap-3">
      <Notice tone="danger">{error.message}</Notice>
      {refused.success && <FindingList findings={refused.data.detail.findings} />}
    </div>
  );
}
