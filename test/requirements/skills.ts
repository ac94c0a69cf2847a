// What is promised of skills (docs/contract/skills.md), by the ids that tests cite.
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
  'skills.unreadable':
    'A file that cannot be read now is not taken for one that is not there: nothing is left out or written over.',
  'skills.cheap': 'Asking what skills are on costs less than a millisecond when nothing has changed.',
  'skills.install':
    'A `.skill` package becomes a custom skill of whoever sends it, with who installed it, when, from which file and its hash.',
  'skills.install.places':
    'Of the packages of one person one is received at a time, of all people eight; whoever sends more waits before a byte of theirs is kept.',
  'skills.install.unsafe':
    'A package with any entry that is not safe is refused as a whole, and nothing of it is written.',
  'skills.install.bomb':
    'A package may have 2,000 entries and unpack to a hundred times its size, 100 MB at most, by the bytes that come out.',
  'skills.install.exists':
    'A name that the person has already is refused with 409, and the skill stays as it is.',
  'skills.scan':
    'A scan finds downloads that are run, encoded payloads, secrets, phrases of prompt injection and binaries; what is critical is refused until an administrator confirms it.',
  'skills.edit':
    'A person makes custom skills of a SKILL.md, changes and deletes them; public skills cannot be changed.',
  'skills.files':
    'Files of a skill are read, and texts of a custom one written and removed, in the four folders of a skill.',
  'skills.cluster':
    'Of changes that several processes make at the same time none is lost: whoever comes second is told so, or goes on from the first.',
  'skills.files.version':
    'A file is written and removed on the condition that it is still the version that the client has seen; 412 when it is not.',
  'skills.adopt':
    'Switches that an earlier release kept in a file are taken over once, and the file is removed.',
  'skills.edit.refused': 'What is refused leaves everything as it was.',
  'skills.history':
    'The history of a custom skill tells who changed what, and each change can be taken back, a deletion included.',
  'skills.deleted':
    'A person lists their deleted skills, the last twenty, puts one back with all its files, and removes one for good.',
  'skills.manage':
    'With skill_manage the agent makes, edits, patches and deletes custom skills of its user, checked, scanned and with history; it is off unless configured.',
};
