// Creates or changes an agent: its character, its model, its tools and its skills.
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { AgentDefinition, CustomAgent, CustomAgents } from '../api/agent-calls.ts';
import { useServices } from '../services/services.tsx';
import { useSkills } from '../skills/skill-queries.ts';
import { Button } from '../ui/button.tsx';
import { CheckBox } from '../ui/check-box.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Notice } from '../ui/notice.tsx';
import { SelectField } from '../ui/select-field.tsx';
import { formText, TextArea, TextField } from '../ui/text-field.tsx';
import { useAgentChange } from './agent-queries.ts';

interface AgentDialogProps {
  /** Undefined when a new agent is created. */
  readonly agent: CustomAgent | undefined;
  readonly groups: CustomAgents['tool_groups'];
  readonly onClose: () => void;
}

interface Saved {
  readonly name: string;
  readonly definition: AgentDefinition;
}

export function AgentDialog({ agent, groups, onClose }: AgentDialogProps) {
  const { api } = useServices();
  const models = useQuery({ queryKey: ['models'], queryFn: () => api.models() }).data ?? [];
  const skills = useSkills().data ?? [];
  const [model, setModel] = useState(agent?.model ?? '');
  const [toolGroups, setToolGroups] = useState(agent?.tool_groups ?? null);
  const [skillNames, setSkillNames] = useState(agent?.skills ?? null);
  const save = useAgentChange((calls, { name, definition }: Saved) =>
    agent === undefined ? calls.createAgent(name, definition) : calls.changeAgent(name, definition),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const definition = {
      description: formText(form, 'description'),
      model: model === '' ? null : model,
      tool_groups: toolGroups,
      skills: skillNames,
      soul: formText(form, 'soul'),
    };
    save.mutate({ name: agent?.name ?? formText(form, 'name'), definition }, { onSuccess: onClose });
  };
  const modelNames = models.map(({ name, display_name }) => ({ value: name, label: display_name ?? name }));
  return (
    <Dialog
      open
      onClose={onClose}
      title={agent === undefined ? 'New agent' : `Edit ${agent.name}`}
      width="wide"
    >
      <form onSubmit={submit} className="grid gap-4">
        {save.error !== null && <Notice tone="danger">{save.error.message}</Notice>}
        {agent === undefined && (
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
            hint="Lowercase letters, digits and hyphens, such as tea-master."
          />
        )}
        <TextField
          label="Description"
          name="description"
          defaultValue={agent?.description ?? ''}
          maxLength={1_024}
          hint="What the agent is for."
        />
        <TextArea
          label="Character"
          name="soul"
          defaultValue={agent?.soul ?? ''}
          maxLength={10_000}
          className="min-h-36"
          hint="Who the agent is and how it speaks."
        />
        <SelectField
          label="Model"
          value={model}
          options={[{ value: '', label: 'As chosen in the chat' }, ...modelNames]}
          onChange={setModel}
        />
        <ChosenNames
          label="Tools"
          all="All tools"
          names={groups.map(({ name, description }) => ({ name, hint: description }))}
          chosen={toolGroups}
          onChange={setToolGroups}
        />
        <ChosenNames
          label="Skills"
          all="All skills"
          names={skills.map(({ name }) => ({ name }))}
          chosen={skillNames}
          onChange={setSkillNames}
        />
        <div className="mt-1 flex justify-end gap-2">
          <Button variant="secondary" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={save.isPending}>
            {agent === undefined ? 'Create agent' : 'Save'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface ChosenNamesProps {
  readonly label: string;
  /** The label of the box that selects all. */
  readonly all: string;
  readonly names: readonly { readonly name: string; readonly hint?: string }[];
  /** `null` selects all. Selected names that are not offered stay selected. */
  readonly chosen: string[] | null;
  readonly onChange: (chosen: string[] | null) => void;
}

function ChosenNames({ label, all, names, chosen, onChange }: ChosenNamesProps) {
  const offered = new Set(names.map(({ name }) => name));
  const others = (chosen ?? [])
    .filter((name) => !offered.has(name))
    .map((name) => ({ name, hint: undefined }));
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1.5 text-sm font-medium">{label}</legend>
      <CheckBox
        label={all}
        checked={chosen === null}
        onChange={({ target }) => onChange(target.checked ? null : names.map(({ name }) => name))}
      />
      {chosen !== null &&
        [...names, ...others].map(({ name, hint }) => (
          <CheckBox
            key={name}
            className="pl-6"
            label={name}
            hint={hint}
            checked={chosen.includes(name)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, name] : chosen.filter((it) => it !== name))
            }
          />
        ))}
    </fieldset>
  );
}
