// The other files of a skill. Each can be read, and those of the person's own skills edited or removed.
import { FilePlus } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { SkillDetail } from '../api/skill-calls.ts';
import { nameOf, sizeText } from '../files/file-kind.ts';
import { FileIcon } from '../files/file-marks.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { PageSection } from '../ui/page.tsx';
import { SelectField } from '../ui/select-field.tsx';
import { formText, TextField } from '../ui/text-field.tsx';
import { SkillFileDialog, SkillFileForm } from './skill-file-dialog.tsx';

export function SkillFiles({ skill: { name, files, editable } }: { readonly skill: SkillDetail }) {
  const [shown, setShown] = useState<string>();
  const [isAdding, setAdding] = useState(false);
  return (
    <PageSection
      title="Files"
      action={
        editable && (
          <Button variant="secondary" size="small" onClick={() => setAdding(true)}>
            <FilePlus aria-hidden />
            Add file
          </Button>
        )
      }
    >
      <ul className="-mx-2 grid">
        {files.map(({ path, size }) => (
          <li key={path}>
            <button
              type="button"
              onClick={() => setShown(path)}
              className="flex min-h-10 w-full min-w-0 items-center gap-3 rounded-lg px-2 py-1.5 text-left text-sm hover:bg-accent"
            >
              <FileIcon name={nameOf(path)} className="size-4 shrink-0 text-primary" />
              <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">{path}</span>
              <span className="shrink-0 text-xs text-muted-foreground tabular-nums">{sizeText(size)}</span>
            </button>
          </li>
        ))}
      </ul>
      {shown !== undefined && (
        <SkillFileDialog name={name} path={shown} editable={editable} onClose={() => setShown(undefined)} />
      )}
      {isAdding && <NewSkillFileDialog name={name} onClose={() => setAdding(false)} />}
    </PageSection>
  );
}

const FOLDERS = [
  { value: 'references', label: 'references: what the agent may read' },
  { value: 'templates', label: 'templates: what results are made from' },
  { value: 'scripts', label: 'scripts: what the agent may run' },
  { value: 'assets', label: 'assets: other files' },
] as const;

interface NewSkillFileDialogProps {
  readonly name: string;
  readonly onClose: () => void;
}

function NewSkillFileDialog({ name, onClose }: NewSkillFileDialogProps) {
  const [folder, setFolder] = useState<(typeof FOLDERS)[number]['value']>('references');
  const [path, setPath] = useState<string>();
  if (path !== undefined)
    return (
      <Dialog open onClose={onClose} title={path} width="wide">
        <SkillFileForm name={name} path={path} text="" onDone={onClose} />
      </Dialog>
    );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setPath(`${folder}/${formText(new FormData(event.currentTarget), 'name').trim()}`);
  };
  return (
    <Dialog open onClose={onClose} title="Add a file">
      <form onSubmit={submit} className="grid gap-4">
        <SelectField label="Folder" value={folder} options={FOLDERS} onChange={setFolder} />
        <TextField
          label="File name"
          name="name"
          required
          autoFocus
          autoCapitalize="off"
          spellCheck={false}
          maxLength={200}
          hint="Such as checklist.md."
        />
        <div className="mt-1 flex justify-end gap-2">
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">Write the text</Button>
        </div>
      </form>
    </Dialog>
  );
}
