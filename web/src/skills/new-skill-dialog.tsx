// Creates a skill from a name, a description and instructions.
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { NewSkill } from '../api/skill-calls.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { formText, TextArea, TextField } from '../ui/text-field.tsx';
import { useCreateSkill } from './skill-queries.ts';
import { SkillRefusal } from './skill-refusal.tsx';

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
          title="Use lowercase letters, digits and hyphens."
          hint="Lowercase letters, digits and hyphens, such as meeting-notes."
        />
        <TextField
          label="Description"
          name="description"
          required
          maxLength={1_024}
          hint="What it does and when to use it. The agent chooses by this description."
        />
        <TextArea
          label="Instructions"
          value={instructions}
          onChange={({ target }) => setInstructions(target.value)}
          className="min-h-40 font-mono sm:text-[0.8125rem]"
        />
        <div className="mt-1 flex justify-end gap-2">
          <Button variant="secondary" onClick={onClose}>
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

interface SkillFields {
  readonly name: string;
  readonly description: string;
  /** Markdown. */
  readonly instructions: string;
}

/** Returns the text of a SKILL.md. A text in JSON's quotes is the same text in YAML. */
function skillTextOf({ name, description, instructions }: SkillFields): string {
  return `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\n\n${instructions.trim()}\n`;
}
