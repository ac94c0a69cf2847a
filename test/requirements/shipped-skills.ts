// Requirements of the skills that come with the service, by the ids that tests cite.
export const shippedSkillRequirements = {
  'shipped-skills.listed':
    'At least ten skills come with the service, are enabled, and name only files that they have.',
  'shipped-skills.help': 'Every program of a skill runs in the sandbox and describes what it does.',
  'shipped-skills.bad-input':
    'For input that it cannot process, a program ends with a sentence and a status, and writes nothing.',
  'shipped-skills.deep-research':
    'The report has sources that are cited, numbered in order, and listed once.',
  'shipped-skills.data-analysis':
    'A table becomes a profile with its doubtful values, sums by group, and a chart that a PDF can show.',
  'shipped-skills.report-writing': 'A report in Markdown becomes a .docx and a .pdf with the same contents.',
  'shipped-skills.report-writing.characters': 'A PDF never drops a character silently.',
  'shipped-skills.slides': 'A deck in Markdown becomes a .pptx with its tables, pictures and notes.',
  'shipped-skills.web-app': 'A new page or app has no problems, and links in it that lead nowhere are found.',
  'shipped-skills.web-app.template':
    'A full-stack app starts as a complete copy of the development template.',
  'shipped-skills.code-review': 'A change becomes a list of its files and of the lines to check.',
  'shipped-skills.document-comparison':
    'Two versions of a text become a report of what was changed, added, removed and moved.',
  'shipped-skills.meeting-notes':
    'A transcript is split into the turns of its speakers, and notes are checked against it.',
  'shipped-skills.translation': 'A translation is checked for terms, figures, placeholders and structure.',
  'shipped-skills.skill-creator': 'A skill is checked and packed so that the service can read it.',
} as const;
