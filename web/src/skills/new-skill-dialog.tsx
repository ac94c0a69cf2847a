// Makes a skill from a name, a description and instructions.
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { NewSkill } from '../api/skill-calls.ts';
import { formText } from '../auth/form-text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextArea } from '../ui/text-area.tsx';
import { TextField } from '../ui/text-field.tsx';
import { useCreateSkill } from './skill-queries.ts';
import { SkillRefusal } from './skill-refusal.tsx';
import { skillTextOf } from './skill-text.ts';

const EXAMPLE = `# When to use it

# Steps

1. `;

export function NewSkillDialog({ onClose }: { readonly onClose: () => void }) {
  const create = useCreateSkill();
  const navigate = useNavigate();
  const [instructions, setInstructions] = useState(EXAMPLE);
  const make = (skill: NewSkill) =>
    create.mutate(skill, {
      onSuccess: ({ name }) => void navigate({ to: '/skills/$skillName', params: { skillName: name } }),
    });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [name, description] = [formText(form, 'name'), formText(form, 'description')];
    make({ content: skillTextOf({ name, description, instructions }), isConfirmed: false });
  };
  const refused = create.variables;
  return (
    <Dialog open onClose={onClose} title="New skill">
      <form onSubmit={submit} onInput={() => create.isError && create.reset()} className="grid gap-4">
        {create.error !== null && refused !== undefined && (
          <SkillRefusal
            error={create.error}
            action="Create anyway"
            isPending={create.isPending}
            onConfirm={() => make({ ...refused, isConfirmed: true })}
          />
        )}
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
