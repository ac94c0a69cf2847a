// Requirements of the documentation, by the ids that tests cite.
export const docsRequirements = {
  'docs.readme.curl': 'The commands of the README work as written.',
  'docs.readme.environment': 'The README lists exactly the environment variables that the service reads.',
  'docs.readme.sections': 'The README lists exactly the sections of the configuration file.',
  'docs.readme.models': 'The models section of the README is a valid configuration.',
  'docs.links': 'Every file that the documentation names exists.',
  'docs.citations': 'Every page and heading that a comment or a page cites exists.',
  'docs.contract': 'The contract cites only existing requirements, and at least one from every area.',
  'docs.version': 'The packages, `/info`, the OpenAPI document and `--version` have the same version.',
  'docs.modules':
    'The module table of the architecture page lists the folders of src, each with one sentence.',
  'docs.figures': 'The architecture page contains no figure that could become wrong.',
  'docs.wiring':
    'Code that connects parts names each of them, so that a search for the name finds who passes it.',
  'docs.tools': 'The tools page lists every tool with its arguments and its effect.',
  'docs.skills': 'The skills page and the README list every skill that comes with the service.',
  'docs.modes': 'The contract lists every stream mode.',
} as const;
