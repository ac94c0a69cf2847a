// Skills (contract, Gateway: skills), by the ids that tests cite.
export const skillRequirements = {
  'skills.list':
    'A person sees their own skills and the public ones with all fields of the contract; their own hides a public one of the same name.',
  'skills.detail':
    'A skill is answered with its allowed tools, its instructions and its files; 404 for all others.',
  'skills.switch':
    'A person switches skills on and off for themselves, an administrator public ones for everybody; what is off for everybody stays off.',
  'skills.fresh': 'What changes on disk, whoever changes it, is seen by the next question without a restart.',
  'skills.malformed':
    'What is no valid SKILL.md is left out with a line in the log, and the other skills are listed.',
  'skills.cheap': 'Asking what skills are on costs less than a millisecond when nothing has changed.',
};
