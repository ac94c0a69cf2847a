// One file of a skill: read, and of one's own skills changed or removed.
import { useState } from 'react';
import { CodeText } from '../files/code-text.tsx';
import { extensionOf } from '../files/file-kind.ts';
import { type FileText, readText } from '../files/file-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { SkillFileForm } from './skill-file-form.tsx';
import { useRemoveSkillFile, useSkillFile } from './skill-queries.ts';

interface SkillFileDialogProps {
  readonly name: string;
  readonly path: string;
  readonly editable: boolean;
  readonly startsEditing?: boolean;
  readonly onClose: () => void;
}

/** Without this one there is no skill. */
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
    return (
      <p className="text-sm text-muted-foreground">This file is not a text, so there is nothing to show.</p>
    );
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
          <Button look="secondary" onClick={() => setAsking(true)}>
            Remove
          </Button>
        )}
        {isAsking && (
          <Button
            look="danger"
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
