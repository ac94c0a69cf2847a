// What the documentation promises about itself, by the ids that tests cite.
export const docsRequirements = {
  'docs.readme.curl': 'The commands of the README work as they stand.',
  'docs.readme.environment': 'The README lists exactly the environment variables that the service reads.',
  'docs.readme.sections': 'The README lists exactly the sections of the configuration file.',
  'docs.readme.models': 'The models of the README are a right configuration.',
  'docs.links': 'Every file that the documentation names exists.',
  'docs.citations': 'Every page and heading that a comment or a page cites is there.',
  'docs.contract': 'The contract names requirements that there are, and something of every area of them.',
  'docs.version':
    'The version has one number in the packages, `/info`, the OpenAPI document and `--version`.',
  'docs.modules':
    'The table of modules of the architecture page is the folders of src, each with one sentence.',
  'docs.figures': 'The architecture page names no figure, which could differ from the code.',
  'docs.wiring':
    'What puts parts together names each of them: whoever passes one is found by searching its name.',
  'docs.tools': 'The page of tools has every tool with its arguments and its effect.',
} as const;
