// Completes a slash at the beginning of a message with the names of skills.
import { type ComponentProps, type KeyboardEvent, useEffect, useId, useState } from 'react';
import type { Skill } from '../api/skill-calls.ts';
import { useSkills } from '../skills/skill-queries.ts';
import { cn } from '../ui/cn.ts';

/** A slash and the beginning of a name. */
const BEGUN = /^\/[a-z0-9-]{0,64}$/;

export interface SkillChoice {
  readonly listId: string;
  /** Empty when there is nothing to offer. */
  readonly skills: readonly Skill[];
  readonly active: Skill | undefined;
  readonly optionId: (skill: Skill) => string;
  readonly choose: (skill: Skill) => void;
  /** Attributes for the text box. */
  readonly box: Pick<
    ComponentProps<'textarea'>,
    'aria-autocomplete' | 'aria-controls' | 'aria-activedescendant' | 'onBlur'
  >;
  /** Handles a key for the list. Returns false when the key is not for the list. */
  readonly takesKey: (event: KeyboardEvent) => boolean;
}

interface TypedText {
  readonly text: string;
  readonly change: (text: string) => void;
}

export function useSkillChoice({ text, change }: TypedText): SkillChoice {
  const listId = useId();
  const [activeName, setActiveName] = useState<string>();
  /** The text for which the list was dismissed. */
  const [closedAt, setClosedAt] = useState<string>();
  const isBegun = BEGUN.test(text);
  const all = useSkills({ enabled: isBegun }).data;
  const skills = isBegun && closedAt !== text ? fitting(all ?? [], text.slice(1)) : [];
  const active = skills.find(({ name }) => name === activeName) ?? skills[0];
  const choose = ({ name }: Skill) => {
    setActiveName(undefined);
    change(`/${name} `);
  };
  const close = () => setClosedAt(text);
  const move = (step: number) => {
    const place = (active === undefined ? 0 : skills.indexOf(active)) + step;
    setActiveName(skills.at(place % skills.length)?.name);
  };
  const takesKey = (event: KeyboardEvent): boolean => {
    if (active === undefined || event.nativeEvent.isComposing) return false;
    switch (event.key) {
      case 'ArrowDown':
        move(1);
        return true;
      case 'ArrowUp':
        move(-1);
        return true;
      case 'Tab':
      case 'Enter':
        if (event.shiftKey) return false;
        choose(active);
        return true;
      case 'Escape':
        close();
        return true;
      default:
        return false;
    }
  };
  const optionId = ({ name }: Skill) => `${listId}-${name}`;
  const offered =
    active === undefined ? {} : { 'aria-controls': listId, 'aria-activedescendant': optionId(active) };
  const box = { 'aria-autocomplete': 'list', onBlur: close, ...offered } as const;
  return { listId, skills, active, optionId, choose, box, takesKey };
}

/** Returns the skills whose names begin with the typed text, then those that contain it. */
function fitting(skills: readonly Skill[], typed: string): readonly Skill[] {
  const usable = skills.filter(({ enabled, globally_enabled }) => enabled && globally_enabled);
  const begins = ({ name }: Skill) => name.startsWith(typed);
  const has = (skill: Skill) => !begins(skill) && skill.name.includes(typed);
  return [...usable.filter(begins), ...usable.filter(has)];
}

export function SkillList({ listId, skills, active, optionId, choose }: SkillChoice) {
  const activeId = active === undefined ? undefined : optionId(active);
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);
  if (skills.length === 0) return null;
  return (
    <>
      <div
        id={listId}
        role="listbox"
        aria-label="Skills"
        className="absolute inset-x-0 bottom-full z-20 mb-2 max-h-[min(20rem,45dvh)] animate-rise overflow-y-auto rounded-xl border border-border bg-surface p-1.5 shadow-float"
      >
        {skills.map((skill) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the box that keeps the focus takes the keys.
          <div
            key={skill.name}
            id={optionId(skill)}
            role="option"
            tabIndex={-1}
            aria-selected={skill === active}
            // Keeps the focus in the box, and the keyboard of a phone open.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(skill)}
            className={cn(
              'grid min-h-10 cursor-pointer gap-0.5 rounded-md px-2.5 py-2 text-sm',
              skill === active ? 'bg-accent' : 'hover:bg-accent/60',
            )}
          >
            <span className="font-mono text-[0.8125rem] font-medium">/{skill.name}</span>
            <span className="truncate text-[0.8125rem] text-muted-foreground">{skill.description}</span>
          </div>
        ))}
      </div>
      <p role="status" className="sr-only">
        {skills.length === 1 ? '1 skill' : `${skills.length} skills`}. Choose one with the arrow keys and
        Enter.
      </p>
    </>
  );
}
