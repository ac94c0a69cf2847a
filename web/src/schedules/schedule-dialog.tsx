// Creates or edits a schedule: the message, the times, and the chat of its runs.
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { agentLabel, useAgents } from '../agents/agent-queries.ts';
import { ASSISTANT_ID } from '../api/agent-calls.ts';
import type { Schedule, ScheduleDefinition } from '../api/schedule-calls.ts';
import { useServices } from '../services/services.tsx';
import { useThreads } from '../threads/thread-queries.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { SelectField } from '../ui/select-field.tsx';
import { formText, TextArea, TextField } from '../ui/text-field.tsx';
import { useScheduleChange } from './schedule-queries.ts';
import { localTimeZone, NEW_TIMING, timeFieldsOf, timingOf } from './timing.ts';
import { TimingFields } from './timing-fields.tsx';

interface ScheduleDialogProps {
  /** Undefined when a new schedule is created. */
  readonly schedule: Schedule | undefined;
  readonly onClose: () => void;
}

type Choices = Pick<Schedule, 'assistant_id' | 'model' | 'timezone' | 'thread_id' | 'missed'>;

export function ScheduleDialog({ schedule, onClose }: ScheduleDialogProps) {
  const [prompt, setPrompt] = useState(schedule?.prompt ?? '');
  const [timing, setTiming] = useState(() => (schedule === undefined ? NEW_TIMING : timingOf(schedule)));
  const [choices, setChoices] = useState<Choices>(() => ({
    assistant_id: schedule?.assistant_id ?? ASSISTANT_ID,
    model: schedule?.model ?? null,
    timezone: schedule?.timezone ?? localTimeZone(),
    thread_id: schedule?.thread_id ?? null,
    missed: schedule?.missed ?? 'run_once',
  }));
  const change = (part: Partial<Choices>) => setChoices((before) => ({ ...before, ...part }));
  const save = useScheduleChange((api, definition: ScheduleDefinition) =>
    schedule === undefined
      ? api.createSchedule(definition)
      : api.changeSchedule(schedule.schedule_id, definition),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const webhook = formText(form, 'webhook').trim();
    const definition = {
      ...choices,
      ...timeFieldsOf(timing),
      name: formText(form, 'name'),
      prompt,
      webhook: webhook === '' ? null : webhook,
    };
    save.mutate(definition, { onSuccess: onClose });
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={schedule === undefined ? 'New schedule' : `Edit ${schedule.name}`}
      width="wide"
    >
      <form onSubmit={submit} className="grid gap-4">
        {save.error !== null && <Notice tone="danger">{save.error.message}</Notice>}
        <TextField
          label="Name"
          name="name"
          required
          autoFocus
          maxLength={100}
          defaultValue={schedule?.name ?? ''}
          placeholder="Morning news"
        />
        <TextArea
          label="Message to the agent"
          value={prompt}
          required
          maxLength={20_000}
          className="min-h-24"
          onChange={({ target }) => setPrompt(target.value)}
        />
        <TimingFields
          timing={timing}
          timeZone={choices.timezone}
          onTiming={setTiming}
          onTimeZone={(timezone) => change({ timezone })}
        />
        <ChoiceFields choices={choices} webhook={schedule?.webhook ?? ''} onChange={change} />
        <div className="mt-1 flex justify-end gap-2">
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={save.isPending || prompt.trim() === ''}>
            {schedule === undefined ? 'Create schedule' : 'Save'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ChoiceFieldsProps {
  readonly choices: Choices;
  readonly webhook: string;
  readonly onChange: (part: Partial<Choices>) => void;
}

function ChoiceFields({ choices, webhook, onChange }: ChoiceFieldsProps) {
  const { api } = useServices();
  const { assistant_id, model, thread_id, missed } = choices;
  const agents = useAgents().data?.agents.map(({ name }) => name) ?? [];
  const models = useQuery({ queryKey: ['models'], queryFn: () => api.models() }).data ?? [];
  const threads = useThreads().data?.pages.flatMap((page) => page.threads) ?? [];
  const titles = new Map(threads.map((thread) => [thread.thread_id, thread.values?.title || 'New chat']));
  if (thread_id !== null && !titles.has(thread_id)) titles.set(thread_id, 'Another chat');
  const names = new Map(models.map(({ name, display_name }) => [name, display_name ?? name]));
  if (model !== null && !names.has(model)) names.set(model, model);
  return (
    <>
      <SelectField
        label="Where"
        value={thread_id ?? ''}
        options={[
          { value: '', label: 'A new chat for each run' },
          ...[...titles].map(([value, title]) => ({ value, label: `In “${title}”` })),
        ]}
        onChange={(id) => onChange({ thread_id: id === '' ? null : id })}
      />
      <details className="grid gap-4">
        <summary className="w-fit cursor-pointer rounded-md py-1 text-sm font-medium text-muted-foreground hover:text-foreground">
          More choices
        </summary>
        <div className="mt-3 grid items-start gap-4 sm:grid-cols-2">
          <SelectField
            label="Agent"
            value={assistant_id}
            options={[...new Set([ASSISTANT_ID, ...agents, assistant_id])].map((value) => ({
              value,
              label: agentLabel(value),
            }))}
            onChange={(name) => onChange({ assistant_id: name })}
          />
          <SelectField
            label="Model"
            value={model ?? ''}
            options={[
              { value: '', label: 'The model of the agent' },
              ...[...names].map(([value, label]) => ({ value, label })),
            ]}
            onChange={(name) => onChange({ model: name === '' ? null : name })}
          />
          <SelectField
            label="If the service was not running"
            value={missed}
            options={[
              { value: 'run_once', label: 'Run once when it is back' },
              { value: 'skip', label: 'Skip missed runs' },
            ]}
            onChange={(policy) => onChange({ missed: policy })}
          />
          <TextField
            label="Webhook"
            name="webhook"
            type="url"
            maxLength={2_048}
            defaultValue={webhook}
            placeholder="https://…"
            hint="Called when a run has ended."
          />
        </div>
      </details>
    </>
  );
}
