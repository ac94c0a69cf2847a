// The text of a file of a skill, being changed.
import { useState } from 'react';
import { Button } from '../ui/button.tsx';
import { TextArea } from '../ui/text-area.tsx';
import { useWriteSkillFile } from './skill-queries.ts';
import { SkillRefusal } from './skill-refusal.tsx';

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
  const save = ({ isConfirmed }: { readonly isConfirmed: boolean }) => {
    const next = first.includes('\r\n') ? draft.replaceAll('\n', '\r\n') : draft;
    write.mutate({ path, text: next, isConfirmed }, { onSuccess: onDone });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save({ isConfirmed: false });
      }}
      onKeyDown={(event) => {
        if (event.key === 's' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          save({ isConfirmed: false });
        }
        // The dialog stays open: what was typed would be lost with it.
        if (event.key === 'Escape' && draft !== first) {
          event.preventDefault();
          event.stopPropagation();
        }
      }}
      className="grid gap-3"
    >
      <TextArea
        label={`Text of ${path}`}
        isLabelHidden
        autoFocus
        spellCheck={false}
        value={draft}
        onChange={({ target }) => {
          // What was found is about another text.
          if (write.isError) write.reset();
          setDraft(target.value);
        }}
        className="field-sizing-fixed h-[50dvh] max-h-none bg-code px-3.5 py-3 font-mono leading-[1.65] sm:text-[0.8125rem]"
      />
      {write.error !== null && (
        <SkillRefusal
          error={write.error}
          action="Save anyway"
          isPending={write.isPending}
          onConfirm={() => save({ isConfirmed: true })}
        />
      )}
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
