// What runs do with skills, by the ids that tests cite.
export const skillsInRunsRequirements = {
  'skills.prompt':
    "The prompt lists name, description and path of the user's enabled skills, and nothing in them passes for a mark of a prompt.",
  'skills.prompt.size': 'Fifty skills take at most 4 KiB of the prompt, and each of them is named.',
  'skills.progressive':
    'The body of a skill and its other files are read on demand under /mnt/skills, and never changed there.',
  'skills.activate':
    '/skill-name at the beginning of a message gives that SKILL.md to the model with it; an unknown name is text.',
  'skills.allowed_tools':
    'While skills are active that name allowed-tools, calls of other tools are refused with a sentence.',
  'skills.disabled': 'A disabled or foreign skill cannot be seen, read or activated, and a sentence says so.',
  'skills.next_run': 'Changes of skills are seen by the next run without a restart.',
  'skills.restart': 'A run that is taken up after a crash still has its skills active.',
  'skills.subagents':
    'Sub-agents see skills; what the agent may not call, they may not either, nor what skills forbid that they read.',
  'skills.scripts':
    'Scripts of skills run in the sandbox where they lie; the folder is read-only, and its links lead nowhere.',
} as const;
