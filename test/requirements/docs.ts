// What the documentation promises about itself, by the ids that tests cite.
export const docsRequirements = {
  'docs.readme.curl': 'The commands of the README work as they stand.',
  'docs.readme.environment': 'The README lists exactly the environment variables that the service reads.',
  'docs.readme.sections': 'The README lists exactly the sections of the configuration file.',
  'docs.readme.models': 'The models of the README are a right configuration.',
  'docs.links': 'Every file that the documentation names exists.',
  'docs.version':
    'The version has one number in the packages, `/info`, the OpenAPI document and `--version`.',
  'docs.rooms': 'The architecture page names every room of the house.',
  'docs.tools': 'The page of tools has every tool with its arguments and its effect.',
} as const;
