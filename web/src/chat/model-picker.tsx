// Chooses the model of the next answer, whether it thinks first, and whether it keeps a plan.
import { Lightbulb, ListTodo, type LucideIcon } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { cn } from '../ui/cn.ts';
import { PickerMenu } from './picker-menu.tsx';
import type { RunOptionsChoice } from './use-run-options.ts';

/** Nothing where the service offers no choice. */
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
        <Toggle icon={Lightbulb} word="Think" isOn={isThinking} onChange={choice.setThinking} />
      )}
      <Toggle
        icon={ListTodo}
        word="Plan"
        title="Works by a plan that you can follow"
        isOn={isPlanning}
        onChange={choice.setPlanning}
      />
    </>
  );
}

interface ToggleProps {
  readonly icon: LucideIcon;
  /** Left out on phones where it is not seen, not for those who hear it. */
  readonly word: string;
  readonly title?: string;
  readonly isOn: boolean;
  readonly onChange: (on: boolean) => void;
}

function Toggle({ icon: Icon, word, title, isOn, onChange }: ToggleProps) {
  return (
    <Button
      look="quiet"
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
      <span className="max-sm:sr-only">{word}</span>
    </Button>
  );
}
