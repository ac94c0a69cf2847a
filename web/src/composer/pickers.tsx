// Pickers for the next reply: the agent, the model, thinking, and planning.
import { ChevronDown, Lightbulb, ListTodo, type LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import { agentLabel } from '../agents/agent-queries.ts';
import { ASSISTANT_ID } from '../api/agent-calls.ts';
import { Button } from '../ui/button.tsx';
import { cn } from '../ui/cn.ts';
import { Menu, MenuChoice, MenuLabel } from '../ui/menu.tsx';
import type { ChatAgent } from './use-chat-agent.ts';
import type { RunOptionsChoice } from './use-run-options.ts';

/** Hidden when the person has no agents to choose from. */
export function AgentPicker({ chatAgent }: { readonly chatAgent: ChatAgent }) {
  const { name, agents, choose } = chatAgent;
  if (agents.length === 0 && name === ASSISTANT_ID) return null;
  const gone = name === ASSISTANT_ID || agents.some((it) => it.name === name) ? [] : [name];
  return (
    <PickerMenu
      title="Agent"
      label={agentLabel(name)}
      value={name}
      onChange={choose}
      options={[
        { value: ASSISTANT_ID, label: agentLabel(ASSISTANT_ID) },
        ...agents.map(({ name: value, description }) => ({
          value,
          label: value,
          ...(description === '' ? {} : { note: description }),
        })),
        ...gone.map((value) => ({ value, label: value, note: 'No longer available' })),
      ]}
    />
  );
}

/** Hidden when the service offers no choice. */
export function ModelPicker({ choice }: { readonly choice: RunOptionsChoice }) {
  const { models, model, isThinking, isPlanning } = choice;
  if (model === undefined) return null;
  const label = model.display_name ?? model.name;
  return (
    <>
      <PickerMenu
        title="Model"
        label={label}
        value={model.name}
        onChange={choice.chooseModel}
        options={(choice.isModelFixed ? [model] : models).map(
          ({ name, display_name: shown, description }) => ({
            value: name,
            label: shown ?? name,
            ...(description == null ? {} : { note: description }),
          }),
        )}
      />
      {model.supports_thinking === true && (
        <Toggle
          icon={Lightbulb}
          word="Think"
          title="Thinks before it answers"
          isOn={isThinking}
          onChange={choice.setThinking}
        />
      )}
      <Toggle
        icon={ListTodo}
        word="Plan"
        title="Keeps a plan that you can follow"
        isOn={isPlanning}
        onChange={choice.setPlanning}
      />
    </>
  );
}

interface ToggleProps {
  readonly icon: LucideIcon;
  /** Hidden where the box is narrow, except for screen readers. */
  readonly word: string;
  readonly title: string;
  readonly isOn: boolean;
  readonly onChange: (on: boolean) => void;
}

function Toggle({ icon: Icon, word, title, isOn, onChange }: ToggleProps) {
  return (
    <Button
      variant="quiet"
      size="small"
      aria-pressed={isOn}
      title={title}
      onClick={() => onChange(!isOn)}
      className={cn(
        'px-2.5',
        isOn && 'bg-primary-soft text-primary hover:bg-primary-soft hover:text-primary',
      )}
    >
      <Icon aria-hidden />
      <span className="@max-lg:sr-only">{word}</span>
    </Button>
  );
}

interface PickerMenuProps extends ComponentProps<typeof MenuChoice> {
  /** The kind of choice, such as "Model". */
  readonly title: string;
  /** The current choice, as people read it. */
  readonly label: string;
}

function PickerMenu({ title, label, ...choice }: PickerMenuProps) {
  return (
    <Menu
      align="start"
      side="top"
      className="max-w-72"
      trigger={
        <Button
          variant="quiet"
          size="small"
          aria-label={`${title}: ${label}`}
          className="min-w-0 shrink px-2.5 @max-lg:gap-1 @max-lg:px-1.5"
        >
          <span className="truncate">{label}</span>
          <ChevronDown aria-hidden />
        </Button>
      }
    >
      <MenuLabel>{title}</MenuLabel>
      <MenuChoice {...choice} />
    </Menu>
  );
}
