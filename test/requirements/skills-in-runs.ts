// Requirements of skills in runs, by the ids that tests cite.
export const skillsInRunsRequirements = {
  'skills.prompt':
    "The prompt lists name, description and path of the user's enabled skills, and nothing in them can imitate a mark of the prompt.",
  'skills.prompt.size': 'Fifty skills take at most 4 KiB of the prompt, and each of them is named.',
  'skills.progressive':
    'The agent reads the instructions and other files of a skill on demand under /mnt/skills, and cannot change them there.',
  'skills.activate':
    '/skill-name at the beginning of a message adds that SKILL.md to the prompt; an unknown name is plain text.',
  'skills.allowed_tools':
    'While skills with allowed-tools are active, calls of other tools are refused with a sentence.',
  'skills.disabled': 'A disabled or foreign skill cannot be seen, read or activated, and a sentence says so.',
  'skills.next_run': 'The next run uses changed skills without a restart.',
  'skills.restart': 'A run that is taken up after a crash still has its active skills.',
  'skills.subagents':
    'Sub-agents can use skills; tools that the agent may not call, or that the skills they read forbid, are refused for them, too.',
  'skills.scripts':
    'Scripts of skills run in the sandbox from their folder, which is read-only, and whose links lead nowhere.',
} as const;
