// One file of a skill, to read. In the person's own skills, it can also be edited or removed.
import { useState } from 'react';
import { CodeText } from '../files/code-text.tsx';
import { extensionOf } from '../files/file-kind.ts';
import { type FileText, readText } from '../files/file-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { TextArea } from '../ui/text-field.tsx';
import { useRemoveSkillFile, useSkillFile, useWriteSkillFile } from './skill-queries.ts';
import { SkillRefusal } from './skill-refusal.tsx';

interface SkillFileDialogProps {
  readonly name: string;
  readonly path: string;
  readonly editable: boolean;
  readonly startsEditing?: boolean;
  readonly onClose: () => void;
}

/** A skill cannot exist without this file. */
const MAIN_FILE = 'SKILL.md';

export function SkillFileDialog(props: SkillFileDialogProps) {
  const { name, path, editable, startsEditing = false, onClose } = props;
  const file = useSkillFile(name, path);
  const [isEditing, setEditing] = useState(startsEditing);
  const content = file.data;
  const text = content === undefined ? undefined : readText(content);
  const canEdit = editable && text?.kind === 'text' && content?.isWhole === true;
  return (
    <Dialog open onClose={onClose} title={path} width="wide">
      {file.error !== null && <Notice tone="danger">{file.error.message}</Notice>}
      {file.isPending && <Spinner className="mx-auto my-10" />}
      {canEdit && isEditing ? (
        <SkillFileForm name={name} path={path} text={text.text} onDone={onClose} />
      ) : (
        text !== undefined && (
          <>
            <ReadFile path={path} text={text} />
            {editable && (
              <FileButtons
                name={name}
                path={path}
                onEdit={canEdit ? () => setEditing(true) : undefined}
                onClose={onClose}
              />
            )}
          </>
        )
      )}
    </Dialog>
  );
}

function ReadFile({ path, text }: { readonly path: string; readonly text: FileText }) {
  if (text.kind === 'binary')
    return <p className="text-sm text-muted-foreground">This file is not text, so it cannot be shown.</p>;
  return (
    <section
      aria-label={path}
      className="overflow-hidden rounded-lg border border-border bg-code [&_pre]:w-auto [&_pre]:whitespace-pre-wrap [&_pre]:[overflow-wrap:anywhere]"
    >
      <CodeText language={extensionOf(path)} code={text.text} />
    </section>
  );
}

interface FileButtonsProps {
  readonly name: string;
  readonly path: string;
  readonly onEdit: (() => void) | undefined;
  readonly onClose: () => void;
}

function FileButtons({ name, path, onEdit, onClose }: FileButtonsProps) {
  const remove = useRemoveSkillFile(name);
  const [isAsking, setAsking] = useState(false);
  return (
    <div className="sticky -bottom-6 -mx-6 mt-4 -mb-6 grid gap-3 border-t border-border bg-surface px-6 py-4">
      {remove.error !== null && <Notice tone="danger">{remove.error.message}</Notice>}
      <div className="flex flex-wrap justify-end gap-2">
        {path !== MAIN_FILE && !isAsking && (
          <Button variant="secondary" onClick={() => setAsking(true)}>
            Remove
          </Button>
        )}
        {isAsking && (
          <Button
            variant="danger"
            disabled={remove.isPending}
            onClick={() => remove.mutate(path, { onSuccess: onClose })}
          >
            Remove this file
          </Button>
        )}
        {onEdit !== undefined && <Button onClick={onEdit}>Edit</Button>}
      </div>
    </div>
  );
}

interface SkillFileFormProps {
  readonly name: string;
  readonly path: string;
  /** The current text. Empty for a new file. */
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
        // The dialog stays open, so that the text is not lost.
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
          // The findings are about the previous text.
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
        <Button variant="secondary" onClick={onDone}>
          Cancel
        </Button>
        <Button type="submit" disabled={write.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
