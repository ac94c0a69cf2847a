// Requirements of the template, by the ids that tests cite.
export const templateRequirements = {
  'template.copy':
    "A copy contains the template's files in git, is named after its folder, and has its own secret.",
  'template.whole': 'A copy has a licence, and a workflow that runs its checks and tests.',
  'template.refuses': 'No existing file is overwritten.',
  'template.apart': 'The template imports nothing from the service.',
  'template.small': 'The template has fewer than 3,500 lines, so that people can read it whole.',
} as const;
