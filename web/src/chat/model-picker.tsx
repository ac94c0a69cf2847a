// Chooses the model of the next answer, and whether it thinks first.
import { ChevronDown, Lightbulb } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { cn } from '../ui/cn.ts';
import { Menu, MenuChoice, MenuLabel } from '../ui/menu.tsx';
import type { RunOptionsChoice } from './use-run-options.ts';

/** Nothing where the service offers no choice. */
export function ModelPicker({ choice }: { readonly choice: RunOptionsChoice }) {
  const { models, model, isThinking } = choice;
  if (model === undefined) return null;
  const label = model.display_name ?? model.name;
  return (
    <>
      <Menu
        align="start"
        side="top"
        className="max-w-72"
        trigger={
          <Button look="quiet" size="small" aria-label={`Model: ${label}`} className="min-w-0 shrink px-2.5">
            <span className="truncate">{label}</span>
            <ChevronDown aria-hidden />
          </Button>
        }
      >
        <MenuLabel>Model</MenuLabel>
        <MenuChoice
          value={model.name}
          onChange={choice.chooseModel}
          options={models.map(({ name, display_name: shown, description }) => ({
            value: name,
            label: shown ?? name,
            ...(description == null ? {} : { note: description }),
          }))}
        />
      </Menu>
      {model.supports_thinking === true && (
        <Button
          look="quiet"
          size="small"
          aria-pressed={isThinking}
          onClick={() => choice.setThinking(!isThinking)}
          className={cn(
            'px-2.5',
            isThinking && 'bg-primary-soft text-primary hover:bg-primary-soft hover:text-primary',
          )}
        >
          <Lightbulb aria-hidden />
          Think
        </Button>
      )}
    </>
  );
}
