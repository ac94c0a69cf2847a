// Sets the goal that the agent works towards on its own, with its limits.
import { type FormEvent, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { formText, TextArea, TextField } from '../ui/text-field.tsx';
import type { GoalControl } from './use-goal.ts';

/** The limits of the service. */
const MOST_CHARACTERS = 4_000;
const MOST_CONTINUATIONS = 20;
const FEWEST_TOKENS = 1_000;

export function GoalDialog({ control }: { readonly control: GoalControl }) {
  const { goal, set, isPending, error, closeDialog } = control;
  const [text, setText] = useState(goal?.text ?? '');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const budget = formText(form, 'tokens');
    set({
      text,
      max_continuations: Number(formText(form, 'continuations')),
      max_no_progress: goal?.max_no_progress ?? 2,
      token_budget: budget === '' ? null : Number(budget),
    });
  };
  return (
    <Dialog
      open
      onClose={closeDialog}
      title={goal === undefined ? 'Set a goal' : 'Change the goal'}
      description="After each answer a model judges whether the goal is reached. Until it is, the agent continues on its own."
    >
      <form onSubmit={submit} className="grid gap-4">
        {error !== null && <Notice tone="danger">{error.message}</Notice>}
        <TextArea
          label="Goal"
          value={text}
          autoFocus
          required
          maxLength={MOST_CHARACTERS}
          placeholder="Every test of the project passes"
          hint="Describe how to recognize that it is reached."
          className="min-h-24"
          onChange={({ target }) => setText(target.value)}
        />
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField
            label="Continuations"
            name="continuations"
            type="number"
            inputMode="numeric"
            required
            min={1}
            max={MOST_CONTINUATIONS}
            defaultValue={goal?.max_continuations ?? 8}
            hint={`How often the agent may continue on its own, up to ${MOST_CONTINUATIONS} times.`}
          />
          <TextField
            label="Token budget"
            name="tokens"
            type="number"
            inputMode="numeric"
            min={FEWEST_TOKENS}
            max={1_000_000_000}
            defaultValue={goal?.token_budget ?? ''}
            placeholder="No limit"
            hint="How many tokens it may spend on the goal."
          />
        </div>
        <div className="mt-1 flex justify-end gap-2">
          <Button variant="secondary" onClick={closeDialog}>
            Cancel
          </Button>
          <Button type="submit" disabled={isPending || text.trim() === ''}>
            Set goal
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
