// What the skills that come with the service promise, by the ids that tests cite.
export const shippedSkillRequirements = {
  'shipped-skills.listed':
    'At least ten skills come with the service, are on, and name only files that they have.',
  'shipped-skills.help': 'Every program of a skill runs in the sandbox and says what it does.',
  'shipped-skills.bad-input':
    'What a program cannot take ends it with a sentence and a status, and it writes nothing.',
  'shipped-skills.deep-research':
    'A report is left with sources that are cited, numbered in order, and there once.',
  'shipped-skills.data-analysis':
    'A table becomes a profile with its doubts, sums by group, and a chart that a PDF shows.',
  'shipped-skills.report-writing': 'A report in Markdown becomes a .docx and a .pdf with the same contents.',
  'shipped-skills.report-writing.characters': 'A PDF never drops a character in silence.',
  'shipped-skills.slides': 'A deck in Markdown becomes a .pptx with its tables, pictures and notes.',
  'shipped-skills.web-app': 'A page or app begins without problems, and what leads nowhere in it is found.',
  'shipped-skills.web-app.template': 'A full-stack app begins as the development template, whole.',
  'shipped-skills.code-review': 'A change becomes a list of its files and of the lines to look at.',
  'shipped-skills.document-comparison':
    'Two versions of a text become a report of what was changed, added, removed, moved.',
  'shipped-skills.meeting-notes': 'A transcript becomes turns of speakers, and notes are checked against it.',
  'shipped-skills.translation': 'A translation is checked for terms, figures, placeholders and structure.',
  'shipped-skills.skill-creator': 'A skill is checked and packed as the service can read it.',
} as const;
