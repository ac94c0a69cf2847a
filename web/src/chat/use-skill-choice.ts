// Which skills fit what is typed behind a slash at the beginning of a message, and which one of them is chosen.
import { type ComponentProps, type KeyboardEvent, useId, useState } from 'react';
import type { Skill } from '../api/skill-shapes.ts';
import { useSkills } from '../skills/skill-queries.ts';

/** A slash, and as much of a name as is there. */
const BEGUN = /^\/[a-z0-9-]{0,64}$/;

export interface SkillChoice {
  readonly listId: string;
  /** Empty: nothing is offered. */
  readonly skills: readonly Skill[];
  readonly active: Skill | undefined;
  readonly optionId: (skill: Skill) => string;
  readonly choose: (skill: Skill) => void;
  /** For the box in which the message is written. */
  readonly box: Pick<
    ComponentProps<'textarea'>,
    'aria-autocomplete' | 'aria-controls' | 'aria-activedescendant' | 'onBlur'
  >;
  /** True: the key was meant for the list. */
  readonly takesKey: (event: KeyboardEvent) => boolean;
}

interface TypedText {
  readonly text: string;
  readonly change: (text: string) => void;
}

export function useSkillChoice({ text, change }: TypedText): SkillChoice {
  const listId = useId();
  const [activeName, setActiveName] = useState<string>();
  /** The text for which nothing is to be offered any more. */
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

/** Those whose names begin with it, then those that have it anywhere. */
function fitting(skills: readonly Skill[], typed: string): readonly Skill[] {
  const usable = skills.filter(({ enabled, globally_enabled }) => enabled && globally_enabled);
  const begins = ({ name }: Skill) => name.startsWith(typed);
  const has = (skill: Skill) => !begins(skill) && skill.name.includes(typed);
  return [...usable.filter(begins), ...usable.filter(has)];
}
