// What the template promises to whoever copies it, by the ids that tests cite.
export const templateRequirements = {
  'template.copy':
    'A copy is what git knows of the template, under the name of its folder, with a secret of its own.',
  'template.whole': 'A copy has a licence, and a workflow that runs its checks and tests.',
  'template.refuses': 'Nothing that is there already is written over.',
  'template.apart': 'The template imports nothing of the service.',
  'template.small': 'The template has fewer than 3,500 lines: people read every one.',
} as const;
