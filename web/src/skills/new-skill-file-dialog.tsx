// Adds a file to a skill: first its place, then its text.
import { type FormEvent, useState } from 'react';
import { formText } from '../auth/form-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField } from '../ui/select-field.tsx';
import { TextField } from '../ui/text-field.tsx';
import { SkillFileForm } from './skill-file-form.tsx';

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

export function NewSkillFileDialog({ name, onClose }: NewSkillFileDialogProps) {
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
          <Button look="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">Write the text</Button>
        </div>
      </form>
    </Dialog>
  );
}
