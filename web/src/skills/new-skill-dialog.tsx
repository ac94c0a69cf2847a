// Makes a skill from a name, a description and instructions.
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { formText } from '../auth/form-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { TextArea } from '../ui/text-area.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useCreateSkill } from './skill-queries.ts';
import { skillTextOf } from './skill-text.ts';

const EXAMPLE = `# When to use it

# Steps

1. `;

export function NewSkillDialog({ onClose }: { readonly onClose: () => void }) {
  const create = useCreateSkill();
  const navigate = useNavigate();
  const [instructions, setInstructions] = useState(EXAMPLE);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const name = formText(form, 'name');
    const content = skillTextOf({ name, description: formText(form, 'description'), instructions });
    create.mutate(content, {
      onSuccess: () => void navigate({ to: '/skills/$skillName', params: { skillName: name } }),
    });
  };
  return (
    <Dialog open onClose={onClose} title="New skill">
      <form onSubmit={submit} className="grid gap-4">
        {create.error !== null && <Notice tone="danger">{create.error.message}</Notice>}
        <TextField
          label="Name"
          name="name"
          required
          autoFocus
          autoCapitalize="off"
          spellCheck={false}
          maxLength={64}
          pattern="[a-z0-9]+(-[a-z0-9]+)*"
          title="Use small letters, digits and hyphens."
          hint="Small letters, digits and hyphens, such as meeting-notes."
        />
        <TextField
          label="Description"
          name="description"
          required
          maxLength={1_024}
          hint="What it does and when to use it: the agent chooses by this."
        />
        <TextArea
          label="Instructions"
          value={instructions}
          onChange={({ target }) => setInstructions(target.value)}
          className="min-h-40 font-mono sm:text-[0.8125rem]"
        />
        <div className="mt-1 flex justify-end gap-2">
          <Button look="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={create.isPending || instructions.trim() === ''}>
            Create skill
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
